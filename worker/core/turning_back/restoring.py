"""An earlier version of a memory stands again: as the next one, since versions only grow."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from schemas.ids import restore_run_id
from schemas.memory import ArchiveRecord, Memory, MemoryRecord
from schemas.plan import Add, Change, Plan, Revise
from schemas.scope import Scope
from worker.core.groups.merging import outdated
from worker.errors import NotFound

#: What every write changes.
OWN_FIELDS = {"version", "updated_at", "last_run"}


def brought_back(earlier: ArchiveRecord, version: int, run: UUID, now: datetime) -> MemoryRecord:
    """A snapshot as a live record of this version, to the last detail."""
    own = {"version": version, "updated_at": now, "last_run": run}
    memory = earlier.archive.memory.model_copy(update=own)
    return MemoryRecord(memory=memory, vector=earlier.vector)


def same_content(one: Memory, other: Memory) -> bool:
    """Whether two versions differ in nothing but what every write changes."""
    return one.model_dump(exclude=OWN_FIELDS) == other.model_dump(exclude=OWN_FIELDS)


@dataclass(frozen=True)
class Versions:
    """What there is of one memory."""

    id: UUID
    live: MemoryRecord | None
    #: By version, those included that no read may show.
    archives: Mapping[int, ArchiveRecord]
    #: Versions among them that no read may show.
    hidden: frozenset[int] = frozenset()

    @property
    def shown(self) -> tuple[int, ...]:
        live = {self.live.memory.version} if self.live else set()
        return tuple(sorted((self.archives.keys() - self.hidden) | live))

    @property
    def last(self) -> int:
        live = self.live.memory.version if self.live else 0
        return max(live, *self.archives, 0)


def restored(
    scope: Scope, versions: Versions, version: int, now: datetime, embedder: str = ""
) -> Plan:
    """The plan that lets a version stand again; without changes where it stands already, or the same content does.

    Raises `NotFound`, naming the versions that there are, for one that is not there or may not be shown.
    """
    if version not in versions.shown:
        raise _not_found(versions, version)
    live = versions.live
    run = restore_run_id(scope.key, versions.id, version, versions.last)
    return Plan(
        run=run,
        kind="restore",
        scope=scope,
        turn_ids=(),
        base={live.memory.id: live.memory.version} if live else {},
        base_runs={live.memory.id: live.memory.last_run} if live else {},
        changes=tuple(_changes(versions, version, run, now)),
        planned_at=now,
        embedder=embedder,
    )


def _changes(versions: Versions, version: int, run: UUID, now: datetime) -> list[Change]:
    live = versions.live
    if live and live.memory.version == version:
        return []
    earlier, why = versions.archives[version], f"restored to version {version}"
    record = brought_back(earlier, versions.last + 1, run, now)
    if live is None:
        return [Add(record=record, relation="new", why=why)]
    if same_content(record.memory, live.memory):
        return []
    over = outdated(live, why=why, run=run, now=now)
    return [Revise(record=record, archive=over, relation="update", why=why)]


def _not_found(versions: Versions, version: int) -> NotFound:
    there = ", ".join(map(str, versions.shown))
    if not there:
        return NotFound(
            f"memory {versions.id} is not found in this scope: `slowwave memories` lists what is there"
        )
    return NotFound(
        f"version {version} of memory {versions.id} is not found: there are versions {there}"
    )
