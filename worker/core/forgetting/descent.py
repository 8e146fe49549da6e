"""Which snapshots came before a memory, and what came of it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from uuid import UUID

from schemas.memory import Archive, ArchiveRecord, Memory, MemoryRecord

#: Ways of leaving the live store in which a text goes on into another.
HANDED_ON = frozenset({"merged", "superseded", "expired", "forgotten"})


def replaced(archives: Iterable[Archive], standing: Collection[UUID]) -> dict[UUID, list[Archive]]:
    """Memory id → the last snapshots of those that it took the place of for good.

    What was replaced once and stands again, as after an undo, is its own memory.
    """
    last: dict[UUID, Archive] = {}
    for one in archives:
        known = last.setdefault(one.memory.id, one)
        if one.memory.version > known.memory.version:
            last[one.memory.id] = one
    found: dict[UUID, list[Archive]] = {}
    for id, one in last.items():
        if one.replaced_by is not None and id not in standing:
            found.setdefault(one.replaced_by, []).append(one)
    return found


@dataclass(frozen=True)
class Grounds:
    """Versions that go, and memories of which every version until one goes."""

    versions: Collection[tuple[UUID, int]]
    until: Mapping[UUID, int] = field(default_factory=dict)

    def bear(self, memory: Memory) -> bool:
        """Whether it was derived from any of them."""
        return any(
            version <= self.until.get(id, 0) or (id, version) in self.versions
            for id, version in memory.derived.items()
        )


@dataclass(frozen=True)
class Known:
    """All that a scope's store holds of memories."""

    live: Mapping[UUID, MemoryRecord]
    archives: Sequence[ArchiveRecord]

    @classmethod
    def of(cls, live: Iterable[MemoryRecord], archives: Iterable[ArchiveRecord]) -> "Known":
        return cls({record.memory.id: record for record in live}, tuple(archives))

    def before(self, memory: UUID) -> list[ArchiveRecord]:
        """Its own versions and those of memories that were replaced by it for good, transitively."""
        whose, ask = set[UUID](), [memory]
        while ask:
            id = ask.pop()
            if id not in whose:
                whose.add(id)
                ask += [one.memory.id for one in self._replaced.get(id, ())]
        return [one for one in self.archives if one.archive.memory.id in whose]

    @cached_property
    def _replaced(self) -> Mapping[UUID, list[Archive]]:
        return replaced((one.archive for one in self.archives), self.live.keys())

    @cached_property
    def _snapshots(self) -> Mapping[UUID, list[ArchiveRecord]]:
        found: dict[UUID, list[ArchiveRecord]] = {}
        for one in self.archives:
            found.setdefault(one.archive.memory.id, []).append(one)
        return found

    def last(self, memory: UUID) -> Archive | None:
        """Its newest snapshot."""
        own = [one.archive for one in self._snapshots.get(memory, ())]
        return max(own, key=lambda one: one.memory.version, default=None)

    def heir(self, memory: UUID) -> UUID:
        """What it went on into, transitively; itself where it did not."""
        seen = {memory}
        while memory not in self.live and (last := self.last(memory)):
            into = last.replaced_by
            if into is None or into in seen or last.reason not in HANDED_ON:
                break
            seen.add(into)
            memory = into
        return memory

    def made_of(self, archive: Archive) -> Memory | None:
        """The version that came of it: its own next one, or that of what it went on into."""
        into = archive.replaced_by
        if into is None:
            return None
        if into == archive.memory.id:
            return self.version(into, archive.memory.version + 1)
        before = next(
            (
                one.archive.memory.version
                for one in self.archives
                if one.archive.memory.id == into and one.archive.run == archive.run
            ),
            0,
        )
        return self.version(into, before + 1)

    def version(self, memory: UUID, version: int) -> Memory | None:
        live = self.live.get(memory)
        if live and live.memory.version == version:
            return live.memory
        archived = (one.archive.memory for one in self._snapshots.get(memory, ()))
        return next((one for one in archived if one.version == version), None)
