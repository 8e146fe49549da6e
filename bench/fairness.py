"""How long quiet users wait beside a very noisy one: `python -m bench fairness`.

Some users say a few things each, first alone, then while thousands of turns of one other user wait.
"""

import argparse
import time
from collections.abc import Sequence

from bench.figures import Figure, percentile, show
from bench.site import Site, lines_of, site

NOISY = "noisy"
#: Longest wait for the quiet ones.
PATIENCE_SECONDS = 300.0
LOOK_SECONDS = 0.02


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    own = {"quiet_seconds": 0.3, "max_pending": options.noisy + 1}
    with site(lambda: options.delay, **own) as place:
        place.hire(options.workers)
        quiet = [f"quiet{at}" for at in range(options.quiet)]
        alone = _waits(place, quiet, options.each, 0)
        place.publish(lines_of(NOISY, options.noisy))
        beside = _waits(place, quiet, options.each, options.each)
        left = place.waiting([NOISY])[0]
    middle = percentile(beside, 0.5) / percentile(alone, 0.5)
    figures = [
        Figure("a quiet user's wait, alone, p50", percentile(alone, 0.5), "s"),
        Figure("a quiet user's wait, alone, longest", max(alone), "s"),
        Figure("the same beside a noisy one, p50", percentile(beside, 0.5), "s"),
        Figure("the same beside a noisy one, longest", max(beside), "s"),
        Figure("beside / alone, p50", middle),
        Figure("beside / alone, longest", max(beside) / max(alone)),
        Figure("turns of the noisy one that wait then", left),
    ]
    title = (
        f"fairness, {options.quiet} users of {options.each} turns beside one of {options.noisy:,}"
    )
    show(title, figures, as_json=options.json)
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench fairness", description=__doc__)
    parser.add_argument("--noisy", type=int, default=10_000, help="turns of one user (10000)")
    parser.add_argument("--quiet", type=int, default=50, help="other users (50)")
    parser.add_argument("--each", type=int, default=5, help="turns of each of them (5)")
    parser.add_argument("--delay", type=float, default=0.05, help="seconds of a model call (0.05)")
    parser.add_argument("--workers", type=int, default=2, help="processes (2)")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    return parser.parse_args(arguments)


def _waits(place: Site, users: Sequence[str], each: int, start: int) -> list[float]:
    """Seconds from publishing until a user's turns have left the inbox. Raises `TimeoutError`."""
    began = time.monotonic()
    place.publish([line for user in users for line in lines_of(user, each, start)])
    waits: dict[str, float] = {}
    while len(waits) < len(users):
        now = time.monotonic() - began
        for user, left in zip(users, place.waiting(users), strict=True):
            if not left:
                waits.setdefault(user, now)
        if now > PATIENCE_SECONDS:
            raise TimeoutError(f"{len(users) - len(waits)} quiet users still wait")
        time.sleep(LOOK_SECONDS)
    return list(waits.values())
