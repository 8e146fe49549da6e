"""Whose snapshots belong to the history of one memory."""

from collections.abc import Callable, Collection
from uuid import UUID

from schemas.memory import ArchiveRecord

#: Snapshots of any of these memories, and those that name one of them as what replaced them.
Fetch = Callable[[Collection[UUID]], list[ArchiveRecord]]


def lineage(memory: UUID, fetch: Fetch) -> list[ArchiveRecord]:
    """Its own versions and those of memories that were replaced by it, transitively, in order."""
    found: dict[UUID, ArchiveRecord] = {}
    asked: set[UUID] = set()
    ask = {memory}
    while ask:
        found |= {record.archive.id: record for record in fetch(ask)}
        asked |= ask
        ask = {record.archive.memory.id for record in found.values()} - asked
    return in_order(found.values())


def in_order(records: Collection[ArchiveRecord]) -> list[ArchiveRecord]:
    """By memory id, then version."""
    return sorted(
        records, key=lambda record: (record.archive.memory.id, record.archive.memory.version)
    )
