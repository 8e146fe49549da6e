"""One call of a tool: on what, for whom, and what may be wrong with it."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from schemas.scope import Scope
from worker.interfaces.mcp.house import House
from worker.interfaces.mcp.telling import Paper
from worker.interfaces.naming import MEMORIES, digits_in, the_one
from worker.interfaces.where import without_places

#: What to do about an id that is none.
WHERE_IDS_ARE = "`recall` and `profile` tell ids"


class Refused(Exception):
    """What was asked cannot be done as it was asked; the message says what to do instead."""


@dataclass(frozen=True)
class Call:
    house: House
    scope: Scope

    def paper(self, tokens: int | None = None) -> Paper:
        return Paper.of(self.house.settings, tokens)

    def told(self, text: str) -> str:
        """Words of ours for whoever calls, who is not to know where the parts are."""
        return without_places(text, self.house.settings)


def memory_of(given: str, ids: Iterable[UUID]) -> UUID:
    """The one of these that is meant. Raises `Refused` for what is no id, and as `the_one`."""
    digits = digits_in(given)
    if digits is None:
        raise Refused(f"an id has 4 to 32 hexadecimal digits: {WHERE_IDS_ARE}")
    return the_one(digits, ids, MEMORIES, WHERE_IDS_ARE)
