"""The words of every version of a scope's memories, and what stands in place of each."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from schemas.memory import Archive
from schemas.scope import Scope
from worker.core.ports import Reader
from worker.interfaces.cli.output import short

#: Memory id and version → its words; version 0 is the live one.
Texts = Mapping[tuple[UUID, int], str]
LIVE = 0


def newest_first(archives: Iterable[Archive]) -> tuple[Archive, ...]:
    order = sorted(archives, key=lambda one: (one.archived_at, one.memory.version), reverse=True)
    return tuple(order)


def texts_of(store: Reader, scope: Scope) -> Texts:
    texts: dict[tuple[UUID, int], str] = {}
    for record in store.archives(scope):
        memory = record.archive.memory
        texts[memory.id, memory.version] = memory.text
    for kept in store.memories(scope):
        texts[kept.memory.id, kept.memory.version] = kept.memory.text
        texts[kept.memory.id, LIVE] = kept.memory.text
    return texts


def successor(archive: Archive, texts: Texts) -> str:
    """What stands in its place: the next version of itself, or another memory."""
    by = archive.replaced_by
    if by is None:
        return "–"
    version = archive.memory.version + 1 if by == archive.memory.id else LIVE
    return texts.get((by, version)) or texts.get((by, LIVE)) or short(by)


def reasoned(verdict: str, why: str) -> str:
    return f"{verdict}: {why}" if why else verdict
