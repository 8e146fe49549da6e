"""`python -m bench` lists the benches; `python -m bench NAME [arguments]` runs one."""

import sys
from collections.abc import Callable, Sequence

from bench import claim, everything, fairness, locomo, publish, scaling, scopes, start
from bench.adding import command as adding
from bench.all import command as whole
from bench.batch import command as batch
from bench.calls import command as calls
from bench.erasure import command as erasure
from bench.forgetting import command as forgetting
from bench.hostile import command as hostile
from bench.judge import command as judge
from bench.model import command as model
from bench.nights import command as nights
from bench.peers import command as peers
from bench.quality import command as quality
from bench.recall import command as recall
from bench.retrieval import command as retrieval
from bench.sleep import command as sleep
from bench.torture import command as torture

#: As the rows of docs/design.md §12 call them.
ALIASES: dict[str, str] = {"waiting": "scaling", "scale": "scaling"}
#: Name → what it shows, and its main function.
BENCHES: dict[str, tuple[str, Callable[[Sequence[str]], int]]] = {
    "adding": ("what adding a conversation costs, beside other systems", adding.main),
    "all": (
        "run all of them in a bounded time, and write docs/benchmarks.md",
        lambda arguments: whole.main(arguments, {*BENCHES, *ALIASES}),
    ),
    "batch": ("what a batch takes, beside the bare store and Redis calls", batch.main),
    "calls": ("model calls of a batch, and what each carries", calls.main),
    "claim": ("what a claim costs with a million scopes in the line", claim.main),
    "erasure": ("what is left of erased words in the bytes of every file", erasure.main),
    "everything": (
        "do everything in any order for long: do all promises hold after each step",
        everything.main,
    ),
    "fairness": ("how long quiet users wait beside a very noisy one", fairness.main),
    "forgetting": ("what is left of what people asked to forget, on GateMem", forgetting.main),
    "hostile": (
        "judge with 1000 replies that cannot be trusted, and see what breaks",
        hostile.main,
    ),
    "judge": (
        "how accurate a judge is, and what its errors do to a memory",
        judge.main,
    ),
    "locomo": ("turn a LoCoMo conversation into lines for `slowwave publish`", locomo.main),
    "model": ("how often a model gets small conversations right, by theme", model.main),
    "nights": ("whether nights come to rest, and whether order of arrival matters", nights.main),
    "peers": ("install the systems that ours is compared with", peers.main),
    "publish": ("what publishing costs, beside RPUSH and Celery", publish.main),
    "quality": ("how true the store is to what was said, beside simple rules", quality.main),
    "recall": ("how long recall takes, beside the store's own hybrid query", recall.main),
    "retrieval": ("how often recall finds what answers, on LoCoMo, part by part", retrieval.main),
    "scaling": ("how much of a slow model's time is used, by 1, 2 and 4 processes", scaling.main),
    "scopes": ("what very many scopes cost a Weaviate server, most of them at rest", scopes.main),
    "sleep": ("what a night makes of repeats, contradictions and look-alikes", sleep.main),
    "start": ("how long `slowwave demo` takes until it says something useful", start.main),
    "torture": (
        "kill workers and Redis over and over: is anything lost or done twice",
        torture.main,
    ),
}


def main(arguments: Sequence[str]) -> int:
    if not arguments:
        for name, (about, _) in BENCHES.items():
            also = [alias for alias, of in ALIASES.items() if of == name]
            print(f"{name:<12} {about}" + (f" (also: {', '.join(also)})" if also else ""))
        return 0
    called, *rest = arguments
    name = ALIASES.get(called, called)
    if name not in BENCHES:
        print(f"no bench is called {name!r}: there are {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    return BENCHES[name][1](rest)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
