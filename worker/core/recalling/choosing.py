"""Which memories, and which versions of them, an answer is chosen among."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from schemas.base import Vector
from schemas.memory import ArchiveRecord, MemoryRecord
from worker.core.current import current
from worker.core.forgetting.hidden import Version, version_of
from worker.core.recalling.ask import Ask
from worker.core.recalling.pool import Entry, identity
from worker.core.views import Shown, viewed, with_history


def standing(
    records: Iterable[MemoryRecord], now: datetime, *, comparable: bool = True
) -> list[Entry]:
    """What is current of these, in order of id; without vectors that are not `comparable` with the question's."""
    entries = [
        Entry(memory, record.vector if comparable else b"")
        for record in records
        if (memory := current(record.memory, now)) is not None
    ]
    return sorted(entries, key=identity)


def seen_from(
    ask: Ask,
    live: Sequence[MemoryRecord],
    archives: Sequence[ArchiveRecord],
    now: datetime,
    *,
    comparable: bool,
) -> list[Entry]:
    """What of a whole scope was believed or true at another time, or ever, in order of id and version.

    Without their vectors where these are not `comparable` with the question's.
    """
    vectors = _vectors(live, archives) if comparable else {}
    entries = [
        Entry(one.memory, vectors.get((one.memory.id, one.memory.version), b""), one.superseded)
        for one in _shown(ask, live, archives, now)
    ]
    return sorted(entries, key=identity)


def _shown(
    ask: Ask, live: Sequence[MemoryRecord], archives: Sequence[ArchiveRecord], now: datetime
) -> list[Shown]:
    snapshots = [record.archive for record in archives]
    memories = [record.memory for record in live]
    if ask.with_history:
        return with_history(snapshots, memories, now)
    found = viewed(snapshots, memories, now, as_of=ask.as_of, valid_at=ask.valid_at)
    return [Shown(memory, superseded=False) for memory in found]


def _vectors(
    live: Iterable[MemoryRecord], archives: Iterable[ArchiveRecord]
) -> dict[Version, Vector]:
    """Of each version its own."""
    found = {(one.memory.id, one.memory.version): one.vector for one in live}
    return found | {version_of(one.archive): one.vector for one in archives}
