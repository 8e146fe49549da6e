"""A run's record before and after its plan is applied."""

from collections.abc import Iterable, Sequence
from itertools import cycle
from uuid import UUID

from schemas.plan import Add, Change, Changed, Confirm, File, Plan, Retire, Revise, Run, RunState

#: Why facts were left out that a request of their own batch took back.
NEVER_STORED = "forgotten on request"


def opened(plan: Plan) -> Run:
    """The first thing written: with the whole plan, so that whoever finds it can finish it."""
    return _run(plan, "open", kept=plan)


def applied(plan: Plan) -> Run:
    """The last thing written: what was done, with no texts but those that are in no record and no archive."""
    return _run(plan, "applied", changes=tuple(_changed(change) for change in plan.changes))


def parked(plan: Plan) -> Run:
    """A run that cannot be finished: what it had planned stays with it, for a person to look at."""
    return _run(plan, "parked", kept=plan)


def _run(
    plan: Plan,
    state: RunState,
    *,
    kept: Plan | None = None,
    changes: tuple[Changed, ...] = (),
) -> Run:
    return Run(
        id=plan.run,
        kind=plan.kind,
        scope=plan.scope,
        state=state,
        turn_ids=plan.turn_ids,
        started_at=plan.planned_at,
        facts=plan.facts,
        dropped=plan.dropped,
        model=plan.model,
        prompts=plan.prompts,
        usage=plan.usage,
        undoes=plan.undoes,
        plan=kept,
        changes=changes,
        held=tuple(
            held if kept else held.model_copy(update={"proposal": ()}) for held in plan.held
        ),
    )


def _changed(change: Change) -> Changed:
    snapshot = None if isinstance(change, Add | Confirm) else change.archive.archive
    match change:
        case Add() | Confirm() | Revise():
            memory, by = change.record.memory, None
        case Retire() | File():
            memory, by = change.archive.archive.memory, change.archive.archive.replaced_by
    return Changed(
        kind=change.kind,
        memory_id=memory.id,
        version=memory.version,
        replaced_by=by,
        reason=snapshot.reason if snapshot else None,
        relation=change.relation,
        why=change.why,
        turn_ids=change.turn_ids,
        said=change.said,
        prior=change.prior if isinstance(change, Confirm) else None,
        written_by=change.written_by if isinstance(change, Add) else None,
    )


def forgetting_turns(plan: Plan | None) -> frozenset[UUID]:
    """Turns that ask to forget something, and those that were judged with them.

    All of a batch that took back what it had said itself: no change tells which of them did.
    """
    if plan is None:
        return frozenset()
    if plan.dropped.get(NEVER_STORED):
        return frozenset(plan.turn_ids)
    asked = (change.turn_ids for change in plan.changes if change.relation == "forget")
    return frozenset[UUID]().union(*asked)


def turns_behind_forgotten(plan: Plan) -> frozenset[UUID]:
    """Turns behind what the plan has forgotten, in whole or in part."""
    gone = (
        change.archive.archive.memory.turn_ids
        for change in plan.changes
        if change.relation == "forget" and not isinstance(change, Add | Confirm)
    )
    return frozenset[UUID]().union(*gone)


def furthest(found: Iterable[Run]) -> list[Run]:
    """Each run once: an open record of one that is finished was written too late, or left behind."""
    once: dict[UUID, Run] = {}
    for run in found:
        known = once.setdefault(run.id, run)
        if known.state == "open":
            once[run.id] = run
    return list(once.values())


def turned(chain: Sequence[Run]) -> tuple[Run, ...]:
    """What an undo makes of the run that it takes back, of the one that this had taken back, and so on.

    The first is undone, the next applies again, the one that this had taken back is undone again.
    """
    states: tuple[RunState, RunState] = ("undone", "applied")
    return tuple(
        run.model_copy(update={"state": state})
        for run, state in zip(chain, cycle(states), strict=False)
    )


def settled_turns(runs: Iterable[Run]) -> frozenset[UUID]:
    """Turns that need no second look; those of an undone or parked run are free again."""
    return frozenset(id for run in runs if run.state == "applied" for id in run.turn_ids)


def fruitless(runs: Iterable[Run]) -> int:
    """How many runs were undone or parked: the next run of the same turns is another one."""
    return sum(run.state in {"undone", "parked"} for run in runs)
