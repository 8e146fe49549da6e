"""An earlier version of a memory stands again."""

from datetime import datetime
from uuid import UUID

from schemas.plan import Plan
from schemas.scope import Scope
from worker.applying import carry_out
from worker.core.ports import Reader
from worker.core.turning_back.restoring import Versions, restored
from worker.direct.holding import holding
from worker.direct.undoing import by_version
from worker.parts import Parts
from worker.recall import veil_of


def restore(parts: Parts, scope: Scope, memory_id: UUID, version: int, now: datetime) -> Plan:
    """Write a version's content as the next one, under the scope's lease. Without changes where it stands already.

    Raises `Unprocessable` for a version that is not there, `Retryable` while a worker holds the scope: then nothing was
    changed.
    """
    with holding(parts, scope, now) as held:
        versions = versions_of(parts.store, scope, memory_id)
        embedder = parts.store.about(scope).embedder or ""
        plan = restored(scope, versions, version, now, embedder)
        if plan.changes:
            carry_out(parts, plan, held.lease)
    return plan


def versions_of(store: Reader, scope: Scope, memory: UUID) -> Versions:
    """What there is of a memory. What was forgotten may not come back this way: only an undo sees it."""
    live = next(iter(store.memories(scope, [memory])), None)
    unshown = {version for id, version in veil_of(store, scope).versions if id == memory}
    return Versions(memory, live, by_version(store, scope, memory), frozenset(unshown))
