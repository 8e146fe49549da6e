"""A person decides on what sleep has only proposed."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from schemas.memory import Memory
from schemas.plan import Plan, Run
from schemas.scope import Scope
from worker.applying import carry_out
from worker.core.planning.accepting import check_stands
from worker.core.ports import Reader
from worker.core.sleeping.proposing import accepted, decided, is_waiting
from worker.direct.holding import holding
from worker.errors import NotFound, PlanConflict
from worker.parts import Parts
from worker.reembedding import anew


@dataclass(frozen=True)
class Proposal:
    """One that waits."""

    run: Run
    plan: Plan
    #: Whether its memories are as they were when it was decided: only then may it be carried out, or shown.
    stands: bool


def proposals(store: Reader, scope: Scope) -> Iterator[Proposal]:
    """Those that wait for a person, the latest first."""
    for run in store.runs(scope):
        if is_waiting(run) and run.plan is not None:
            yield Proposal(run, run.plan, _stands(store, run.plan))


def accept(parts: Parts, scope: Scope, id: UUID, now: datetime) -> Plan:
    """Carry a proposal out under the scope's lease, as a run of its own. Doing it again is harmless.

    Raises `Retryable` while a worker holds the scope, `PlanConflict` where the memories have changed since,
    `NotFound` where there is no such proposal: then nothing was changed.
    """
    with holding(parts, scope, now) as held:
        run, plan = _waiting(parts.store, scope, id)
        made = accepted(run, plan, now)
        known = parts.store.run(scope, made.run)
        if known is None or known.state != "applied":
            _check_stands(parts.store, made, id)
            # It may have waited for longer than the embedder was in use.
            carry_out(parts, anew(made, parts.embedder), held.lease)
        parts.store.writer(scope, held.lease).put_run(decided(run))
    return made


def refuse(parts: Parts, scope: Scope, id: UUID, now: datetime) -> None:
    """Drop a proposal; its run stays parked, without a plan. Raises as `accept`."""
    with holding(parts, scope, now) as held:
        run, _ = _waiting(parts.store, scope, id)
        parts.store.writer(scope, held.lease).put_run(decided(run))


def _waiting(store: Reader, scope: Scope, id: UUID) -> tuple[Run, Plan]:
    run = store.run(scope, id)
    if run is None or run.plan is None or not is_waiting(run):
        raise NotFound(
            f"run {id} is no proposal that waits: `slowwave sleep review` lists those that do"
        )
    return run, run.plan


def _stands(store: Reader, plan: Plan) -> bool:
    try:
        check_stands(plan, _live(store, plan))
    except PlanConflict:
        return False
    return True


def _check_stands(store: Reader, plan: Plan, id: UUID) -> None:
    if not _stands(store, plan):
        raise PlanConflict(
            f"proposal {id} cannot be carried out: its memories have changed since it was made;"
            " nothing was written: refuse it"
        )


def _live(store: Reader, plan: Plan) -> dict[UUID, Memory]:
    return {one.memory.id: one.memory for one in store.memories(plan.scope, plan.base)}
