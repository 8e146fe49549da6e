"""How much of a slow model's time is used, by one process and by several: `python -m bench scaling`.

Every scope has turns enough; each batch is one call that takes `--delay` seconds. Ideal are as many calls at once as
the processes have places, one after the other without a gap.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bench.figures import Figure, at_least, at_most, show
from bench.site import Site, lines_of, site

#: Places of the one process, and of each of several.
PLACES, SHARE = 32, 8
#: Seconds before anything is counted.
WARM_UP_SECONDS = 3.0


@dataclass(frozen=True)
class Pace:
    """What some processes came to."""

    calls_per_second: float
    share_of_ideal: float
    #: Of the largest of them.
    peak_mib: float
    #: Processor time of theirs for each call.
    cpu_ms: float


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    one = _pace(options, processes=1, places=PLACES)
    several = {count: _pace(options, processes=count, places=SHARE) for count in (1, 2, 4)}
    base = several[1].calls_per_second
    figures = [
        at_least("one process of 32, share of the ideal", one.share_of_ideal, 0.85),
        at_most("one process of 32, peak memory", one.peak_mib, 150, "MiB"),
        Figure("one process of 32, its CPU per batch", one.cpu_ms, "ms"),
        *(
            Figure(f"{count} of 8, share of the ideal", pace.share_of_ideal)
            for count, pace in several.items()
        ),
        at_least("2 processes / 1", several[2].calls_per_second / base, 1.9),
        at_least("4 processes / 1", several[4].calls_per_second / base, 3.6),
    ]
    title = f"scaling, {options.scopes} scopes on a model of {options.delay} s"
    show(title, figures, as_json=options.json)
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench scaling", description=__doc__)
    parser.add_argument("--scopes", type=int, default=32, help="(32)")
    parser.add_argument("--delay", type=float, default=0.3, help="seconds of a model call (0.3)")
    parser.add_argument("--seconds", type=float, default=10, help="of each measurement (10)")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    return parser.parse_args(arguments)


def _pace(options: argparse.Namespace, processes: int, places: int) -> Pace:
    """Calls that the model has answered in the time that is measured."""
    ideal = processes * places / options.delay
    batches = 1 + int(ideal * (options.seconds + WARM_UP_SECONDS) * 1.2 / options.scopes)
    own = {"concurrency": places, "model_concurrency": 32, "max_pending": 1_000_000}
    with site(lambda: options.delay, **own) as place:
        for at in range(options.scopes):
            place.publish(lines_of(f"user{at}", batches * 10))
        place.hire(processes)
        time.sleep(WARM_UP_SECONDS)
        before, used, began = place.model.calls, _cpu_seconds(place), time.monotonic()
        time.sleep(options.seconds)
        calls = place.model.calls - before
        pace = calls / (time.monotonic() - began)
        cpu_ms = 1000 * (_cpu_seconds(place) - used) / max(1, calls)
        peak = max(worker.peak_mib for worker in place.workers)
    return Pace(pace, pace / ideal, peak, cpu_ms)


def _cpu_seconds(place: Site) -> float:
    return sum(worker.cpu_seconds for worker in place.workers)
