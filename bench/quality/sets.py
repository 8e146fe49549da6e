"""Which streams a run is about: names, where their data is, and what to say where it is not there."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.quality import amb as quality_amb
from bench.quality import factcons as quality_factcons
from bench.quality import making as quality_making
from bench.quality.stream import Stream

#: People of our own streams, unless told otherwise.
PEOPLE = 8


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


Read = Callable[[Options], dict[str, list[Stream]]]


def _made(options: Options) -> dict[str, list[Stream]]:
    people = options.limit or PEOPLE
    return {f"made, seed {one}": quality_making.streams(one, people) for one in options.seeds}


def _factconsolidation(size: str) -> Read:
    def read(options: Options) -> dict[str, list[Stream]]:
        folder = options.factconsolidation
        if folder is None or not (folder / quality_factcons.FILE).is_file():
            raise Missing(
                f"--factconsolidation has to name a folder with {quality_factcons.FILE}: rows of FactConsolidation"
                f" from HUST-AI-HYZ/MemoryAgentBench (MIT); {folder or 'nothing'} was given"
            )
        return {f"fc-{size}": quality_factcons.streams(folder, size, options.limit)}

    return read


def _automemorybench(options: Options) -> dict[str, list[Stream]]:
    folder = options.automemorybench
    if folder is None or not any(folder.glob("*.json")):
        raise Missing(
            "--automemorybench has to name a folder with a file of cases for each domain: the sample of"
            f" wuyuVerse/AutoMemoryBench (Apache-2.0); {folder or 'nothing'} was given"
        )
    return {"amb": quality_amb.streams(folder, options.limit)}


SETS: dict[str, Read] = {
    "made": _made,
    "fc-6k": _factconsolidation("6k"),
    "fc-32k": _factconsolidation("32k"),
    "amb": _automemorybench,
}


def chosen(options: Options) -> dict[str, list[Stream]]:
    """Name of each row's set → its streams. Raises `Missing`."""
    return {name: found for one in options.sets for name, found in SETS[one](options).items()}


def _many(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"has to be a whole number from 1, {text!r} is none")
    return int(text)


def add_to(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sets", nargs="+", choices=list(SETS), default=["made"], help="(default: made)"
    )
    parser.add_argument(
        "--seed", action="append", type=int, help="of what we make, repeatable (default: 1)"
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


def options_of(given: argparse.Namespace) -> Options:
    return Options(
        sets=tuple(given.sets),
        seeds=tuple(given.seed or [1]),
        limit=given.limit,
        factconsolidation=given.factconsolidation,
        automemorybench=given.automemorybench,
    )
