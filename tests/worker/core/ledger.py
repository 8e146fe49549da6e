"""What a store keeps of a scope, without one: plans are applied and taken back on values."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from schemas.base import Vector
from schemas.memory import Archive, ArchiveRecord, Memory, MemoryRecord, Reason
from schemas.plan import Add, Change, Confirm, File, Plan, Retire, Revise, Run
from tests.build import NOW, SCOPE, record, uid, vector
from worker.core.groups import merging
from worker.core.planning.runs import applied, turned
from worker.core.planning.writes import touched, writes
from worker.core.turning_back.built_upon import Known, taken_back
from worker.core.turning_back.restoring import OWN_FIELDS, Versions, restored
from worker.core.turning_back.undoing import undone

Content = tuple[dict[str, Any], Vector]


def content(memory: Memory, vector: Vector) -> Content:
    """All of it but what every write changes."""
    return memory.model_dump(exclude=OWN_FIELDS), vector


@dataclass
class Ledger:
    """Live records, snapshots by memory and version, and runs in their order."""

    live: dict[UUID, MemoryRecord] = field(default_factory=dict)
    archives: dict[UUID, dict[int, ArchiveRecord]] = field(default_factory=dict)
    runs: dict[UUID, Run] = field(default_factory=dict)

    def apply(self, plan: Plan) -> Run:
        todo = writes(plan, {id: self.live[id].memory for id in touched(plan) if id in self.live})
        for one in todo.archives:
            memory = one.archive.memory
            self.archives.setdefault(memory.id, {})[memory.version] = one
        self.live |= {one.memory.id: one for one in todo.memories}
        for id in todo.removals:
            del self.live[id]
        if plan.undoes:
            for run in turned(taken_back(self.runs[plan.undoes], self.known())):
                self.runs[run.id] = run
        self.runs[plan.run] = applied(plan)
        return self.runs[plan.run]

    def known(self) -> Known:
        return Known(dict(reversed(self.runs.items())), self.live, self.archives)

    def undo(self, run: Run, now: datetime = NOW) -> Run:
        return self.apply(undone(self.runs[run.id], self.known(), now))

    def restore(self, memory: UUID, version: int, now: datetime = NOW) -> Run:
        versions = Versions(memory, self.live.get(memory), self.archives.get(memory, {}))
        return self.apply(restored(SCOPE, versions, version, now))

    def run(self, name: str, *changes: Change, at: datetime = NOW, **fields: Any) -> Run:
        """A batch of this name, applied."""
        before = [self.live[id].memory for id in map(memory_of, changes) if id in self.live]
        given = {
            "run": uid(name),
            "kind": "batch",
            "scope": SCOPE,
            "turn_ids": (uid(f"turn of {name}"),),
            "base": {memory.id: memory.version for memory in before},
            "base_runs": {memory.id: memory.last_run for memory in before},
            "changes": changes,
            "planned_at": at,
        }
        return self.apply(Plan(**(given | fields)))

    def content(self, name: str) -> Content | None:
        found = self.live.get(uid(name))
        return content(found.memory, found.vector) if found else None

    def contents(self) -> dict[UUID, Content]:
        return {id: content(one.memory, one.vector) for id, one in self.live.items()}

    def reasons(self, name: str) -> dict[int, Reason]:
        return {at: one.archive.reason for at, one in self.archives.get(uid(name), {}).items()}

    # The changes that a run of this name makes to the memory of that name.

    def add(self, run: str, name: str, **fields: Any) -> Add:
        own = {"id": uid(name), "last_run": uid(run), "tags": ("home",), "metadata": {"ticket": 7}}
        return Add(record=record(name, **(own | fields)), relation="new", why="new")

    def confirm(self, run: str, name: str) -> Confirm:
        one = self.live[uid(name)]
        memory = one.memory.model_copy(
            update={
                "confirmations": one.memory.confirmations + 1,
                "turn_ids": (*one.memory.turn_ids, uid(f"turn of {run}")),
                "last_run": uid(run),
            }
        )
        return merging.confirmation(one, memory, "again")

    def revise(self, run: str, name: str, text: str, reason: Reason = "superseded") -> Revise:
        one = self.live[uid(name)]
        memory = merging.revised(one.memory, text, uid(run), NOW)
        return Revise(
            record=MemoryRecord(memory=memory, vector=vector(text)),
            archive=self.snapshot(run, name, uid(name), reason),
            relation="forget" if reason == "forgotten" else "update",
            why="because",
        )

    def retire(
        self, run: str, name: str, reason: Reason = "merged", by: UUID | None = None
    ) -> Retire:
        relation = "forget" if reason == "forgotten" else "update"
        snapshot = self.snapshot(run, name, by, reason)
        return Retire(archive=snapshot, relation=relation, why="because")

    def file(self, run: str, name: str, by: UUID | None = None, reason: Reason = "late") -> File:
        born = self.add(run, name).record
        archive = self._archive(born, run, by, reason)
        return File(archive=archive, relation="update", why="because")

    def mark(self, run: str, name: str, version: int) -> File:
        """As a person's wish to forget marks a snapshot that there is."""
        one = self.archives[uid(name)][version]
        told = {"reason": "forgotten", "why": "asked", "run": uid(run), "archived_at": NOW}
        archive = one.archive.model_copy(update=told)
        return File(
            archive=one.model_copy(update={"archive": archive}), relation="forget", why="asked"
        )

    def snapshot(self, run: str, name: str, by: UUID | None, reason: Reason) -> ArchiveRecord:
        return self._archive(self.live[uid(name)], run, by, reason)

    def _archive(
        self, one: MemoryRecord, run: str, by: UUID | None, reason: Reason
    ) -> ArchiveRecord:
        archive = Archive(
            memory=one.memory,
            replaced_by=by,
            archived_at=NOW,
            reason=reason,
            why="because",
            run=uid(run),
        )
        return ArchiveRecord(archive=archive, vector=one.vector)


def memory_of(change: Change) -> UUID:
    match change:
        case Add() | Confirm() | Revise():
            return change.record.memory.id
        case Retire() | File():
            return change.archive.archive.memory.id
