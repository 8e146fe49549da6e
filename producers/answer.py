"""What a publisher is told about a turn, when it is taken and when it waits for it."""

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
    #: For `Producer.wait`, here or in another process; null for a turn that is not in.
    ticket: str | None = None


class Settled(Frozen):
    """What has become of a turn.

    `consolidated` and `parked` are where a turn ends; it is read from the memory only after the first. `waiting`: it
    was still in the inbox when the time was up. `unknown`: Redis does not remember it, because it was accepted longer
    ago than ids are remembered (a day by default), or was dropped or erased, or because Redis lost its newest data.
    `unavailable`: Redis did not answer.
    """

    status: Literal["consolidated", "parked", "waiting", "unknown", "unavailable"]
    #: Null where there was no ticket.
    turn_id: UUID | None = None
    #: Why, and what to do; null for a consolidated turn.
    message: str | None = None

    @property
    def is_over(self) -> bool:
        """Waiting longer would tell no more."""
        return self.status in {"consolidated", "parked", "unknown"}


#: Of a turn that was refused or found no room.
NOT_IN = Settled(
    status="unknown", message="there is no ticket: the turn is not in, its answer says why"
)
