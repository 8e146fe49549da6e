"""The plan as it is kept in Redis before the first store write."""

from pydantic import Field

from schemas.base import Stored
from schemas.plan import Plan


class Kept(Stored):
    """A plan and how many turns of the inbox it settles; a redelivered batch finishes it as it is."""

    #: Turns at the head of the inbox that leave it once the plan is applied.
    count: int = Field(ge=0)
    #: Their estimated tokens.
    tokens: int = 0
    #: Null where a run has settled all of them before, or none is left.
    plan: Plan | None
