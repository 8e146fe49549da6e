"""Forgetting as a plan: what goes leaves the live store, and no snapshot that tells it is shown any more."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from schemas.base import Vector
from schemas.ids import write_run_id
from schemas.memory import Archive, ArchiveRecord, Memory, MemoryRecord
from schemas.plan import Add, Change, Confirm, File, Plan, Retire, Revise, Usage
from schemas.scope import Scope
from worker.core.forgetting.descent import Known
from worker.core.forgetting.going import Going, Part
from worker.core.forgetting.hidden import Version, hidden, version_of
from worker.core.forgetting.topics import ASKED, Topic
from worker.core.groups import merging

#: Memory id → what stands under it afterwards; memories of which nothing remains are left out.
Left = Mapping[UUID, Memory]


@dataclass(frozen=True)
class Written:
    """What is left of each part, and what else the plan needs from the outside."""

    left: Left
    #: Text → its embedding, for every text that is left.
    vectors: Mapping[str, Vector]
    turn_ids: tuple[UUID, ...]
    now: datetime
    model: str = ""
    prompts: Mapping[str, str] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    embedder: str = ""


def redacted(part: Part, text: str | None) -> Memory | None:
    """The memory in the words that remain, without anything of its own that speaks of the topic; null for nothing.

    What stands again after its end stands at once where nothing else remains.
    """
    memory, topic = part.record.memory, part.topic
    after = None if topic.is_in(memory.after) else memory.after
    if text is None and after is None:
        return None
    if text is None:
        memory = memory.model_copy(update={"until": None, "until_assumed": False})
        text, after = after, None
    return merging.worded(memory, text or "").model_copy(
        update={
            "after": after,
            "attribute": None if _speaks(topic, memory.attribute) else memory.attribute,
            "tags": tuple(tag for tag in memory.tags if not _speaks(topic, tag)),
            "metadata": {
                name: value
                for name, value in memory.metadata.items()
                if not _speaks(topic, f"{name} {value}")
            },
        }
    )


def _speaks(topic: Topic, text: str | None) -> bool:
    """A name is split where programs join words."""
    return topic.is_in((text or "").replace("_", " ").replace("-", " "))


def returned(known: Known, part: Part) -> list[Memory]:
    """Without a model: what the part was made of and says nothing of the topic stands again as it was.

    First what stands under the part's own id: its own earlier version, else the newest; then, under their ids, others
    that were merged into it. What it replaced without a merge returns only if it is the newest.
    """
    made = [one.archive for one in part.untouched if _was_lost(known, part, one)]
    made.sort(key=lambda one: (one.archived_at, one.memory.said_at, one.memory.version))
    merged = [one for one in made if one.reason == "merged"]
    newest = [one for one in made if one.reason in {"superseded", "expired"}][-1:]
    found = {one.memory.id: one.memory for one in (*newest, *merged)}
    id = part.record.memory.id
    own = found.pop(id, None) or (found.popitem()[1] if found else None)
    return [own.model_copy(update={"id": id}), *found.values()] if own else []


def _was_lost(known: Known, part: Part, one: ArchiveRecord) -> bool:
    """Whether what it became says what goes: else that stands, or returns, in its place."""
    became = known.made_of(one.archive)
    return became is not None and (part.topic.is_in(became.text) or part.topic.is_in(became.after))


def forget_plan(scope: Scope, known: Known, going: Going, written: Written) -> Plan:
    """Everything at once, as one run; its id comes from the versions and turns that go: the same act is the same run.

    No text of what goes is in it but in the snapshots.
    """
    key = ["forget", *sorted(_versions(going)), *sorted(map(str, written.turn_ids))]
    run = write_run_id(scope.key, " ".join(key))
    touched = {one.memory.id: one for one in (*going.whole, *(p.record for p in going.parts))}
    draft = _Draft(run, written, known)
    changes = [*(draft.change(record) for record in touched.values()), *draft.back(touched)]
    changes += draft.marks(going.archives, changes)
    return Plan(
        run=run,
        kind="write",
        scope=scope,
        turn_ids=written.turn_ids,
        base={id: record.memory.version for id, record in touched.items()},
        base_runs={id: record.memory.last_run for id, record in touched.items()},
        changes=tuple(changes),
        planned_at=written.now,
        model=written.model,
        prompts=dict(written.prompts),
        usage=written.usage,
        embedder=written.embedder,
    )


def _versions(going: Going) -> Iterator[str]:
    live = (one.memory for one in (*going.whole, *(part.record for part in going.parts)))
    archived = (one.archive.memory for one in going.archives)
    yield from (f"{one.id}@{one.version}" for one in (*live, *archived))


@dataclass(frozen=True)
class _Draft:
    """Makes the changes."""

    run: UUID
    written: Written
    known: Known

    def change(self, record: MemoryRecord) -> Change:
        memory = record.memory
        left = self.written.left.get(memory.id)
        archive = merging.archived(
            memory,
            record.vector,
            by=memory.id if left else None,
            reason="forgotten",
            why=ASKED,
            run=self.run,
            now=self.written.now,
        )
        if left is None:
            return Retire(archive=archive, relation="forget", why=ASKED)
        return Revise(
            record=self._record(left, memory.version), archive=archive, relation="forget", why=ASKED
        )

    def back(self, touched: Iterable[UUID]) -> Iterator[Add]:
        """Memories that stand again under their own ids."""
        taken = {*touched, *self.known.live}
        for id, memory in self.written.left.items():
            last = self.known.last(id)
            if id not in taken and last:
                record = self._record(memory, last.memory.version)
                yield Add(record=record, relation="forget", why=ASKED)

    def _record(self, left: Memory, version: int) -> MemoryRecord:
        memory = left.model_copy(
            update={
                "version": version + 1,
                "updated_at": self.written.now,
                "flagged": None,
                "last_run": self.run,
            }
        )
        return MemoryRecord(memory=memory, vector=self.written.vectors[left.text])

    def marks(self, archives: Sequence[ArchiveRecord], changes: Sequence[Change]) -> list[File]:
        """Snapshots that the changes by themselves do not hide: the last of each memory first, it may hide the rest."""
        made: list[File] = []
        last = {
            one.archive.memory.id: one.archive.memory.version for one in self._newest_last(archives)
        }
        for is_last in (True, False):
            hides = self._hidden(changes, made)
            made += [
                self._marked(one)
                for one in archives
                if version_of(one.archive) not in hides
                and (last[one.archive.memory.id] == one.archive.memory.version) is is_last
            ]
        return made

    def _newest_last(self, archives: Sequence[ArchiveRecord]) -> list[ArchiveRecord]:
        return sorted(archives, key=lambda one: one.archive.memory.version)

    def _hidden(self, changes: Sequence[Change], made: Sequence[File]) -> frozenset[Version]:
        """What no read shows because of this: what a conversation had hidden before would stay for its grace."""
        live = {id: one.memory for id, one in self.known.live.items()}
        archives = {one.archive.id: _as_before(one.archive) for one in self.known.archives}
        for change in (*changes, *made):
            if not isinstance(change, Add | Confirm):
                archive = change.archive.archive
                archives[archive.id] = archive
                live.pop(archive.memory.id, None)
            if isinstance(change, Add | Revise):
                live[change.record.memory.id] = change.record.memory
        return hidden(archives.values(), live.values())

    def _marked(self, one: ArchiveRecord) -> File:
        """The snapshot as forgotten, so that the purge takes it."""
        update = {
            "reason": "forgotten",
            "why": ASKED,
            "archived_at": self.written.now,
            "run": self.run,
        }
        archive = one.archive.model_copy(update=update)
        return File(
            archive=one.model_copy(update={"archive": archive}), relation="forget", why=ASKED
        )


def _as_before(archive: Archive) -> Archive:
    """As if nothing had been forgotten yet."""
    if archive.reason != "forgotten":
        return archive
    return archive.model_copy(update={"reason": "superseded"})
