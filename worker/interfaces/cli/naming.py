"""Ids as people type them: the whole, or the first digits where those are enough."""

import re
from collections.abc import Iterable
from uuid import UUID

import typer

from schemas.scope import Scope
from worker.core.ports import Reader
from worker.interfaces.cli.ending import Failed
from worker.recall import earlier

#: Digits of an id, at least the first four.
PREFIX = re.compile(r"[0-9a-f]{4,32}")
DIGITS = 32


def digits_of(given: str, hint: str = "ID") -> str:
    """The hexadecimal digits that were typed. Anything else is wrong usage."""
    digits = given.lower().replace("-", "")
    if not PREFIX.fullmatch(digits):
        raise typer.BadParameter(
            f"{given!r} is no id: write four or more of its hexadecimal digits", param_hint=hint
        )
    return digits


def the_one(digits: str, ids: Iterable[UUID], kind: tuple[str, str], remedy: str) -> UUID:
    """The id that begins so; `kind` is its singular and plural. A whole id is taken as it is: `ids` is not read.

    Raises `Failed` with the remedy where there is none, and where there are several.
    """
    if len(digits) == DIGITS:
        return UUID(digits)
    one, many = kind
    found = {id for id in ids if id.hex.startswith(digits)}
    if not found:
        raise Failed(f"{one} {digits} is not found in this scope: {remedy}")
    if len(found) > 1:
        raise Failed(f"{len(found)} {many} begin with {digits}: write more of the id")
    return found.pop()


MEMORIES = ("memory", "memories")
LISTED = "`slowwave memories` lists what is there"


def memory_that_stands(store: Reader, scope: Scope, given: str, hint: str = "ID") -> UUID:
    """The live memory of which this is the id. Raises as `digits_of` and `the_one`."""
    live = (record.memory.id for record in store.memories(scope))
    return the_one(digits_of(given, hint), live, MEMORIES, LISTED)


def memory_ever(store: Reader, scope: Scope, digits: str) -> UUID:
    """The same among all that the scope has ever known and a read may show."""

    def ids() -> Iterable[UUID]:
        yield from (record.memory.id for record in store.memories(scope))
        yield from (archive.memory.id for archive in earlier(store, scope))

    return the_one(digits, ids(), MEMORIES, LISTED)
