"""What one batch comes to, as values: what has to be looked up, and what has to be written. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from bench.batch.talk import FINGERPRINT, Batch, Saying
from bench.recall.crowd import NOW
from schemas.ids import batch_run_id, uuid_of
from schemas.memory import Archive, ArchiveRecord, Fact, MemoryRecord, Statement
from schemas.plan import Plan, Revise, Run
from schemas.scope import Scope
from worker.core.finding.candidates import queries
from worker.core.planning.runs import applied
from worker.core.ports import Query

LATER = NOW + timedelta(days=1)


@dataclass(frozen=True)
class Work:
    """The least that stays of a batch once all thinking is left out."""

    queries: Sequence[Query]
    plan: Plan
    run: Run
    archives: Sequence[ArchiveRecord]
    memories: Sequence[MemoryRecord]

    @property
    def read(self) -> list[UUID]:
        return [one.memory.id for one in self.memories]


def work_of(batch: Batch, scope: Scope, nth: int) -> Work:
    """Four memories get a new version each, and an archive of the one before."""
    turns = tuple(uuid_of("bench of batch", scope.key, nth, at) for at in range(len(batch.sayings)))
    run = batch_run_id(scope.key, turns, 0)
    changes = [_change(one, turn, run) for one, turn in zip(batch.sayings, turns, strict=True)]
    plan = Plan(
        run=run,
        kind="batch",
        scope=scope,
        turn_ids=turns,
        base={one.record.memory.id: 1 for one in changes},
        changes=tuple(changes),
        planned_at=LATER,
        embedder=FINGERPRINT,
    )
    return Work(
        queries(
            [_fact(one, turn) for one, turn in zip(batch.sayings, turns, strict=True)],
            [one.vector for one in batch.sayings],
        ),
        plan,
        applied(plan),
        [one.archive for one in changes],
        [one.record for one in changes],
    )


def _change(saying: Saying, turn: UUID, run: UUID) -> Revise:
    before = saying.about.memory
    now = before.model_copy(
        update={
            "text": saying.text,
            "version": before.version + 1,
            "said_at": LATER,
            "updated_at": LATER,
            "turn_ids": (*before.turn_ids, turn),
            "last_run": run,
        }
    )
    archive = Archive(
        memory=before,
        replaced_by=before.id,
        archived_at=LATER,
        reason="superseded",
        why="it is said anew",
        run=run,
    )
    return Revise(
        relation="update",
        why="it is said anew",
        record=MemoryRecord(memory=now, vector=saying.vector),
        archive=ArchiveRecord(archive=archive, vector=saying.about.vector),
    )


def _fact(saying: Saying, turn: UUID) -> Fact:
    kept = {name: getattr(saying.about.memory, name) for name in Statement.model_fields}
    return Fact(**{**kept, "text": saying.text, "turn_ids": (turn,), "said_at": LATER})
