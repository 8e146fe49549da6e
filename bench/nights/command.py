"""Whether nights come to rest, and whether arrival matters: `python -m bench nights`.

`nights`: a stream of which the truth is known is taken in once, then slept over 1, 2, 4, 8 and 16 times, a day apart.
From the second night on nothing may change without a model: then the exit is 1. With one all is counted: what nights
change and ask, what lives, is stale or was lost, and which details no heir has. `--anew` lets each night look at
everything as if none had been. A night has no budget here; what goes beyond its share waits for a person, as always.

`arrival`: the same statements in the order in which they were said and in others, in batches of 1, 10 and 50, twice
(under the same ids, and under none), and with each batch broken off in the middle of its writes. They come as turns
whose facts are given (`turns`), since what a model hears depends on its batch, and as direct writes (`writes`). What
stands has to be equal, and which values a slot had in which order: under the `rules`, and under an `oracle` that knows
the slots; else the exit is 1. With a model it is told. In brackets: values that came back, and of which the history
lacks the first time, as both sayings were known before what came between them.

The sets are those of `python -m bench quality`, the model is that of the settings. With `--tools` a stand-in judges by
overlap of words: it shows the machinery, and nothing about any model.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import get_args

from bench.model.trial import Trial, opened
from bench.nights.arrival import ways
from bench.nights.arriving import CHANNELS, Arriving
from bench.nights.night import LOOKS, Row, restless
from bench.nights.oracle import Oracle
from bench.nights.sleeping import Sleeping
from bench.nights.table import Arrival, show_arrivals, show_nights
from bench.nights.world import world
from bench.quality import sets as quality_sets
from bench.quality.hearing import Cached
from bench.quality.match import Set
from bench.stand_in import PROGRAM, standing
from worker import log, settings
from worker.core.groups.setting import DetectorName
from worker.core.judging.detectors import Judging
from worker.errors import SlowwaveError
from worker.settings import Settings

NIGHTS, ARRIVAL = "nights", "arrival"
#: Asks no model.
RULES, ORACLE = "rules", "oracle"


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    log.configure("error")
    try:
        sets = quality_sets.chosen(quality_sets.options_of(options))
        with _settings(options) as given, opened(given) as trial:
            slept = list(_nights(options, trial, sets)) if NIGHTS in options.part else []
            came = list(_arrivals(options, trial)) if ARRIVAL in options.part else []
    except (quality_sets.Missing, SlowwaveError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    _tell(options, slept, came)
    return 1 if _is_broken(slept, came) else 0


def _is_broken(slept: Sequence[Row], came: Sequence[Arrival]) -> bool:
    """Of models nothing is promised."""
    awake = [row for row in restless(slept) if row.model == RULES]
    return bool(awake) or any(not one.is_equal for one in came if one.judge in {RULES, ORACLE})


def _tell(options: argparse.Namespace, slept: Sequence[Row], came: Sequence[Arrival]) -> None:
    if options.json:
        document = {
            NIGHTS: [row.figures() for row in slept],
            ARRIVAL: [one.figures() for one in came],
        }
        print(json.dumps(document, ensure_ascii=False))
        return
    show_nights(slept)
    if came:
        show_arrivals(came)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench nights",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    quality_sets.add_to(parser)
    parser.add_argument(
        "--part", action="append", choices=(NIGHTS, ARRIVAL), help="repeatable (default: both)"
    )
    parser.add_argument(
        "--detector", choices=get_args(DetectorName), help="(default: the setting's)"
    )
    parser.add_argument("--verbatim", action="store_true", help="each turn of a person is a fact")
    parser.add_argument("--anew", action="store_true", help="each night looks at everything")
    parser.add_argument("--nights", type=_night, default=LOOKS[-1], help="the last one (16)")
    parser.add_argument("--shuffles", type=_night, default=2, help="other orders of arrival (2)")
    parser.add_argument("--tools", type=Path, metavar="FOLDER", help=f"of {PROGRAM}, to be asked")
    parser.add_argument("--locomo", type=Path, metavar="FILE", help=f"locomo10.json, for {PROGRAM}")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    options = parser.parse_args(arguments)
    if options.tools and not (options.locomo and (options.tools / PROGRAM).is_file()):
        parser.error(f"--tools has to be a folder with {PROGRAM}, and --locomo its data")
    options.part = options.part or [NIGHTS, ARRIVAL]
    return options


def _night(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"has to be a whole number from 1, {text!r} is none")
    return int(text)


@contextmanager
def _settings(options: argparse.Namespace) -> Iterator[Settings]:
    """Those of the environment; with the stand-in's address, which runs while this is entered."""
    given = settings.load()
    if options.detector:
        given = given.model_copy(update={"detector": options.detector})
    with ExitStack() as stack:
        if options.tools:
            url = stack.enter_context(standing(options.tools, options.locomo)).url
            given = given.model_copy(update={"model": "locomo", "model_url": url})
        yield given


def _nights(options: argparse.Namespace, trial: Trial, sets: Sequence[Set]) -> Iterator[Row]:
    looks = [one for one in LOOKS if one < options.nights] + [options.nights]
    embedder = Cached(trial.parts.embedder)
    sleeping = Sleeping(trial, embedder, looks, options.verbatim, options.anew)
    for of in sets:
        yield from sleeping.rows(of)
        print(f"slept: {of.name}, seed {of.seed}", file=sys.stderr, flush=True)


def _arrivals(options: argparse.Namespace, trial: Trial) -> Iterator[Arrival]:
    given, embedder = trial.parts.settings, Cached(trial.parts.embedder)
    for seed in quality_sets.options_of(options).seeds:
        told = world(seed)
        oracle = Judging(Oracle({one.text: one for one in told}), resolver=given.resolver)
        for judge, judging in ((given.model, None), (ORACLE, oracle)):
            arriving = Arriving(trial, judge, told, embedder, judging)
            for channel in CHANNELS:
                for way in ways(options.shuffles):
                    yield Arrival(seed, judge, channel, arriving.came(channel, way, str(seed)))
                done = f"arrived: seed {seed}, {judge}, {channel}"
                print(done, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
