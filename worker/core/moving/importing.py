"""What of an export a scope still lacks, and the plan that adds it. What is here already is never replaced."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from schemas.base import Vector
from schemas.exported import ArchiveLine, Content, MemoryLine, RunLine
from schemas.ids import write_run_id
from schemas.memory import ArchiveRecord, Memory, MemoryRecord
from schemas.plan import Add, Change, File, Plan, Run
from schemas.scope import Scope
from worker.core.texts.lengths import LONGEST_TEXT

#: Kind, id, and the version of what is no longer live.
Key = tuple[str, UUID, int]

THERE = "there already"
MOVED = "another version is here"
TAKEN_BACK = "taken back here: undo that undo"
FORGOTTEN = "forgotten since"
ERASED = "erased since"
UNFINISHED = "unfinished run"
IMPOSSIBLE = "impossible record"
WHY = "imported"
#: No memory ever comes near it, nor from there to the largest integer of a store.
MOST_VERSIONS = 2**31


@dataclass(frozen=True)
class Known:
    """What the scope has of the ids that a portion names."""

    live: Mapping[UUID, Memory] = field(default_factory=dict)
    #: Memory id → the versions of it that there are snapshots of.
    archived: Mapping[UUID, frozenset[int]] = field(default_factory=dict)
    #: Memories that an undo has taken away.
    taken_back: frozenset[UUID] = frozenset()
    #: Memory id → the last version of it that a run took out of the live store: its snapshot may be gone since.
    retired: Mapping[UUID, int] = field(default_factory=dict)
    runs: frozenset[UUID] = frozenset()
    #: Memories of which something was forgotten.
    forgotten: frozenset[UUID] = frozenset()
    erased_at: datetime | None = None


@dataclass(frozen=True)
class Lacking:
    """What is to be written, and how much was left out for which reason."""

    memories: tuple[MemoryLine, ...]
    archives: tuple[ArchiveLine, ...]
    runs: tuple[RunLine, ...]
    left_out: Mapping[str, int]


def forgotten_in(runs: Iterable[Run]) -> frozenset[UUID]:
    """Memories that a person has had forgotten: an export from before must not bring them back."""
    return frozenset(
        change.memory_id
        for run in runs
        if run.state == "applied"
        for change in run.changes
        if change.relation == "forget"
    )


def retired_in(runs: Iterable[Run]) -> dict[UUID, int]:
    """Memories that left the live store, and in which version: an export from before must not bring one back."""
    found: dict[UUID, int] = {}
    for run in runs:
        for change in run.changes if run.state == "applied" else ():
            if change.kind == "retire":
                found[change.memory_id] = max(change.version, found.get(change.memory_id, 0))
    return found


def lacking(lines: Iterable[Content], known: Known) -> Lacking:
    """Each record once; of two that are the same version of the same the first."""
    left_out = Counter[str]()
    wanted: dict[Key, Content] = {}
    for line in lines:
        if reason := _why_not(line, known):
            left_out[reason] += 1
        else:
            wanted.setdefault(_key(line), line)
    for key in _not_earlier(wanted):
        del wanted[key]
        left_out[MOVED] += 1
    return Lacking(
        memories=tuple(line for line in wanted.values() if isinstance(line, MemoryLine)),
        archives=tuple(line for line in wanted.values() if isinstance(line, ArchiveLine)),
        runs=tuple(line for line in wanted.values() if isinstance(line, RunLine)),
        left_out=left_out,
    )


def _not_earlier(wanted: Mapping[Key, Content]) -> list[Key]:
    """Snapshots of versions that the live memory beside them has yet to reach."""
    live = {one.memory.id: one.memory.version for one in wanted.values() if one.kind == "memory"}
    return [
        key
        for key, one in wanted.items()
        if one.kind == "archive" and live.get(key[1], MOST_VERSIONS) <= one.archive.memory.version
    ]


def _key(line: Content) -> Key:
    match line:
        case MemoryLine():
            return line.kind, line.memory.id, 0
        case ArchiveLine():
            return line.kind, line.archive.memory.id, line.archive.memory.version
        case RunLine():
            return line.kind, line.run.id, 0


def _why_not(line: Content, known: Known) -> str | None:
    match line:
        case MemoryLine():
            return _unwanted(line.memory, known) or _why_not_memory(line.memory, known)
        case ArchiveLine():
            memory = line.archive.memory
            return _unwanted(memory, known) or _why_not_archive(memory, known)
        case RunLine():
            return _why_not_run(line.run, known)


def imported(
    scope: Scope, portion: Lacking, vectors: Sequence[Vector], now: datetime, key: str
) -> Plan:
    """A plan that adds the memories and files the archives. `vectors` are of the memories, then of the archives."""
    run = write_run_id(scope.key, key)
    fresh = iter(vectors)
    changes: list[Change] = [
        Add(
            record=_record(line, next(fresh), run),
            relation="new",
            why=WHY,
            written_by=line.memory.last_run,
        )
        for line in portion.memories
    ]
    changes += [
        File(
            archive=ArchiveRecord(archive=line.archive, vector=next(fresh)),
            relation="new",
            why=WHY,
        )
        for line in portion.archives
    ]
    return Plan(
        run=run,
        kind="write",
        scope=scope,
        turn_ids=(),
        base={},
        changes=tuple(changes),
        planned_at=now,
    )


def _record(line: MemoryLine, vector: Vector, run: UUID) -> MemoryRecord:
    return MemoryRecord(memory=line.memory.model_copy(update={"last_run": run}), vector=vector)


def _why_not_memory(memory: Memory, known: Known) -> str | None:
    if (here := known.live.get(memory.id)) is not None:
        return THERE if here.version == memory.version else MOVED
    last = max(known.archived.get(memory.id, ()), default=known.retired.get(memory.id, 0))
    if last < memory.version:
        return None
    return TAKEN_BACK if memory.id in known.taken_back else MOVED


def _why_not_archive(memory: Memory, known: Known) -> str | None:
    if memory.version in known.archived.get(memory.id, ()):
        return THERE
    here = known.live.get(memory.id)
    return MOVED if here is not None and here.version <= memory.version else None


def _why_not_run(run: Run, known: Known) -> str | None:
    if run.id in known.runs:
        return THERE
    if run.state == "open":
        return UNFINISHED
    return ERASED if known.erased_at and run.started_at <= known.erased_at else None


def _unwanted(memory: Memory, known: Known) -> str | None:
    if memory.version >= MOST_VERSIONS or len(memory.text) > LONGEST_TEXT:
        return IMPOSSIBLE
    if known.erased_at and memory.said_at <= known.erased_at:
        return ERASED
    is_forgotten = not known.forgotten.isdisjoint({memory.id, *memory.derived})
    return FORGOTTEN if is_forgotten else None
