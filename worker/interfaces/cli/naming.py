"""Ids as people type them at a command."""

from uuid import UUID

import typer

from schemas.scope import Scope
from worker.core.ports import Reader
from worker.interfaces.naming import MEMORIES, digits_in, shown_ever, standing, the_one

LISTED = "`slowwave memories` lists what is there"


def digits_of(given: str, hint: str = "ID") -> str:
    """The hexadecimal digits that were typed. Anything else is wrong usage."""
    digits = digits_in(given)
    if digits is None:
        raise typer.BadParameter(
            f"{given!r} is no id: write four or more of its hexadecimal digits", param_hint=hint
        )
    return digits


def memory_that_stands(store: Reader, scope: Scope, given: str, hint: str = "ID") -> UUID:
    """The live memory of which this is the id. Raises as `digits_of` and `the_one`."""
    return the_one(digits_of(given, hint), standing(store, scope), MEMORIES, LISTED)


def memory_ever(store: Reader, scope: Scope, digits: str) -> UUID:
    """The same among all that the scope has ever known and a read may show."""
    return the_one(digits, shown_ever(store, scope), MEMORIES, LISTED)
