"""Turns on lines, cut and read without ever holding the whole of a file."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BufferedIOBase

from worker.errors import Unprocessable

#: Bytes of one line, at most; 100,000 characters of text fit several times.
MAX_LINE = 4_000_000
#: Bytes that are read at once.
CHUNK = 65_536


@dataclass(frozen=True)
class Cut:
    """One line as it stands."""

    #: From 1.
    number: int
    #: Without its line feed; of one that is too long the beginning.
    raw: bytes
    #: Byte of the file behind it and its line feed.
    end: int


class Cutter:
    """Lines out of chunks."""

    def __init__(self, longest: int | None = None) -> None:
        self._longest = longest or MAX_LINE
        self._number = 0
        self._end = 0
        self._begun = bytearray()

    def feed(self, chunk: bytes) -> Iterator[Cut]:
        """The lines that this chunk ends."""
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            self._add(piece)
            self._end += 1
            yield self._cut()
        self._add(rest)

    def rest(self) -> Iterator[Cut]:
        """What stands behind the last line feed, if anything."""
        if self._begun:
            yield self._cut()

    def _add(self, piece: bytes) -> None:
        self._begun += piece[: self._longest + 1 - len(self._begun)]
        self._end += len(piece)

    def _cut(self) -> Cut:
        self._number += 1
        raw = bytes(self._begun)
        self._begun.clear()
        return Cut(self._number, raw, self._end)


def cuts(stream: BufferedIOBase, longest: int | None = None) -> Iterator[Cut]:
    """All lines from here on, the blank ones too; of one with more than `longest` bytes (`MAX_LINE`) the beginning."""
    cutter = Cutter(longest)
    while chunk := stream.read1(CHUNK):
        yield from cutter.feed(chunk)
    yield from cutter.rest()


#: The main fields of a turn, in words.
TURN = "`app`, `user`, `role`, `text`"


def turn_on(raw: bytes, fields: str = TURN) -> Mapping[str, object]:
    """The object on a line, not checked further. Raises `Unprocessable` with what is wrong with the line."""
    if len(raw) > MAX_LINE:
        raise Unprocessable(f"is longer than {MAX_LINE:,} bytes: is it one object?")
    try:
        found = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Unprocessable(f"is not UTF-8 from byte {error.start} on: convert it") from error
    except json.JSONDecodeError as error:
        where = f"{error.msg} at column {error.colno}"
        raise Unprocessable(f"is not JSON ({where}): write one object on each line") from error
    except (ValueError, RecursionError) as error:
        raise Unprocessable(
            "is not JSON that can be read: write one object on each line"
        ) from error
    if not isinstance(found, dict):
        raise Unprocessable(f"is not an object: write one with {fields}")
    return found
