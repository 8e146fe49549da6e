"""What undoing a run did, or would do."""

from uuid import UUID

from schemas.base import Frozen
from schemas.plan import Plan, Run
from schemas.scope import Scope
from worker.core.planning.runs import applied
from worker.core.ports import Reader
from worker.direct.undoing import freed


class Turned(Frozen):
    """A memory that is as it was."""

    kind: str
    memory_id: UUID
    version: int


class Undone(Frozen):
    """Ids and figures, no texts."""

    run: UUID
    undoes: UUID | None
    dry_run: bool
    changes: tuple[Turned, ...]
    #: Turns that are free: published again they are learned anew.
    turn_ids: tuple[UUID, ...]
    #: Runs that a crash left half done: what finishing them changes is not in this.
    finished_first: tuple[UUID, ...] = ()


def undone_of(store: Reader, plan: Plan, first: list[Run] | None) -> Undone:
    """What is finished `first` is known of a dry run alone."""
    return Undone(
        run=plan.run,
        undoes=plan.undoes,
        dry_run=first is not None,
        changes=tuple(
            Turned(kind=one.kind, memory_id=one.memory_id, version=one.version)
            for one in applied(plan).changes
        ),
        turn_ids=tuple(freed(store, plan)),
        finished_first=tuple(run.id for run in first or ()),
    )


def forgotten_by(store: Reader, scope: Scope, id: UUID) -> int:
    """Memories, or parts of them, that went in this run because a person asked for it: undoing brings them back."""
    run = store.run(scope, id)
    changes = run.changes if run is not None else ()
    return sum(one.relation == "forget" for one in changes)


def brings_back(count: int) -> str:
    return f"that would bring back {count} of what a person asked to forget"
