"""Run all benches in a bounded time, and write what they measured: `python -m bench all`.

Each bench is a process of its own with a limit of time; each comes once before any comes again. Sizes are chosen so
that all fit into --minutes. What lacks its data, a server or a peer is said on the page, as is what failed or was
ended. Results are kept beside the page, one run on a line: with --resume what is done is not run again. Exits 1 if
something did not run (not: if something is not reached), 130 where it was interrupted; the page tells of what there is.
"""

import argparse
import shlex
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.all import machine
from bench.all.choice import chosen, rounds, words
from bench.all.needs import REMEDIES, Places
from bench.all.notes import notes
from bench.all.page import Whole, page
from bench.all.plan import ENTRIES, Entry, Size
from bench.all.results import Other, Outcome, Results, done
from bench.all.running import judged, run
from bench.worker_process import ROOT

PAGE = ROOT / "docs" / "benchmarks.md"
#: A bench is ended after so many times what it usually takes, and a while.
PATIENCE, WHILE_SECONDS = 4.0, 60.0
#: Of what it usually takes: with less time left it is not begun.
LEAST = 0.5
INTERRUPTED = 130


def main(arguments: Sequence[str], benches: Collection[str]) -> int:
    """`benches` are the names of those there are."""
    options = _options(arguments)
    entries = [one for one in ENTRIES if not options.only or one.name in options.only]
    places = Places(_absolute(options.data), _absolute(options.tools))
    has = places.has()
    about = machine.about(has)
    results = Results(options.out.with_suffix(".jsonl"))
    before: list[Outcome] = []
    try:
        if options.resume:
            about, before = results.resume(about)
        else:
            results.begin(about)
    except Other as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    work = Work(
        places,
        has,
        benches,
        chosen(entries, options.minutes, options.runs),
        time.monotonic() + 60 * options.minutes,
    )
    # Told to stop, it ends what it started, and tells of what there is.
    handler = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        outcomes, interrupted = _all(work, rounds(entries, options.runs), before, results)
    finally:
        signal.signal(signal.SIGTERM, handler)
    command = shlex.join(["python", "-m", "bench", "all", *_shown(options)])
    _write(
        options.out,
        Whole(entries, outcomes, about, machine.now(), machine.load(), command, notes()),
    )
    print(f"wrote {options.out}", file=sys.stderr)
    return INTERRUPTED if interrupted else int(not _is_whole(entries, outcomes))


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench all",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=_positive, default=30, help="for all of it (30)")
    parser.add_argument(
        "--runs", type=int, choices=range(1, 100), default=3, metavar="N", help="of what varies (3)"
    )
    parser.add_argument("--out", type=Path, default=PAGE, help="the page (docs/benchmarks.md)")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=[one.name for one in ENTRIES],
        metavar="NAME",
        help="of the plan (all)",
    )
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER", help="of locomo10.json, gatemem, factconsolidation"
    )
    parser.add_argument(
        "--tools", type=Path, metavar="FOLDER", help="of locomo_model.py, a stand-in for a model"
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on from what was kept beside the page"
    )
    return parser.parse_args(arguments)


def _positive(text: str) -> float:
    number = float(text)
    if not number > 0:
        raise argparse.ArgumentTypeError(f"{text} is not more than 0")
    return number


def _absolute(path: Path | None) -> Path | None:
    return path.absolute() if path else None


def _shown(options: argparse.Namespace) -> list[str]:
    """As anybody could type it: folders are named by what they are."""
    given = ["--minutes", f"{options.minutes:g}", "--runs", str(options.runs)]
    folders = {"--data": options.data and "DATA", "--tools": options.tools and "TOOLS"}
    given += [word for name, value in folders.items() if value for word in (name, value)]
    return [*given, "--only", *options.only] if options.only else given


@dataclass(frozen=True)
class Work:
    """What each run needs to know."""

    places: Places
    has: dict[str, str]
    benches: Collection[str]
    sizes: dict[str, Size]
    #: By the monotonic clock.
    until: float

    def words(self, entry: Entry) -> str:
        return words(entry, self.sizes[entry.name], self.has)

    def outcome(self, entry: Entry, at: int) -> Outcome:
        """Runs it, if it can be run."""
        size, given = self.sizes[entry.name], self.words(entry)
        usual = entry.scale(size).seconds
        limit = min(PATIENCE * usual + WHILE_SECONDS, self.until - time.monotonic())
        if entry.bench not in self.benches:
            return Outcome(
                entry.name, at, size, given, "missing", f"there is no bench {entry.bench}"
            )
        if lacks := [REMEDIES[need] for need in entry.needs if need not in self.has]:
            return Outcome(entry.name, at, size, given, "missing", f"it needs {'; '.join(lacks)}")
        if limit < LEAST * usual:
            return Outcome(
                entry.name, at, size, given, "unstarted", "there was no time left: see --minutes"
            )
        began = time.monotonic()
        with tempfile.TemporaryDirectory(
            prefix="slowwave-bench-", ignore_cleanup_errors=True
        ) as name:
            said = run(entry.bench, self.places.filled(given, self.has), limit, Path(name))
        verdict = judged(entry, said, limit)
        lacked = tuple(
            f"left out for want of {REMEDIES[one]}" for one in entry.gains if one not in self.has
        )
        return Outcome(
            entry.name,
            at,
            size,
            given,
            verdict.state,
            verdict.why,
            round(time.monotonic() - began, 1),
            verdict.readings,
            (*lacked, *verdict.remarks),
            verdict.status,
        )


def _all(
    work: Work, jobs: Sequence[tuple[Entry, int]], before: Sequence[Outcome], results: Results
) -> tuple[list[Outcome], bool]:
    """What came of each, and whether somebody interrupted it."""
    outcomes: list[Outcome] = []
    for number, (entry, at) in enumerate(jobs, start=1):
        kept = done(before, entry.name, at, work.words(entry))
        say = _saying(f"[{number}/{len(jobs)}] {entry.name}, run {at}")
        try:
            say(
                "is done already"
                if kept
                else f"about {entry.scale(work.sizes[entry.name]).seconds:,.0f} s …"
            )
            outcome = kept or work.outcome(entry, at)
        except KeyboardInterrupt:
            say("interrupted")
            rest = (done(before, one.name, nth, work.words(one)) for one, nth in jobs[number - 1 :])
            return [*outcomes, *filter(None, rest)], True
        if not kept:
            results.add(outcome)
            say(outcome.why or f"took {outcome.seconds:,.0f} s")
        outcomes.append(outcome)
    return outcomes, False


def _saying(of: str) -> Callable[[str], None]:
    def say(what: str) -> None:
        print(f"{of}: {what}", file=sys.stderr, flush=True)

    return say


def _write(path: Path, whole: Whole) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(whole))


def _is_whole(entries: Sequence[Entry], outcomes: Sequence[Outcome]) -> bool:
    """Whether each ran at least once, and none failed; a further run that there was no time for is no loss."""
    ran = {one.entry for one in outcomes if one.state == "ran"}
    return ran >= {one.name for one in entries} and all(
        one.state in {"ran", "unstarted"} for one in outcomes
    )
