"""Numbers out of what a bench prints with `--json`. Pure."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

#: Long lists of single things, and sums of ever smaller parts: a bench's own table has them.
SKIPPED = frozenset("cases items examples faults kinds languages said stored caught spoilt".split())
#: Numbers that say which line it is, and measure nothing.
NAMING = ("seed", "first", "last")
#: Of what `bench.figures` prints.
FIGURE = frozenset(("value", "unit", "reach", "is_reached"))


@dataclass(frozen=True)
class Reading:
    """One number of one run."""

    row: str
    #: Empty where the bench has one number in a row.
    column: str
    value: float
    unit: str = ""
    #: In words, such as `at most 1.7`; empty where nothing is asked.
    reach: str = ""
    is_reached: bool | None = None


class Unreadable(Exception):
    """Nothing in it is a document with numbers."""


def read(said: str, zero: frozenset[str] = frozenset()) -> list[Reading]:
    """`said` is standard output; `zero` names those that have to be 0. Raises `Unreadable`."""
    found = list(_walk(document(said), ()))
    if not found:
        raise Unreadable("it printed a document without a number")
    return [_bounded(one) if (one.column or one.row) in zero else one for one in _apart(found)]


def document(said: str) -> Any:
    """All of it, or its last line, as JSON. Raises `Unreadable`."""
    for text in (said, *said.strip().splitlines()[-1:]):
        try:
            return json.loads(text)
        except ValueError:
            continue
    raise Unreadable("it printed no JSON document")


def _apart(found: Sequence[Reading]) -> Iterator[Reading]:
    """Those that are called the same are numbered: they are no further runs of one."""
    seen = Counter[tuple[str, str]]()
    for one in found:
        seen[one.row, one.column] += 1
        nth = seen[one.row, one.column]
        yield replace(one, row=f"{one.row} ({nth})") if nth > 1 else one


def _bounded(one: Reading) -> Reading:
    return replace(one, reach="at most 0", is_reached=one.value <= 0)


def _walk(value: Any, path: tuple[str, ...]) -> Iterator[Reading]:
    match value:
        case int() | float():
            yield _at(path, float(value))
        case dict():
            yield from _mapping(value, path)
        case list():
            yield from _list(value, path)


def _mapping(value: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[Reading]:
    if value.keys() >= FIGURE:
        yield _figure(value)
        return
    for key, one in value.items():
        if key not in SKIPPED:
            yield from _walk(one, (*path, key))


def _list(value: Sequence[Any], path: tuple[str, ...]) -> Iterator[Reading]:
    """Of single things, how many there are."""
    if not all(isinstance(one, dict) for one in value):
        yield _at(path, len(value))
        return
    for one in value:
        yield from _line(one, path)


def _at(path: tuple[str, ...], value: float) -> Reading:
    *before, last = path
    return Reading(", ".join(before), last, value) if before else Reading(last, "", value)


def _figure(told: Mapping[str, Any]) -> Reading:
    return Reading(
        told["name"], "", float(told["value"]), told["unit"], told["reach"], told["is_reached"]
    )


def _line(told: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[Reading]:
    """Of a list: its texts are its name, and tables within it are more of its columns."""
    name = ", ".join((*path, *_names(told)))
    for key, value in told.items():
        if key in NAMING:
            continue
        if isinstance(value, Sequence) and not isinstance(value, str):
            if key not in SKIPPED:
                yield from _walk(value, (name,))
        elif isinstance(value, Mapping):
            yield from _walk(value, (name,))
        else:
            yield from _walk(value, (name, key))


def _names(told: Mapping[str, Any]) -> Iterator[str]:
    texts = [one for one in told.values() if isinstance(one, str) and one]
    yield from texts
    for key in NAMING:
        name = f"{key} {told.get(key)}"
        if told.get(key) is not None and not any(name in text for text in texts):
            yield name
