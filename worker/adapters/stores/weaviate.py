"""The production store: multi-tenant collections of a Weaviate server."""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from weaviate.classes.aggregate import GroupByAggregate
from weaviate.classes.query import Filter, Sort
from weaviate.classes.tenants import Tenant
from weaviate.collections.classes.batch import DeleteManyReturn
from weaviate.collections.classes.filters import _Filters as Condition
from weaviate.exceptions import WeaviateInsertManyAllFailedError

from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Run
from schemas.scope import Scope
from worker.adapters.stores.deadline import DEADLINE_SECONDS
from worker.adapters.stores.indexed import (
    check_archives,
    check_memories,
    handed_out,
    ids_in,
    in_chunks,
)
from worker.adapters.stores.lineage import in_order, lineage
from worker.adapters.stores.rooms import NoRoom
from worker.adapters.stores.weaviate_address import Address
from worker.adapters.stores.weaviate_collections import ARCHIVE, MEMORY, RUN, Embedding, ensure
from worker.adapters.stores.weaviate_errors import NoTenant, meaning
from worker.adapters.stores.weaviate_link import Client, Link
from worker.adapters.stores.weaviate_objects import (
    Object,
    in_requests,
    of_archive,
    of_memory,
    of_run,
    pair_of,
)
from worker.adapters.stores.weaviate_search import PAYLOAD, Room, nominated, searches
from worker.core.ports import Nominated, Nominations, Query
from worker.errors import Retryable

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
        self._address = address
        self._embedding = Embedding("", 0)
        self._lock = threading.Lock()
        self._prepared: set[str] = set()

    def open(self, embedder: str, dimensions: int) -> None:
        embedding = Embedding(embedder, dimensions)
        self._link.write(lambda client: ensure(client, self._address, embedding))
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
        found = map(Run.model_validate_json, payloads)
        yield from sorted(found, key=lambda run: (-run.started_at.timestamp(), run.id))

    def open_runs(self, scope: Scope) -> list[Run]:
        payloads = self._matching(scope, RUN, Filter.by_property("state").equal("open"))
        found = map(Run.model_validate_json, payloads)
        return sorted(found, key=lambda run: (run.started_at, run.id))

    def slots(self, scope: Scope, limit: int) -> list[tuple[str, str]]:
        counted = self._read(scope, MEMORY, [_count_pairs])
        if counted is None:
            return []
        ordered = sorted((-count, pair_of(pair)) for pair, count in counted[0])
        return [pair for _, pair in ordered[:limit]]

    def count(self, scope: Scope) -> int:
        counted = self._read(scope, MEMORY, [_count])
        return counted[0] if counted else 0

    def prepare(self, scope: Scope) -> None:
        with self._lock:
            if scope.key in self._prepared:
                return
        for name in (RUN, ARCHIVE, MEMORY):
            self._link.write(partial(self._make_room, name, scope))
        with self._lock:
            self._prepared.add(scope.key)

    def put_run(self, run: Run) -> None:
        self._put(run.scope, RUN, [of_run(run)])

    def put_archives(self, scope: Scope, records: Sequence[ArchiveRecord]) -> None:
        check_archives(scope, records, self._embedding.dimensions)
        self._put(scope, ARCHIVE, [of_archive(one, self._embedding.vector) for one in records])

    def put_memories(self, scope: Scope, records: Sequence[MemoryRecord]) -> None:
        check_memories(scope, records, self._embedding.dimensions)
        self._put(scope, MEMORY, [of_memory(one, self._embedding.vector) for one in records])

    def remove_memories(self, scope: Scope, ids: Sequence[UUID]) -> None:
        for some in in_chunks(ids, PAGE):
            condition = Filter.by_id().contains_any([*map(str, some)])
            removed = self._write(scope, MEMORY, _remove(condition))
            if removed.failed:
                raise Retryable(f"{self._address} did not remove {removed.failed} memories")

    def _make_room(self, name: str, scope: Scope, client: Client) -> None:
        client.collections.use(self._address.prefix + name).tenants.create([Tenant(name=scope.key)])

    def _put(self, scope: Scope, name: str, objects: Sequence[Object]) -> None:
        for some in in_requests(objects):
            self._write(scope, name, _insert(some, self._address))

    def _write(self, scope: Scope, name: str, work: Callable[[Room], T]) -> T:
        try:
            return self._link.write(partial(self._in_room, name, scope, work))
        except NoTenant as error:
            with self._lock:
                self._prepared.discard(scope.key)
            raise NoRoom(scope) from error

    def _read(self, scope: Scope, name: str, work: Sequence[Callable[[Room], T]]) -> list[T] | None:
        """Nothing for a scope that was never written to."""
        try:
            return self._link.read([partial(self._in_room, name, scope, one) for one in work])
        except NoTenant:
            return None

    def _in_room(self, name: str, scope: Scope, work: Callable[[Room], T], client: Client) -> T:
        """The only way to the data, and it leads to one scope."""
        collection = client.collections.use(self._address.prefix + name)
        return work(collection.with_tenant(scope.key))

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


def _insert(objects: list[Object], address: Address) -> Callable[[Room], None]:
    """An object that is there already is replaced."""

    def insert(room: Room) -> None:
        try:
            refused = room.data.insert_many(objects).errors
        except WeaviateInsertManyAllFailedError as error:
            raise meaning(str(error), address) from error
        for wrong in refused.values():
            raise meaning(wrong.message, address)

    return insert


def _remove(condition: Condition) -> Callable[[Room], DeleteManyReturn[None]]:
    return lambda room: room.data.delete_many(where=condition)


def _count(room: Room) -> int:
    return room.aggregate.over_all(total_count=True).total_count or 0


def _count_pairs(room: Room) -> list[tuple[str, int]]:
    groups = room.aggregate.over_all(
        group_by=GroupByAggregate(prop="pair", limit=SLOTS), total_count=True
    ).groups
    return [(str(group.grouped_by.value), group.total_count or 0) for group in groups]
