"""Ids as people and models give them: the whole, or the first digits where those are enough."""

import re
from collections.abc import Iterable, Iterator
from uuid import UUID

from schemas.scope import Scope
from worker.core.ports import Reader
from worker.errors import NotFound, Unprocessable
from worker.recall import earlier

#: Digits of an id, at least the first four.
PREFIX = re.compile(r"[0-9a-f]{4,32}")
DIGITS = 32
#: The singular and the plural of what is looked for.
MEMORIES = ("memory", "memories")


def digits_in(given: str) -> str | None:
    """The hexadecimal digits that were given; null for what is no id."""
    digits = given.lower().replace("-", "")
    return digits if PREFIX.fullmatch(digits) else None


def the_one(digits: str, ids: Iterable[UUID], kind: tuple[str, str], remedy: str) -> UUID:
    """The id that begins so; `kind` is its singular and plural. A whole id is taken as it is: `ids` is not read.

    Raises `NotFound` with the remedy where there is none, and `Unprocessable` where there are several.
    """
    if len(digits) == DIGITS:
        return UUID(digits)
    one, many = kind
    found = {id for id in ids if id.hex.startswith(digits)}
    if not found:
        raise NotFound(f"{one} {digits} is not found in this scope: {remedy}")
    if len(found) > 1:
        raise Unprocessable(f"{len(found)} {many} begin with {digits}: write more of the id")
    return found.pop()


def standing(store: Reader, scope: Scope) -> Iterator[UUID]:
    """The live memories."""
    return (record.memory.id for record in store.memories(scope))


def shown_ever(store: Reader, scope: Scope) -> Iterator[UUID]:
    """The memories that the scope has ever known and a read may show."""
    yield from standing(store, scope)
    yield from (archive.memory.id for archive in earlier(store, scope))


def all_ever(store: Reader, scope: Scope) -> Iterator[UUID]:
    """The memories that the scope has ever known, what was forgotten included: runs name it by id."""
    yield from standing(store, scope)
    yield from (record.archive.memory.id for record in store.archives(scope))
    yield from (one.memory_id for run in store.runs(scope) for one in run.changes)
