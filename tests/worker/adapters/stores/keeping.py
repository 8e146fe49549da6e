"""Records for a store, and short ways to ask what it keeps."""

from typing import Any
from uuid import UUID

from schemas.memory import Archive, ArchiveRecord, MemoryRecord, Reason
from schemas.plan import Run
from schemas.scope import Scope
from tests.build import NOW, memory, uid, vector
from tests.hold import HELD
from worker.core.ports import Nominated, Query, Store
from worker.core.texts.words import terms

POOL = 10


def record(scope: Scope, text: str, **fields: Any) -> MemoryRecord:
    return MemoryRecord(memory=memory(text, scope=scope, **fields), vector=vector(text))


def archived(
    one: MemoryRecord, replaced_by: str | None = None, reason: Reason = "superseded"
) -> ArchiveRecord:
    archive = Archive(
        memory=one.memory,
        replaced_by=uid(replaced_by) if replaced_by else None,
        archived_at=NOW,
        reason=reason,
        why="moved",
        run=uid("run"),
    )
    return ArchiveRecord(archive=archive, vector=one.vector)


def run(scope: Scope, name: str, **fields: Any) -> Run:
    given = {"kind": "batch", "state": "applied", "turn_ids": (uid(f"turn of {name}"),)}
    return Run(id=uid(name), scope=scope, **({"started_at": NOW} | given | fields))


def kept(store: Store, scope: Scope, *texts: str) -> list[MemoryRecord]:
    records = [record(scope, text) for text in texts]
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories(records)
    return records


def nominated(store: Store, scope: Scope, pool: int = POOL, **query: Any) -> Nominated:
    return store.nominate(scope, [Query(**({"vector": None} | query))], pool).rankings[0]


def by_words(store: Store, scope: Scope, text: str) -> tuple[UUID, ...]:
    return nominated(store, scope, terms=terms(text)).by_words


def texts(store: Store, scope: Scope) -> set[str]:
    return {one.memory.text for one in store.memories(scope)}
