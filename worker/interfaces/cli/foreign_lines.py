"""What other systems exported, read from a stream: one JSON document, JSON lines, or plain lines of text."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from worker.adapters.sources.reading import Cut
from worker.core.moving.foreign import Foreign, items_of, of_mem0, shape_of, statement
from worker.errors import Unprocessable


@dataclass(frozen=True)
class Item:
    """One entry of the file: the statement, or what is wrong with it."""

    where: str
    found: Foreign | None = None
    problem: str = ""


def items(lines: Iterable[Cut]) -> Iterator[Item]:
    """All entries in order. A document of one piece is held in memory as a whole."""
    cut = [line for line in lines if line.raw.strip()]
    try:
        document = json.loads(b"\n".join(line.raw for line in cut))
    except (ValueError, RecursionError):
        for line in cut:
            yield from _of_line(line)
        return
    for number, item in enumerate(items_of(document), start=1):
        yield _item(f"entry {number}", item)


def _of_line(line: Cut) -> Iterator[Item]:
    where = f"line {line.number}"
    try:
        text = line.raw.decode()
        document: JsonValue = json.loads(text)
    except RecursionError:
        yield Item(where, problem="is nested too deeply: write one statement on each line")
    except UnicodeDecodeError:
        yield Item(where, problem="is not UTF-8: convert the file")
    except ValueError as error:
        if text.lstrip()[:1] in {"{", "["}:
            yield Item(where, problem=f"is no JSON: {error}")
        else:
            yield _item(where, text.strip())
    else:
        for item in items_of(document):
            yield _item(where, item)


def _item(where: str, item: JsonValue) -> Item:
    read = of_mem0 if shape_of(item) == "mem0" else statement
    try:
        return Item(where, read(item))
    except Unprocessable as error:
        return Item(where, problem=str(error))
