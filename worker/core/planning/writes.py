"""Which of a plan's changes are still to be written, given what the store holds now."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from schemas.memory import ArchiveRecord, Memory, MemoryRecord
from schemas.plan import Add, Confirm, File, Plan, Retire, Revise
from worker.errors import PlanConflict


@dataclass(frozen=True)
class Writes:
    """Finished records in the order they have to be written: archives, live, removals."""

    archives: tuple[ArchiveRecord, ...]
    memories: tuple[MemoryRecord, ...]
    removals: tuple[UUID, ...]


def touched(plan: Plan) -> tuple[UUID, ...]:
    """Memories that the plan adds, changes or removes."""
    added = (c.record.memory.id for c in plan.changes if isinstance(c, Add))
    return (*plan.base, *added)


def writes(plan: Plan, live: Mapping[UUID, Memory]) -> Writes:
    """What is at its base version, or has been written by this run already.

    The latter is written again, as it is: a crash may have left a row that no search finds. Raises `PlanConflict`
    on anything else. Archives are always written: a snapshot written twice is one snapshot.
    """
    archives: list[ArchiveRecord] = []
    memories: list[MemoryRecord] = []
    removals: list[UUID] = []
    for change in plan.changes:
        match change:
            case Add() | Confirm() | Revise():
                if isinstance(change, Revise):
                    archives.append(change.archive)
                _check(plan, change.record.memory, live)
                memories.append(change.record)
            case Retire():
                archives.append(change.archive)
                if _present(plan, change.archive.archive.memory.id, live):
                    removals.append(change.archive.archive.memory.id)
            case File():
                archives.append(change.archive)
    return Writes(tuple(archives), tuple(memories), tuple(removals))


def _check(plan: Plan, memory: Memory, live: Mapping[UUID, Memory]) -> None:
    found = live.get(memory.id)
    if found is not None and found.last_run == plan.run:
        return
    check_base(plan, memory.id, found)


def check_base(plan: Plan, id: UUID, found: Memory | None) -> None:
    """Raises `PlanConflict` unless the memory is as the plan was decided on; nothing stands for a free id."""
    if not _at_base(plan, found, id):
        raise _conflict(plan, id, found)


def _at_base(plan: Plan, found: Memory | None, id: UUID) -> bool:
    """As the plan was decided on, also in what a confirmation changes without a new version."""
    if found is None:
        return id not in plan.base
    base_run = plan.base_runs.get(id, found.last_run)
    return found.version == plan.base.get(id) and found.last_run == base_run


def _present(plan: Plan, id: UUID, live: Mapping[UUID, Memory]) -> bool:
    found = live.get(id)
    if found is not None:
        check_base(plan, id, found)
    return found is not None


def _conflict(plan: Plan, id: UUID, found: Memory | None) -> PlanConflict:
    stands = f"is at version {found.version} (run {found.last_run})" if found else "is gone"
    base = plan.base.get(id)
    wanted = f"version {base}" if base else "a free id"
    return PlanConflict(
        f"run {plan.run} was decided on {wanted} of memory {id}, which {stands}: nothing more was"
        " written; look at the parked turns and replay them"
    )
