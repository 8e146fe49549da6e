"""Turns on lines for commands: which stream a name means, and its lines in portions."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import BufferedIOBase
from itertools import islice
from pathlib import Path
from typing import cast

from worker.adapters.sources.reading import TURN, Cut, cuts, turn_on
from worker.errors import Unprocessable
from worker.interfaces.cli.ending import Failed

#: Lines of one portion.
PORTION = 200
STDIN = "-"


@dataclass(frozen=True)
class Read:
    """One line: what stands on it, or what is wrong with it."""

    number: int
    turn: Mapping[str, object] | None = None
    problem: str = ""


@contextmanager
def source(name: str) -> Iterator[BufferedIOBase]:
    """The file of this name; `-` is stdin. Raises `Failed` where there is none."""
    if name == STDIN:
        if sys.stdin is None:
            raise Failed("stdin is closed: pipe turns into it, or name a file of them")
        yield cast("BufferedIOBase", sys.stdin.buffer)
        return
    with ExitStack() as open_files:
        try:
            stream = open_files.enter_context(Path(name).open("rb"))
        except OSError as error:
            raise Failed(
                f"{name} cannot be read ({error.strerror}): name a file that is there, or - for stdin"
            ) from error
        yield stream


def portions(
    stream: BufferedIOBase,
    defaults: Mapping[str, str],
    *,
    size: int = PORTION,
    fields: str = TURN,
) -> Iterator[list[Read]]:
    """Lines in order, blank ones left out; `defaults` fill the fields that a line lacks."""
    lines = (_read(cut, defaults, fields) for cut in cuts(stream) if cut.raw.strip())
    while portion := list(islice(lines, size)):
        yield portion


def _read(cut: Cut, defaults: Mapping[str, str], fields: str) -> Read:
    try:
        return Read(cut.number, {**defaults, **turn_on(cut.raw, fields)})
    except Unprocessable as error:
        return Read(cut.number, problem=str(error))
