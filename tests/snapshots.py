"""Earlier versions with sane defaults."""

from datetime import datetime
from uuid import UUID

from schemas.memory import Archive, Memory, Reason
from tests.build import NOW, RUN


def snapshot(
    memory: Memory,
    reason: Reason = "superseded",
    by: UUID | None = None,
    archived_at: datetime = NOW,
    why: str = "",
) -> Archive:
    """Of a memory that another stands in place of, or nothing."""
    return Archive(
        memory=memory, replaced_by=by, archived_at=archived_at, reason=reason, why=why, run=RUN
    )


def revised(memory: Memory, archived_at: datetime, reason: Reason = "superseded") -> Archive:
    """Of a version that the next of the same memory stands in place of."""
    return snapshot(memory, reason, memory.id, archived_at)


def filed(memory: Memory, by: UUID, archived_at: datetime, reason: Reason = "late") -> Archive:
    """Of what was history at birth."""
    born = memory.model_copy(update={"created_at": archived_at, "updated_at": archived_at})
    return snapshot(born, reason, by, archived_at)
