"""Kill everything, again and again, and look for what was lost or done twice: `python -m bench torture`.

Real workers on a Redis and a store of their own; a model that words its answer differently each time. Workers are
killed at random and at every named point of a batch's way, and frozen for longer than their lease; Redis is killed and
restarted; model and store are out for a while; turns are published again. Then everything is let settle, and what is
stored is held against what was said. Exits 1 if a turn was lost, done twice, or done out of order.

With `--control` the kept plan is switched off, and with it the finishing of open runs: then turns are done twice,
or the check sees nothing (and exits 1).
"""

import argparse
import json
import signal
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

from rich.console import Console

from bench.torture.check import BROKEN
from bench.torture.fate import Orders
from bench.torture.faults import Faults
from bench.torture.ledger import HALF_DONE, POINTS
from bench.torture.report import Took, found_in, report, table
from bench.torture.traffic import Traffic
from bench.torture.world import TICK_SECONDS, World, world
from worker import log

#: Longest wait for everything to settle: a part that failed may rest for minutes.
SETTLE_SECONDS = 420.0
#: Chance to die at each point.
CRASH, CONTROL_CRASH = 0.001, 0.03


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    log.configure("info" if options.verbose else "error")
    with ExitStack() as stack:
        # What was started is ended on the way out, also when this is told to stop.
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        stack.callback(signal.signal, signal.SIGTERM, before)
        folder = options.folder or stack.enter_context(
            tempfile.TemporaryDirectory(prefix="slowwave-torture-")
        )
        found = _torture(options, Path(folder).absolute())
    if options.json:
        print(json.dumps(found))
    else:
        Console().print(table(found))
    if options.control:
        return 0 if found["twice"] else 1
    return 1 if any(found[name] for name in BROKEN) else 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench torture",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seconds", type=float, default=120, help="longest time of faults (120)")
    parser.add_argument("--turns", type=int, default=5_000, help="turns to publish, at most (5000)")
    parser.add_argument("--workers", type=int, default=3, help="processes (3)")
    parser.add_argument(
        "--crash",
        type=float,
        help=f"chance at each point ({CRASH}; with --control {CONTROL_CRASH})",
    )
    parser.add_argument(
        "--at",
        action="append",
        choices=POINTS,
        metavar="POINT",
        help="only at this one; repeatable (all; with --control those where work is half done)",
    )
    parser.add_argument("--seed", type=int, default=1, help="draws faults and turns (1)")
    parser.add_argument("--store", default="sqlite", help="`sqlite`, or the URL of a server to use")
    parser.add_argument("--folder", type=Path, help="keep logs, Redis and store there")
    parser.add_argument("--verbose", action="store_true", help="each fault, as it is made")
    parser.add_argument("--control", action="store_true", help="without the kept plan")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    options = parser.parse_args(arguments)
    if options.folder and options.folder.exists() and any(options.folder.iterdir()):
        parser.error(f"{options.folder} is not empty: name a new folder")
    return options


def _torture(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    rng = Random(options.seed)
    began = time.monotonic()
    app = f"torture {uuid4().hex[:8]}"
    folder.mkdir(parents=True, exist_ok=True)
    crash, points = (CONTROL_CRASH, HALF_DONE) if options.control else (CRASH, POINTS)
    crash = crash if options.crash is None else options.crash
    orders = Orders("", crash, tuple(options.at or points), options.control, options.seed)
    with world(folder, options.store, rng, orders) as made:
        traffic = Traffic(made.redis.url, app, Random(rng.random()), lambda: made.is_full)
        faults = Faults(made, Random(rng.random()), min(12.0, options.seconds / 4))
        for _ in range(options.workers):
            made.hire()
        for one in made.workers:
            one.wait_until_ready()
        _suffer(made, traffic, faults, options)
        settling = _settle(made)
        found = found_in(made, traffic)
        return report(made, traffic, found, Took(time.monotonic() - began, settling))


def _suffer(made: World, traffic: Traffic, faults: Faults, options: argparse.Namespace) -> None:
    """Until everything was said and worked off, or the time is up. Raises what went wrong with traffic or faults."""
    until = time.monotonic() + options.seconds
    with ThreadPoolExecutor(2) as pool:
        talk = pool.submit(traffic.run, options.turns)
        harm = pool.submit(faults.run)
        try:
            while time.monotonic() < until and not harm.done():
                is_said = talk.done()
                made.look()
                if is_said and not made.pending:
                    break
                made.attend()
                time.sleep(TICK_SECONDS)
        finally:
            faults.stop()
            harm.result()
            faults.wait()
            traffic.stop()
        talk.result()


def _settle(made: World) -> float:
    """Seconds that it took until nothing waited any more, or until it was given up."""
    began = time.monotonic()
    made.relieve()
    while time.monotonic() < began + SETTLE_SECONDS and not made.parts.inbox.idle():
        made.attend()
        time.sleep(TICK_SECONDS)
    return time.monotonic() - began
