"""How good the store is: `python -m bench quality`.

Streams of which the truth is known go through the real pipeline (embedded Redis, SQLite) under the settings of the
environment; then the store is compared with the truth. Beside it, on the same facts: keeping all (`add only`), what has
the same subject and attribute gives way (`same slot`), and the nearest gives way from a cosine on (`cosine`, with the
threshold that does best on this very set, which flatters it). What extraction did not find counts against nobody:
`right` is of what was heard. Without a judge nothing is asked beyond extraction, so those rows show no costs.

Sets: `made` (our own, by `--seed`), `fc-6k` and `fc-32k` (FactConsolidation), `amb` (AutoMemoryBench). `--verbatim`
takes each turn of a person for one fact of which the speaker is the subject, so that only judging is measured: for
models, as the rules trust a subject. With `--tools` a stand-in for a model answers by overlap of words: it shows the
machinery, and nothing about any model.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from typing import get_args

from rich.console import Console
from rich.table import Table

from bench.model.trial import Trial, opened
from bench.quality import sets as quality_sets
from bench.quality.match import Heard, Row, baselines, played
from bench.quality.slowwave import Slowwave
from bench.quality.stream import Stream
from schemas.base import Vector
from worker import log, settings
from worker.core.groups.setting import DetectorName, Resolver
from worker.errors import SlowwaveError
from worker.settings import Settings

MODEL = "locomo_model.py"
WIDTH = 150
#: What a line of a table is called → names of its figures, parted by a slash.
LINES = {
    "live": ("live",),
    "slots right, of those heard": ("slots_right", "slots_heard"),
    "things right, of those heard": ("things_right", "things_heard"),
    "said twice": ("duplicates",),
    "stale": ("stale",),
    "lost": ("lost",),
    "of those wrongly retired": ("wrongly_retired",),
    "of those called the same": ("called_same",),
    "history missing": ("history_missing",),
    "history in disorder": ("history_unordered",),
    "forbidden and stored": ("forbidden_stored", "forbidden"),
    "forgotten and there": ("leaks", "forgotten"),
    "details lost": ("details_lost", "details"),
    "turns parked": ("parked",),
}
COSTS = ("calls", "tokens", "seconds")


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    log.configure("error")
    try:
        sets = quality_sets.chosen(quality_sets.options_of(options))
        with _settings(options) as given:
            rows = list(_rows(options, given, sets))
    except (quality_sets.Missing, SlowwaveError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps([row.figures() for row in rows], ensure_ascii=False))
    else:
        _show(rows)
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench quality", description=__doc__)
    quality_sets.add_to(parser)
    for name, choices in (("detector", get_args(DetectorName)), ("resolver", get_args(Resolver))):
        parser.add_argument(
            f"--{name}",
            action="append",
            choices=choices,
            help="repeatable (default: the setting's)",
        )
    parser.add_argument("--verbatim", action="store_true", help="each turn of a person is a fact")
    parser.add_argument("--tools", type=Path, metavar="FOLDER", help=f"of {MODEL}, to be asked")
    parser.add_argument("--locomo", type=Path, metavar="FILE", help=f"locomo10.json, for {MODEL}")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    options = parser.parse_args(arguments)
    if options.tools and not (options.locomo and (options.tools / MODEL).is_file()):
        parser.error(f"--tools has to be a folder with {MODEL}, and --locomo its data")
    return options


@contextmanager
def _settings(options: argparse.Namespace) -> Iterator[Settings]:
    """Those of the environment; with the stand-in's address, which runs while this is entered."""
    given = settings.load()
    with ExitStack() as stack:
        if options.tools:
            command = [
                sys.executable,
                str(options.tools / MODEL),
                "--data",
                str(options.locomo),
                "--port",
                "0",
            ]
            server = stack.enter_context(
                subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - what the caller named
            )
            stack.callback(server.terminate)
            said = server.stdout.readline() if server.stdout else ""
            url = next(word for word in said.split() if word.startswith("http"))
            given = given.model_copy(update={"model": "locomo", "model_url": url})
        yield given


def _rows(
    options: argparse.Namespace, given: Settings, sets: dict[str, list[Stream]]
) -> Iterator[Row]:
    detectors = options.detector or [given.detector]
    resolvers = options.resolver or [given.resolver]
    with opened(given) as trial:
        for of, streams in sets.items():
            first: Heard | None = None
            vectors = dict[str, Vector]()
            for detector, resolver in product(detectors, resolvers):
                who = Slowwave(trial, detector, resolver, options.verbatim, vectors)
                row, heard = played(of, who, streams, {})
                print(f"{of}: {who.name}", file=sys.stderr, flush=True)
                first = first or heard
                yield row
            yield from baselines(of, streams, first or {}, _all(trial, first or {}, vectors))


def _all(trial: Trial, heard: Heard, vectors: Mapping[str, Vector]) -> Mapping[str, Vector]:
    """Facts that were equal to others of their batch were never embedded."""
    texts = {fact.text for facts in heard.values() for fact in facts} - vectors.keys()
    more = trial.parts.embedder.embed(sorted(texts)) if texts else []
    return {**vectors, **dict(zip(sorted(texts), more, strict=True))}


def _show(rows: Sequence[Row]) -> None:
    """A table for each set, a column for each contestant."""
    for of in dict.fromkeys(row.of for row in rows):
        mine = [row for row in rows if row.of == of]
        marks = mine[0].marks
        title = (
            f"{of}: {marks.turns} turns, {marks.facts} facts; heard are {marks.slots_heard} of {marks.slots} slots"
            f" and {marks.things_heard} of {marks.things} things"
        )
        table = Table(title=title, title_justify="left")
        table.add_column("", no_wrap=True)
        for row in mine:
            table.add_column(row.contestant, justify="right")
        for line in _lines(mine):
            table.add_row(*line)
        Console(width=WIDTH).print(table)


def _lines(rows: Sequence[Row]) -> Iterator[list[str]]:
    figures = [row.figures() for row in rows]
    for name, parts in LINES.items():
        yield [name, *("/".join(str(one[part]) for part in parts) for one in figures)]
    for cost in COSTS:
        told = (f"{one[f'{cost}_per_1000_turns']:,}" for one in figures)
        yield [
            f"{cost} for 1,000 turns",
            *(it if row.seconds else "–" for it, row in zip(told, rows, strict=True)),
        ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
