"""Whose doing it is that a memory is as it is: work that was undone, and its undo, count for nothing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Changed, Run

#: What each kind of change is called in a message.
DONE = {
    "add": "brought back",
    "confirm": "confirmed",
    "revise": "revised",
    "retire": "retired",
    "file": "archived anew",
}


@dataclass(frozen=True)
class Known:
    """What a store holds around a run: the scope's runs, newest first, and all of the memories that the run changed."""

    runs: Mapping[UUID, Run]
    live: Mapping[UUID, MemoryRecord]
    #: Memory id → version → its snapshot.
    archives: Mapping[UUID, Mapping[int, ArchiveRecord]]

    def snapshot(self, memory: UUID, version: int) -> ArchiveRecord | None:
        return self.archives.get(memory, {}).get(version)

    def last_version(self, memory: UUID) -> int:
        """The highest there was, 0 where there was none."""
        return max(self.archives.get(memory, {}), default=0)


def main_changes(changes: Iterable[Changed]) -> dict[UUID, Changed]:
    """What a run did to each memory itself; a snapshot that was filed beside comes after that."""
    found: dict[UUID, Changed] = {}
    for change in changes:
        if change.kind != "file" or change.memory_id not in found:
            found[change.memory_id] = change
    return found


def archived(change: Changed) -> tuple[UUID, int] | None:
    """Memory and version of the snapshot that it wrote."""
    match change.kind:
        case "revise":
            return change.memory_id, change.version - 1
        case "retire" | "file":
            return change.memory_id, change.version
        case _:
            return None


def as_left_by(known: Known, memory: UUID) -> list[UUID]:
    """Runs after which the memory was as it is now, the latest first. Empty where nothing remains of it.

    The last one made it so; the others took back, or did again, what had come after it, or imported it.
    """
    found: list[UUID] = []
    at = _last_hand(known, memory)
    while at is not None and at not in found:
        found.append(at)
        at = _hand_before(known, at, memory)
    return found


def _last_hand(known: Known, memory: UUID) -> UUID | None:
    if (record := known.live.get(memory)) is not None:
        return record.memory.last_run
    snapshot = known.snapshot(memory, known.last_version(memory))
    return snapshot.archive.run if snapshot else None


def _hand_before(known: Known, id: UUID, memory: UUID) -> UUID | None:
    """Where this run only took another back, or brought it in: whoever had last written what that one changed."""
    run = known.runs.get(id)
    undid = known.runs.get(run.undoes) if run and run.undoes else None
    if undid is None:
        own = main_changes(run.changes).get(memory) if run else None
        return own.written_by if own else None
    change = main_changes(undid.changes).get(memory)
    return _hand_under(known, change) if change else None


def _hand_under(known: Known, change: Changed) -> UUID | None:
    match change.kind:
        case "confirm":
            return change.prior.last_run if change.prior else None
        case "revise" | "retire":
            before = known.snapshot(*(archived(change) or (change.memory_id, 0)))
            return before.archive.memory.last_run if before else None
        case "add":
            gone = known.snapshot(change.memory_id, change.version - 1)
            return gone.archive.run if gone else None
        case "file":
            return None


def taken_back(target: Run, known: Known) -> list[Run]:
    """The target, the run that it took back, the one that this had taken back, and so on."""
    chain, at = list[Run](), target
    while at.undoes is not None and at.undoes in known.runs:
        chain.append(at)
        at = known.runs[at.undoes]
    return [*chain, at]


def named(run: Run) -> str:
    """As messages speak of a run."""
    return f"run {run.id} ({run.kind}, {run.started_at:%Y-%m-%d %H:%M %Z})"
