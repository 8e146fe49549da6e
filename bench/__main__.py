"""`python -m bench` lists the benches; `python -m bench NAME [arguments]` runs one."""

import sys
from collections.abc import Callable, Sequence

from bench import detectors, hostile, locomo, model

#: Name → what it shows, and its main function.
BENCHES: dict[str, tuple[str, Callable[[Sequence[str]], int]]] = {
    "detectors": ("calls, tokens and what is left, for every detector × resolver", detectors.main),
    "hostile": (
        "judge with 1000 replies that cannot be trusted, and see what breaks",
        hostile.main,
    ),
    "locomo": ("turn a LoCoMo conversation into lines for `slowwave publish`", locomo.main),
    "model": ("how often a model gets small conversations right, by theme", model.main),
}


def main(arguments: Sequence[str]) -> int:
    if not arguments:
        print("\n".join(f"{name:<12} {about}" for name, (about, _) in BENCHES.items()))
        return 0
    name, *rest = arguments
    if name not in BENCHES:
        print(f"no bench is called {name!r}: there are {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    return BENCHES[name][1](rest)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
