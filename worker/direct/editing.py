"""A person changes one memory: its words, its fields, its tags, its pin."""

from datetime import datetime
from uuid import UUID

from schemas.base import Vector
from schemas.ids import write_turn_id
from schemas.memory import Memory, MemoryRecord
from schemas.plan import Plan
from schemas.scope import Scope
from worker.applying import carry_out
from worker.core.groups.setting import Setting
from worker.core.planning import runs
from worker.core.writing.amending import Amendment, amended, amending
from worker.core.writing.keys import run_of, run_that_did
from worker.core.writing.superseding import check_version, the_live
from worker.core.writing.written import Written, written
from worker.direct.holding import holding
from worker.parts import Parts


def amend(  # noqa: PLR0913 - whose memory, which, what of it, and under which key
    parts: Parts, scope: Scope, id: UUID, wanted: Amendment, *, key: str, now: datetime
) -> Written:
    """One revision, as a run of its own; where nothing would change, nothing is written.

    `key` is made once, before the first try: the same one twice is one change. Raises `Unprocessable` where the memory
    does not stand, `VersionMoved` where it has another version than is wanted; then nothing was written. Raises
    `Retryable` while a worker holds the scope, and what the embedder and the store raise.
    """
    turn = write_turn_id(scope.key, key)
    with holding(parts, scope, now) as held:
        known = list(parts.store.runs(scope, [turn]))
        if done := run_that_did(turn, known):
            return written(done, turn, duplicate=True)
        old = _live(parts, scope, id)
        if wanted.if_version is not None:
            check_version(old.memory, wanted.if_version)
        memory = amended(old.memory, wanted, turn, now)
        if memory is None:
            return Written(fate="unchanged", memory=id, version=old.memory.version)
        run = run_of(scope.key, [key], known)
        setting = Setting(run=run, scope=scope, turns=(), now=now, kind="write")
        new = MemoryRecord(memory=memory, vector=_vector(parts, old, memory))
        plan = amending(setting, turn, old, new, wanted.reason)
        # Embedding may have taken longer than the lease.
        held.lease.check()
        carry_out(parts, _by(parts, plan), held.lease)
    return written(runs.applied(plan), turn)


def _live(parts: Parts, scope: Scope, id: UUID) -> MemoryRecord:
    found = parts.store.memories(scope, [id])
    return the_live(id, {record.memory.id: record for record in found})


def _vector(parts: Parts, old: MemoryRecord, memory: Memory) -> Vector:
    """Only other words have another one."""
    if memory.text == old.memory.text:
        return old.vector
    return parts.embedder.embed([memory.text])[0]


def _by(parts: Parts, plan: Plan) -> Plan:
    return plan.model_copy(update={"embedder": parts.embedder.fingerprint})
