"""The words of every version of a scope's memories."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from schemas.memory import Archive, Memory
from schemas.scope import Scope
from worker.core.ports import Reader
from worker.recall import earlier

#: Memory id and version → its words; version 0 is the live one.
Texts = Mapping[tuple[UUID, int], str]
LIVE = 0


def newest_first(archives: Iterable[Archive]) -> tuple[Archive, ...]:
    order = sorted(archives, key=lambda one: (one.archived_at, one.memory.version), reverse=True)
    return tuple(order)


def texts_of(store: Reader, scope: Scope) -> Texts:
    """Of all that the scope has ever known and a read may show."""
    return texts_in(earlier(store, scope), (record.memory for record in store.memories(scope)))


def texts_in(archives: Iterable[Archive], live: Iterable[Memory]) -> Texts:
    texts: dict[tuple[UUID, int], str] = {}
    for archive in archives:
        texts[archive.memory.id, archive.memory.version] = archive.memory.text
    for memory in live:
        texts[memory.id, memory.version] = texts[memory.id, LIVE] = memory.text
    return texts
