"""Which streams a run is about: names, where their data is, and what to say where it is not there."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bench.quality import amb as quality_amb
from bench.quality import factcons as quality_factcons
from bench.quality import making as quality_making
from bench.quality.match import Set

#: People of our own streams, and by which they are made, unless told otherwise.
PEOPLE, SEEDS = 8, (1, 2, 3)


class Missing(Exception):
    """Data that is not there; says where to get it."""


@dataclass(frozen=True)
class Options:
    """What is read of the command line."""

    sets: tuple[str, ...]
    seeds: tuple[int, ...]
    limit: int | None
    factconsolidation: Path | None
    automemorybench: Path | None
    with_questions: bool


Read = Callable[[Options], list[Set]]


def _made(options: Options) -> list[Set]:
    people = options.limit or PEOPLE
    return [Set("made", quality_making.streams(one, people), one) for one in options.seeds]


def _factconsolidation(size: str) -> Read:
    def read(options: Options) -> list[Set]:
        folder = options.factconsolidation
        if folder is None or not (folder / quality_factcons.FILE).is_file():
            raise Missing(
                f"--factconsolidation has to name a folder with {quality_factcons.FILE}: rows of FactConsolidation"
                f" from HUST-AI-HYZ/MemoryAgentBench (MIT); {folder or 'nothing'} was given"
            )
        return [Set(f"fc-{size}", quality_factcons.streams(folder, size, options.limit))]

    return read


def _automemorybench(options: Options) -> list[Set]:
    folder = options.automemorybench
    if folder is None or not any(folder.glob("*.json")):
        raise Missing(
            "--automemorybench has to name a folder with a file of cases for each domain: the sample of"
            f" wuyuVerse/AutoMemoryBench (Apache-2.0); {folder or 'nothing'} was given"
        )
    return [Set("amb", quality_amb.streams(folder, options.limit))]


SETS: dict[str, Read] = {
    "made": _made,
    "fc-6k": _factconsolidation("6k"),
    "fc-32k": _factconsolidation("32k"),
    "amb": _automemorybench,
}


def chosen(options: Options) -> list[Set]:
    """In the order of their names; without their questions where nobody asks. Raises `Missing`."""
    found = [it for one in dict.fromkeys(options.sets) for it in SETS[one](options)]
    return found if options.with_questions else [_unasked(one) for one in found]


def _unasked(one: Set) -> Set:
    return replace(one, streams=[replace(stream, questions=()) for stream in one.streams])


def _many(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"has to be a whole number from 1, {text!r} is none")
    return int(text)


def add_to(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sets", nargs="+", choices=list(SETS), default=["made"], help="(default: made)"
    )
    parser.add_argument(
        "--seed",
        action="append",
        type=int,
        help="of what we make, repeatable: of several the mean is shown (default: 1, 2 and 3)",
    )
    parser.add_argument(
        "--limit", type=_many, help="of each set, at most so many people, sentences or cases"
    )
    parser.add_argument(
        "--factconsolidation", type=Path, metavar="FOLDER", help="of conflict_resolution.json"
    )
    parser.add_argument(
        "--automemorybench", type=Path, metavar="FOLDER", help="of the sample's files"
    )
    parser.add_argument(
        "--questions", action="store_true", help="also ask what the data sets ask of their streams"
    )


def options_of(given: argparse.Namespace) -> Options:
    return Options(
        sets=tuple(given.sets),
        seeds=tuple(dict.fromkeys(given.seed or SEEDS)),
        limit=given.limit,
        factconsolidation=given.factconsolidation,
        automemorybench=given.automemorybench,
        with_questions=given.questions,
    )
