"""Whether a run can be taken back; each refusal says what stands against it and what to do."""

from collections.abc import Mapping
from uuid import UUID

from schemas.plan import Changed, Run
from worker.core.planning.runs import turned
from worker.core.turning_back.built_upon import (
    DONE,
    Known,
    archived,
    as_left_by,
    main_changes,
    named,
    taken_back,
)
from worker.errors import PlanConflict, Unprocessable


def check_undoable(target: Run, known: Known) -> None:
    """Raises `Unprocessable` or `PlanConflict` where it cannot be, or not any more."""
    _check_state(target, known)
    _check_turns(target, known)
    _check_snapshots(target, known)
    _check_nothing_built(target, known)


def _check_state(target: Run, known: Known) -> None:
    match target.state:
        case "open":
            raise Unprocessable(
                f"{named(target)} is half done: whoever works on the scope next finishes it first;"
                " undo it then"
            )
        case "parked":
            raise Unprocessable(
                f"{named(target)} was parked before it was finished: there is nothing to undo, its"
                " turns are free"
            )
        case "undone":
            by = next((one for one in known.runs.values() if _undoes(one, target)), None)
            told = f", by {named(by)}: undo that one to have it again" if by else ""
            raise Unprocessable(f"{named(target)} was undone already{told}")
        case _:
            pass
    chain = taken_back(target, known)
    for run, after in zip(chain, turned(chain), strict=True):
        if run.state == after.state:
            raise PlanConflict(
                f"{named(target)} does not hold any more: {named(run)}, which it led to, is"
                f" {run.state} by now; nothing was done"
            )


def _undoes(run: Run, target: Run) -> bool:
    return run.undoes == target.id and run.state == "applied"


def _check_turns(target: Run, known: Known) -> None:
    """What applies again settles its turns again: no other run may have done so meanwhile."""
    again = [run for run in turned(taken_back(target, known)) if run.state == "applied"]
    turns = {id for run in again if not _forgets(run) for id in run.turn_ids}
    ours = {run.id for run in again}
    for other in known.runs.values():
        learned = other.state == "applied" and other.id not in ours and not _forgets(other)
        if learned and turns & {*other.turn_ids}:
            raise PlanConflict(
                f"{named(target)} cannot be undone: turns of what it took back were consolidated"
                f" again by {named(other)}; undo that one first: `slowwave undo {other.id}` for the same user"
            )


def _forgets(run: Run) -> bool:
    """Whether it holds the turns of what went, which others had learned from."""
    return run.kind == "write" and any(change.relation == "forget" for change in run.changes)


def _check_snapshots(target: Run, known: Known) -> None:
    for change in target.changes:
        version = archived(change) or (change.memory_id, change.version)
        is_there = change.memory_id in known.live or known.archives.get(change.memory_id)
        if not is_there or (archived(change) and known.snapshot(*version) is None):
            raise Unprocessable(
                f"{named(target)} cannot be undone any more: version {version[1]} of memory"
                f" {version[0]} was forgotten and purged, or is past its retention"
            )


def _check_nothing_built(target: Run, known: Known) -> None:
    main = main_changes(target.changes)
    found = {id: _built_on(target, known, change) for id, change in main.items()}
    later = {id: run for id, run in found.items() if run is not None}
    if not later:
        return
    runs = [id for id in [*known.runs, *later.values()] if id in later.values()]
    runs = list(dict.fromkeys(runs))
    told = "; ".join(_what(run, later, known) for run in runs)
    commands = ", ".join(f"`slowwave undo {run}`" for run in runs)
    raise PlanConflict(
        f"{named(target)} cannot be undone, what it made has been changed since: {told}. Undo"
        f" {'that one' if len(runs) == 1 else 'those, in this order,'} first, for the same user: {commands}"
    )


def _what(id: UUID, later: Mapping[UUID, UUID], known: Known) -> str:
    """What a later run did, and to which memories."""
    run = known.runs.get(id)
    changes = main_changes(run.changes) if run else {}
    done = [
        f"{_done(run, changes.get(memory))} memory {memory}"
        for memory, by in later.items()
        if by == id
    ]
    return f"{named(run) if run else f'run {id}'} {', '.join(done)}"


def _done(run: Run | None, change: Changed | None) -> str:
    if run is None or change is None:
        return "changed"
    return "restored" if run.kind == "restore" else DONE[change.kind]


def _built_on(target: Run, known: Known, change: Changed) -> UUID | None:
    """The later run whose doing it is that a memory is not as the target left it."""
    hands = as_left_by(known, change.memory_id)
    if change.kind != "file":
        return None if target.id in hands else hands[-1]
    filed = known.archives[change.memory_id][change.version].archive
    root = taken_back(target, known)[-1]
    if filed.memory.last_run != root.id:
        return _filed_later(target, known, filed.run)
    return None if root.id in hands else hands[-1]


def _filed_later(target: Run, known: Known, by: UUID) -> UUID | None:
    """Of a snapshot that there was before the target gave it another reason."""
    run = known.runs.get(by)
    if run is None or run.undoes or run.state != "applied" or target.undoes:
        return None
    return by if by != target.id and run.started_at > target.started_at else None
