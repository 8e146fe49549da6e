"""Labelled questions put to `recall`, in scopes of their own."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from bench.retrieval.data import Asked, Talk, evidence, records
from bench.retrieval.marks import PAGE, Mark, near_copies, rank
from bench.retrieval.variants import Variant
from bench.scopes import Unleased
from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.scope import Scope
from schemas.tokens import estimate
from worker.adapters.stores.opening import open_store
from worker.core.ports import About, Embedder, Nominations, Query, Reader, Store
from worker.core.recalling.answer import Answer
from worker.core.recalling.ask import Ask
from worker.recall import recall

#: After all that was ever said.
NOW = datetime(2026, 6, 1, tzinfo=UTC)
PORTION = 500


@dataclass(frozen=True)
class Nominating:
    """A store that is asked once for what several ways of answering choose from."""

    store: Reader
    known: dict[Any, Nominations] = field(default_factory=dict)

    def nominate(self, scope: Scope, queries: Sequence[Query], pool: int) -> Nominations:
        key = scope.key, tuple(queries), pool
        if key not in self.known:
            self.known[key] = self.store.nominate(scope, queries, pool)
        return self.known[key]

    def memories(self, scope: Scope, ids: Any = None) -> Iterator[MemoryRecord]:
        return self.store.memories(scope, ids)

    def archives(self, scope: Scope, memory: UUID | None = None) -> Iterator[ArchiveRecord]:
        return self.store.archives(scope, memory)

    def about(self, scope: Scope) -> About:
        return self.store.about(scope)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


@dataclass(frozen=True)
class Trial:
    """All conversations in one store, each a scope; and again with links."""

    store: Reader
    embedder: Embedder
    talks: Sequence[Talk]

    def marks(self, variant: Variant, talks: Sequence[Talk] | None = None) -> list[Mark]:
        """Of every question."""
        return [
            mark
            for talk in (self.talks if talks is None else talks)
            for mark in self._of(talk, variant)
        ]

    def _of(self, talk: Talk, variant: Variant) -> Iterator[Mark]:
        scope = scope_of(talk, linked=variant.is_linked)
        before: Answer | None = None
        for asked in talk.asked:
            shown = _shown(before) if variant.is_second else {}
            answer = self._answer(scope, asked, replace(variant.ask, shown=shown))
            yield self._mark(scope, asked, answer, shown, before)
            before = answer

    def _answer(self, scope: Scope, asked: Asked, ask: Ask) -> Answer:
        ask = replace(ask, queries=(asked.text,))
        return recall(self.store, self.embedder, scope, ask, NOW)

    def _mark(
        self,
        scope: Scope,
        asked: Asked,
        answer: Answer,
        shown: dict[UUID, int],
        before: Answer | None,
    ) -> Mark:
        """What was shown is in the asker's hands already, as if it came first."""
        wanted = evidence(scope, asked)
        page = [one.memory for one in answer.items[:PAGE]]
        vectors = self.embedder.embed([one.text for one in page])
        had = [one.memory.turn_ids for one in before.items[:PAGE]] if shown and before else []
        found = rank((one.memory.turn_ids for one in answer.items), wanted)
        return Mark(
            category=asked.category,
            rank=1 if rank(had, wanted) else found,
            tokens=sum(estimate(one.text) for one in page),
            copies=near_copies(vectors, self.embedder.same),
        )


def _shown(before: Answer | None) -> dict[UUID, int]:
    items = before.items[:PAGE] if before else ()
    return {one.memory.id: one.memory.version for one in items}


def scope_of(talk: Talk, *, linked: bool = False) -> Scope:
    return Scope(app="bench of retrieval", user=f"{talk.name}{' linked' if linked else ''}")


@contextmanager
def opened(url: str, embedder: Embedder) -> Iterator[Store]:
    """A store for this embedder's vectors, open while this is entered."""
    store = open_store(url)
    try:
        store.open(embedder.fingerprint, embedder.dimensions)
        yield store
    finally:
        store.close()


def fill(store: Store, embedder: Embedder, talk: Talk) -> None:
    """Straight into the store, plainly and with links."""
    for linked in (False, True):
        scope = scope_of(talk, linked=linked)
        put(store, scope, records(scope, talk.observed, embedder, linked=linked))


def put(store: Store, scope: Scope, found: Sequence[MemoryRecord]) -> None:
    writer = store.writer(scope, Unleased())
    writer.prepare()
    for at in range(0, len(found), PORTION):
        writer.put_memories(found[at : at + PORTION])


def file_url(folder: Path) -> str:
    return f"sqlite:///{folder / 'retrieval.db'}"
