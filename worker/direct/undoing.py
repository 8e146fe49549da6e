"""A run is taken back."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from schemas.memory import ArchiveRecord
from schemas.plan import Plan, Run
from schemas.scope import Scope
from worker.adapters.apply import taken_back
from worker.applying import carry_out
from worker.core.planning.runs import turned
from worker.core.ports import Reader
from worker.core.turning_back.built_upon import Known
from worker.core.turning_back.undoing import undone
from worker.direct.holding import holding
from worker.errors import NotFound
from worker.parts import Parts


def undo(parts: Parts, scope: Scope, run_id: UUID, now: datetime, *, dry_run: bool = False) -> Plan:
    """Reverse what a run did, under the scope's lease; its turns may be published again.

    A dry run takes no lease and writes nothing. Raises `Unprocessable` where the run cannot be undone, `PlanConflict`
    where a later one built on it, `Retryable` while a worker holds the scope: then nothing was changed.
    """
    if dry_run:
        return planned(parts.store, scope, run_id, now)
    with holding(parts, scope, now) as held:
        plan = planned(parts.store, scope, run_id, now)
        # Before it is applied: an open run is finished by anyone, who would not know. Until then a turn that is
        # published again is one that a run has settled.
        parts.inbox.unsee(scope.key, freed(parts.store, plan))
        carry_out(parts, plan, held.lease)
    return plan


def planned(store: Reader, scope: Scope, run_id: UUID, now: datetime) -> Plan:
    """What undoing the run would do just now. Raises as `undo`."""
    runs = {run.id: run for run in store.runs(scope)}
    target = runs.get(run_id)
    if target is None:
        raise NotFound(
            f"run {run_id} is not found in this scope: `slowwave runs` lists what is there"
        )
    ids = {change.memory_id for change in target.changes}
    live = {record.memory.id: record for record in store.memories(scope, ids)}
    known = Known(runs, live, {id: by_version(store, scope, id) for id in ids})
    return undone(target, known, now, store.about(scope).embedder or "")


def freed(store: Reader, plan: Plan) -> list[UUID]:
    """Turns that the plan of an undo sets free."""
    chain = turned([*taken_back(store, plan)])
    return [id for run in chain if run.state == "undone" for id in run.turn_ids]


def unfinished(store: Reader, scope: Scope) -> list[Run]:
    """Runs that a crash left half done: each is finished before anything is undone, and may change what that means."""
    return store.open_runs(scope)


def by_version(store: Reader, scope: Scope, memory: UUID) -> dict[int, ArchiveRecord]:
    """Every snapshot of one memory."""
    found: Iterable[ArchiveRecord] = store.archives(scope, memory)
    own = (record for record in found if record.archive.memory.id == memory)
    return {record.archive.memory.version: record for record in own}
