"""The production store: multi-tenant collections of a Weaviate server."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, TypeVar
from uuid import UUID

from weaviate.classes.aggregate import GroupByAggregate
from weaviate.classes.query import Filter, Sort
from weaviate.collections.classes.filters import _Filters as Condition

from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Run
from schemas.scope import Scope
from worker.adapters.stores.deadline import DEADLINE_SECONDS
from worker.adapters.stores.indexed import handed_out, ids_in, in_chunks
from worker.adapters.stores.lineage import in_order, lineage
from worker.adapters.stores.weaviate_address import Address
from worker.adapters.stores.weaviate_collections import ARCHIVE, MEMORY, RUN, Embedding, ensure
from worker.adapters.stores.weaviate_errors import NoTenant
from worker.adapters.stores.weaviate_link import Link, Room
from worker.adapters.stores.weaviate_objects import pair_of
from worker.adapters.stores.weaviate_search import PAYLOAD, nominated, searches
from worker.adapters.stores.weaviate_writer import WeaviateWriter
from worker.core.ports import Hold, Nominated, Nominations, Query
from worker.core.runs import furthest

#: Objects of one page when a whole scope, or all that a filter finds, is read.
PAGE = 200
#: Most slots that are counted.
SLOTS = 10_000
BEFORE_ALL = UUID(int=0)

T = TypeVar("T")


class WeaviateStore:
    """A scope is a tenant of each collection. The whole record is in `payload`; the rest finds it."""

    def __init__(
        self, address: Address, key: str | None, deadline_seconds: float = DEADLINE_SECONDS
    ) -> None:
        self._link = Link(address, key, deadline_seconds)
        self._embedding = Embedding("", 0)
        #: Keys of scopes; shared by threads, and each use of it is one operation.
        self._prepared: set[str] = set()

    def open(self, embedder: str, dimensions: int) -> None:
        embedding = Embedding(embedder, dimensions)
        self._link.read([lambda client: ensure(client, self._link.address, embedding)])
        self._embedding = embedding

    def close(self) -> None:
        self._link.close()

    def nominate(self, scope: Scope, queries: Sequence[Query], pool: int) -> Nominations:
        vector = self._embedding.vector
        asked = [search for query in queries for search in searches(query, vector, pool)]
        found = self._read(scope, MEMORY, asked)
        if found is None:
            return Nominations(tuple(Nominated() for _ in queries))
        words = {hit.payload: hit.terms for hits in found for hit in hits}
        records = {payload: MemoryRecord.model_validate_json(payload) for payload in words}
        four = len(asked) // max(len(queries), 1)
        rankings = tuple(
            nominated(query, found[four * place : four * (place + 1)], records, pool)
            for place, query in enumerate(queries)
        )
        named = frozenset[UUID]().union(*map(ids_in, rankings))
        return handed_out(
            rankings,
            [
                (record, words[payload].split())
                for payload, record in records.items()
                if record.memory.id in named
            ],
        )

    def memories(self, scope: Scope, ids: Iterable[UUID] | None = None) -> Iterator[MemoryRecord]:
        payloads = self._all(scope, MEMORY) if ids is None else self._named(scope, MEMORY, ids)
        return map(MemoryRecord.model_validate_json, payloads)

    def archives(self, scope: Scope, memory: UUID | None = None) -> Iterator[ArchiveRecord]:
        if memory is not None:
            yield from lineage(memory, lambda asked: self._archives_about(scope, asked))
            return
        payloads = self._all(scope, ARCHIVE)
        yield from in_order([ArchiveRecord.model_validate_json(payload) for payload in payloads])

    def _archives_about(self, scope: Scope, memories: Collection[UUID]) -> list[ArchiveRecord]:
        asked = [*map(str, memories)]
        about = Filter.by_property("memory").contains_any(asked)
        replaced = Filter.by_property("replaced_by").contains_any(asked)
        payloads = self._matching(scope, ARCHIVE, about | replaced)
        return [ArchiveRecord.model_validate_json(payload) for payload in payloads]

    def runs(self, scope: Scope, turn_ids: Iterable[UUID] | None = None) -> Iterator[Run]:
        if turn_ids is None:
            payloads = set(self._all(scope, RUN))
        else:
            payloads = {
                payload
                for some in in_chunks(turn_ids, PAGE)
                for payload in self._matching(
                    scope, RUN, Filter.by_property("turns").contains_any([*map(str, some)])
                )
            }
        found = furthest(map(Run.model_validate_json, payloads))
        yield from sorted(found, key=lambda run: (-run.started_at.timestamp(), run.id))

    def open_runs(self, scope: Scope) -> list[Run]:
        payloads = self._matching(scope, RUN, Filter.by_property("state").equal("open"))
        opened = [Run.model_validate_json(payload) for payload in payloads]
        finished = self._named(scope, RUN, [run.id for run in opened])
        found = furthest([*opened, *map(Run.model_validate_json, finished)])
        still = (run for run in found if run.state == "open")
        return sorted(still, key=lambda run: (run.started_at, run.id))

    def slots(self, scope: Scope, limit: int) -> list[tuple[str, str]]:
        counted = self._read(scope, MEMORY, [_count_pairs])
        if counted is None:
            return []
        ordered = sorted((-count, pair_of(pair)) for pair, count in counted[0])
        return [pair for _, pair in ordered[:limit]]

    def count(self, scope: Scope) -> int:
        counted = self._read(scope, MEMORY, [_count])
        return counted[0] if counted else 0

    def writer(self, scope: Scope, hold: Hold) -> WeaviateWriter:
        return WeaviateWriter(self._link, scope, hold, self._embedding, self._prepared)

    def _read(self, scope: Scope, name: str, work: Sequence[Callable[[Room], T]]) -> list[T] | None:
        """Nothing for a scope that was never written to."""
        try:
            return self._link.read([self._link.in_room(name, scope, one) for one in work])
        except NoTenant:
            return None

    def _all(self, scope: Scope, name: str) -> Iterator[str]:
        """Payloads in order of id."""
        after = BEFORE_ALL
        while True:
            page = self._page(scope, name, limit=PAGE, after=after)
            yield from (payload for _, payload in page)
            if len(page) < PAGE:
                return
            after = page[-1][0]

    def _matching(self, scope: Scope, name: str, condition: Condition) -> list[str]:
        found: list[str] = []
        while True:
            page = self._page(
                scope,
                name,
                limit=PAGE,
                offset=len(found),
                filters=condition,
                sort=Sort.by_id(),
            )
            found += [payload for _, payload in page]
            if len(page) < PAGE:
                return found

    def _named(self, scope: Scope, name: str, ids: Iterable[UUID]) -> Iterator[str]:
        """Payloads of these objects, in order of id."""
        for some in in_chunks(ids, PAGE):
            condition = Filter.by_id().contains_any([*map(str, some)])
            page = self._page(scope, name, limit=PAGE, filters=condition)
            yield from (payload for _, payload in sorted(page))

    def _page(self, scope: Scope, name: str, **options: Any) -> list[tuple[UUID, str]]:
        pages = self._read(scope, name, [_fetch(options)])
        return pages[0] if pages else []


def _fetch(options: dict[str, Any]) -> Callable[[Room], list[tuple[UUID, str]]]:
    def fetch(room: Room) -> list[tuple[UUID, str]]:
        answer = room.query.fetch_objects(return_properties=PAYLOAD, **options)
        return [(hit.uuid, str(hit.properties["payload"])) for hit in answer.objects]

    return fetch


def _count(room: Room) -> int:
    return room.aggregate.over_all(total_count=True).total_count or 0


def _count_pairs(room: Room) -> list[tuple[str, int]]:
    groups = room.aggregate.over_all(
        group_by=GroupByAggregate(prop="pair", limit=SLOTS), total_count=True
    ).groups
    return [(str(group.grouped_by.value), group.total_count or 0) for group in groups]
