"""A run is taken back: every memory that it changed is again what it was before, as its next version."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from uuid import UUID

from schemas.ids import undo_run_id
from schemas.memory import ArchiveRecord, Counters, MemoryRecord
from schemas.plan import Add, Change, Changed, Confirm, File, Plan, Retire, Revise, Run
from worker.core.groups.merging import archived as snapshot_of
from worker.core.turning_back.built_upon import Known, archived
from worker.core.turning_back.refiling import filed_again
from worker.core.turning_back.restoring import brought_back
from worker.core.turning_back.undoable import check_undoable


def undone(target: Run, known: Known, now: datetime, embedder: str = "") -> Plan:
    """The plan that reverses what the target did. `embedder` is the fingerprint of the scope's vectors.

    Raises `Unprocessable` where the target cannot be taken back in its state, or what it needs was purged;
    `PlanConflict` where a later run built on it, naming that one.
    """
    check_undoable(target, known)
    nth = sum(run.undoes == target.id for run in known.runs.values())
    id = undo_run_id(target.scope.key, target.id, nth)
    changes = tuple(_Undoing(target, known, id, now).changes())
    stand = (c.memory_id for c in target.changes if c.kind in {"add", "confirm", "revise"})
    before = [known.live[id].memory for id in stand]
    return Plan(
        run=id,
        kind="undo",
        scope=target.scope,
        turn_ids=(),
        base={memory.id: memory.version for memory in before},
        base_runs={memory.id: memory.last_run for memory in before},
        changes=changes,
        planned_at=now,
        undoes=target.id,
        embedder=embedder,
    )


@dataclass(frozen=True)
class _Undoing:
    target: Run
    known: Known
    run: UUID
    now: datetime

    @property
    def why(self) -> str:
        return f"run {self.target.id} was undone"

    def changes(self) -> Iterator[Change]:
        """Snapshots that are filed again come last."""
        yield from (self.reversed(one) for one in self.target.changes if one.kind != "file")
        for record in self.again:
            yield File(archive=record, relation="update", why=self.why)

    @cached_property
    def again(self) -> list[ArchiveRecord]:
        return filed_again(self.target, self.known)

    def reversed(self, changed: Changed) -> Change:
        match changed.kind:
            case "add":
                return self.retired(changed)
            case "confirm":
                return self.unconfirmed(changed)
            case "revise":
                return self.revised(changed)
            case _:
                return self.added(changed)

    def retired(self, changed: Changed) -> Retire:
        archive = self.archive(changed.memory_id, by=None)
        return Retire(archive=archive, relation="new", why=self.why)

    def unconfirmed(self, changed: Changed) -> Confirm:
        """With the counters of before; what they were until now can be brought back as well."""
        record, prior = self.known.live[changed.memory_id], changed.prior
        names = [name for name in Counters.model_fields if name not in {"v", "last_run"}]
        before = {name: getattr(prior, name) for name in names}
        memory = record.memory.model_copy(update={**before, "last_run": self.run})
        return Confirm(
            record=MemoryRecord(memory=memory, vector=record.vector),
            prior=Counters(
                **{name: getattr(record.memory, name) for name in names},
                last_run=record.memory.last_run,
            ),
            relation="same",
            why=self.why,
        )

    def revised(self, changed: Changed) -> Revise:
        id = changed.memory_id
        next_version = self.known.live[id].memory.version + 1
        return Revise(
            record=brought_back(self.earlier(changed), next_version, self.run, self.now),
            archive=self.archive(id, by=id),
            relation="update",
            why=self.why,
        )

    def added(self, changed: Changed) -> Add:
        next_version = self.known.last_version(changed.memory_id) + 1
        record = brought_back(self.earlier(changed), next_version, self.run, self.now)
        return Add(record=record, relation="new", why=self.why)

    def archive(self, memory: UUID, by: UUID | None) -> ArchiveRecord:
        """What stands, on its way out: hidden where the target had brought back what is forgotten again."""
        again = (one.archive for one in self.again if one.archive.memory.id == memory)
        hides = any(one.reason == "forgotten" for one in again)
        record = self.known.live[memory]
        return snapshot_of(
            *(record.memory, record.vector),
            by=by,
            reason="forgotten" if hides else "undone",
            why=self.why,
            run=self.run,
            now=self.now,
        )

    def earlier(self, changed: Changed) -> ArchiveRecord:
        """The snapshot that the change wrote; `check_undoable` has seen that it is there."""
        memory, version = archived(changed) or (changed.memory_id, changed.version)
        return self.known.archives[memory][version]
