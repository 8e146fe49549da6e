"""Turns on lines, read from a file or from stdin without ever holding the whole of it."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from worker.interfaces.cli.ending import Failed

#: Bytes of one line, at most; 100,000 characters of text fit several times.
MAX_LINE = 4_000_000
#: Lines of one portion.
PORTION = 200


@dataclass(frozen=True)
class Read:
    """One line: what stands on it, or what is wrong with it."""

    number: int
    turn: Mapping[str, object] | None = None
    problem: str = ""


@contextmanager
def source(name: str) -> Iterator[BinaryIO]:
    """The file of this name; `-` is stdin. Raises `Failed` where there is none."""
    if name == "-":
        if sys.stdin is None:
            raise Failed("stdin is closed: pipe turns into it, or name a file of them")
        yield sys.stdin.buffer
        return
    with ExitStack() as open_files:
        try:
            stream = open_files.enter_context(Path(name).open("rb"))
        except OSError as error:
            raise Failed(
                f"{name} cannot be read ({error.strerror}): name a file of turns, or - for stdin"
            ) from error
        yield stream


def portions(stream: BinaryIO, defaults: Mapping[str, str]) -> Iterator[list[Read]]:
    """Lines in order, blank ones left out; `defaults` fill the fields that a line lacks."""
    lines = _lines(stream, defaults)
    while portion := list(islice(lines, PORTION)):
        yield portion


def _lines(stream: BinaryIO, defaults: Mapping[str, str]) -> Iterator[Read]:
    number = 0
    while raw := stream.readline(MAX_LINE):
        number += 1
        if len(raw) == MAX_LINE and not raw.endswith(b"\n"):
            _skip_rest(stream)
            yield Read(
                number, problem=f"the line is longer than {MAX_LINE:,} bytes: is it one turn?"
            )
        elif raw.strip():
            yield _read(number, raw, defaults)


def _skip_rest(stream: BinaryIO) -> None:
    while (more := stream.readline(MAX_LINE)) and not more.endswith(b"\n"):
        pass


def _read(number: int, raw: bytes, defaults: Mapping[str, str]) -> Read:
    try:
        found = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return Read(number, problem=f"is not UTF-8 from byte {error.start} on: convert the file")
    except json.JSONDecodeError as error:
        where = f"{error.msg} at column {error.colno}"
        return Read(number, problem=f"is not JSON ({where}): write one object on each line")
    except (ValueError, RecursionError):
        return Read(number, problem="is not JSON that can be read: write one object on each line")
    if not isinstance(found, dict):
        return Read(
            number, problem="is not an object: write one with `app`, `user`, `role`, `text`"
        )
    return Read(number, turn={**defaults, **found})
