"""What a person accepts that the cap held back: the proposal becomes the plan of a run of its own."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from schemas.ids import uuid_of
from schemas.memory import Archive, ArchiveRecord, Memory, MemoryRecord
from schemas.plan import Add, Change, Confirm, File, Plan, Retire, Revise
from schemas.turn import Turn
from worker.core.planning.writes import check_base


def accepted(turn: Turn, proposal: Sequence[Change], nth: int, now: datetime) -> Plan:
    """The plan that carries the proposal out, on the versions that it was decided on.

    `nth` is how many undone or parked runs held the turn. The ids of new memories stay: they came from the facts.
    """
    run = uuid_of("run", turn.scope.key, "accept", nth, str(turn.id))
    base = dict(bases(proposal))
    return Plan(
        run=run,
        kind="write",
        scope=turn.scope,
        turn_ids=(turn.id,),
        base={id: version for id, (version, _) in base.items()},
        base_runs={id: before for id, (_, before) in base.items()},
        changes=tuple(of_run(change, run, now) for change in proposal),
        planned_at=now,
    )


def check_stands(plan: Plan, live: Mapping[UUID, Memory]) -> None:
    """Raises `PlanConflict` unless every memory that the plan would change is as it was when it was decided.

    A plan that was begun may find some of them gone; one that was not must not.
    """
    for id in plan.base:
        check_base(plan, id, live.get(id))


def bases(changes: Iterable[Change]) -> Iterable[tuple[UUID, tuple[int, UUID]]]:
    """Each memory that the changes are decided on, with its version and the run that had written it last."""
    for change in changes:
        match change:
            case Revise() | Retire():
                memory = change.archive.archive.memory
                yield memory.id, (memory.version, memory.last_run)
            case Confirm():
                memory = change.record.memory
                yield memory.id, (memory.version, change.prior.last_run)
            case _:
                pass


def of_run(change: Change, run: UUID, now: datetime) -> Change:
    """As that run makes it, at its time."""
    match change:
        case Add() | Revise():
            dates = {"updated_at": now} | ({"created_at": now} if isinstance(change, Add) else {})
            update: dict[str, object] = {"record": _record(change.record, last_run=run, **dates)}
            if isinstance(change, Revise):
                update["archive"] = _archive(change.archive, run, now)
            return change.model_copy(update=update)
        case Confirm():
            return change.model_copy(update={"record": _record(change.record, last_run=run)})
        case Retire():
            return change.model_copy(update={"archive": _archive(change.archive, run, now)})
        case File():
            archived = _archive(change.archive, run, now)
            born = archived.archive.memory.model_copy(update={"last_run": run, "created_at": now})
            archive = archived.archive.model_copy(update={"memory": born})
            return change.model_copy(update={"archive": _with(archived, archive)})


def _record(record: MemoryRecord, **update: object) -> MemoryRecord:
    return record.model_copy(update={"memory": record.memory.model_copy(update=update)})


def _archive(record: ArchiveRecord, run: UUID, now: datetime) -> ArchiveRecord:
    return _with(record, record.archive.model_copy(update={"run": run, "archived_at": now}))


def _with(record: ArchiveRecord, archive: Archive) -> ArchiveRecord:
    return record.model_copy(update={"archive": archive})
