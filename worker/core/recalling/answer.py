"""What is told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from schemas.memory import Memory
from schemas.turn import Role
from worker.core.recalling.pool import LeftOut

#: `correction`: an earlier version of it was shown before.
State = Literal["new", "correction"]


@dataclass(frozen=True)
class Terms:
    """How a memory fits, of several queries the one that it fits best, and what its score is made of."""

    #: −1 to 1, the same for the same two texts in every answer; null where no two vectors could be compared.
    cosine: float | None = None
    #: 1 for the best of the pool, 0 without a common word.
    bm25: float = 0.0
    #: Share of the query's identifiers that it has.
    codes: float = 0.0
    #: Term → what it adds to the score, which is their sum.
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Recalled:
    """A memory that answers, and how well beside the others of its answer.

    The score orders one answer and means nothing beside another's: relevance is measured against the best of the pool,
    so even where nothing bears on the question something is near 1. From 1 down; below 0 for history only; 0 for all
    of a profile. How near a memory is to the question in itself is `terms.cosine`.
    """

    memory: Memory
    score: float
    state: State = "new"
    #: Whether it is history.
    superseded: bool = False
    terms: Terms = Terms()


@dataclass(frozen=True)
class Waiting:
    """A turn that was said and is not consolidated yet: nothing was learned from it so far."""

    id: UUID
    conversation: str
    role: Role
    speaker: str | None
    #: Its own words, as they are learned from: without recalled memories, code and quotations; cut where it is long.
    text: str
    said_at: datetime
    #: Whether a worker holds the batch that it is in.
    state: Literal["waiting", "in work"] = "waiting"


@dataclass(frozen=True)
class Outdated:
    """A version that was shown, and when it ceased to stand."""

    memory: Memory
    at: datetime


@dataclass(frozen=True)
class Answer:
    """What a question brings up, the best first; corrections of what was shown before come before all."""

    items: tuple[Recalled, ...] = ()
    #: Nominated, and not told.
    left_out: tuple[LeftOut, ...] = ()
    #: Ids that were shown and no longer stand: retired, forgotten or lapsed.
    withdrawn: tuple[UUID, ...] = ()
    #: How many better or equal ones were skipped because they did not fit the budget.
    not_fitting: int = 0
    #: What was not done as it should have been, in words.
    degraded: tuple[str, ...] = ()
    #: The last turns that are not consolidated yet, where they were asked for; the newest last.
    pending: tuple[Waiting, ...] = ()
    #: What was shown and is no longer so: of corrections the words before, and of `withdrawn` what may still be told.
    outdated: tuple[Outdated, ...] = ()
