"""What a publisher is told about a turn."""

from typing import Literal
from uuid import UUID

from schemas.base import Frozen

Status = Literal["accepted", "duplicate", "full", "refused", "unavailable"]


class Answer(Frozen):
    """Only `accepted` and `duplicate` mean that the turn is in.

    After `full` and `unavailable` it may be published again; with the same `id` or `said_at` it counts once.
    """

    status: Status
    #: Null for a turn that was refused.
    turn_id: UUID | None = None
    #: What was wrong, and what to do; null for an accepted turn.
    message: str | None = None
    #: Turns of the scope that wait, this one included.
    pending: int | None = None
