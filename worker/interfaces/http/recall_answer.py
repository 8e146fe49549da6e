"""What recall tells, as a document."""

from uuid import UUID

from schemas.base import AwareDatetime, Frozen
from schemas.memory import Memory
from schemas.turn import Role
from worker.core.recalling.answer import State


class TermsTold(Frozen):
    """How a memory fits, and what its score is made of."""

    cosine: float | None
    bm25: float
    codes: float
    parts: dict[str, float]


class RecalledMemory(Memory):
    """A memory that answers. The score orders one answer, and means nothing beside another's."""

    score: float
    state: State
    superseded: bool
    #: Only where it was asked for.
    terms: TermsTold | None = None


class LeftOutBy(Frozen):
    stage: str
    why: str


class LeftOutMemory(Memory):
    left_out: LeftOutBy


class WaitingTold(Frozen):
    """A turn that is not consolidated yet."""

    id: UUID
    conversation: str
    role: Role
    speaker: str | None
    text: str
    said_at: AwareDatetime
    state: str


class OutdatedTold(Frozen):
    """A version that was shown, and when it ceased to stand."""

    memory: Memory
    at: AwareDatetime


class RecallAnswer(Frozen):
    """The best first; corrections of what was shown before come before all."""

    items: list[RecalledMemory]
    #: Only where it was asked for.
    left_out: list[LeftOutMemory]
    #: Shown before, and no longer so.
    withdrawn: list[UUID]
    outdated: list[OutdatedTold]
    pending: list[WaitingTold]
    #: Better or equal ones that did not fit the budget.
    not_fitting: int
    #: What was not done as it should have been, in words.
    degraded: list[str]
    #: Only where it was asked for; empty where nothing is told.
    block: str | None
