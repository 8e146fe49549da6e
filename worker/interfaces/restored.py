"""What restoring a version did."""

from uuid import UUID

from schemas.base import Frozen
from schemas.memory import Memory
from schemas.plan import Add, Plan, Revise


class Restored(Frozen):
    """`version` and `run` are null where that version stood already: nothing was written."""

    memory_id: UUID
    restored: int
    version: int | None
    run: UUID | None


def restored_of(plan: Plan, memory: UUID, version: int) -> Restored:
    found = brought_back(plan)
    return Restored(
        memory_id=memory,
        restored=version,
        version=found.version if found else None,
        run=plan.run if found else None,
    )


def brought_back(plan: Plan) -> Memory | None:
    """The memory as it stands now; nothing where it stood so already."""
    changes = (change for change in plan.changes if isinstance(change, Add | Revise))
    return next((change.record.memory for change in changes), None)
