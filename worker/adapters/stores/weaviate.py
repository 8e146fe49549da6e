"""The production store: multi-tenant collections of a Weaviate server."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from weaviate.classes.aggregate import GroupByAggregate
from weaviate.classes.query import Filter

from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Run
from schemas.scope import Scope
from worker.adapters.stores.deadline import DEADLINE_SECONDS
from worker.adapters.stores.indexed import handed_out, ids_in, in_chunks
from worker.adapters.stores.lineage import in_order, lineage
from worker.adapters.stores.weaviate_address import Address
from worker.adapters.stores.weaviate_cards import Card, all_cards, read_card
from worker.adapters.stores.weaviate_collections import ARCHIVE, MEMORY, RUN, SCOPE, Embedding
from worker.adapters.stores.weaviate_errors import NoTenant
from worker.adapters.stores.weaviate_link import Client, Link, Room
from worker.adapters.stores.weaviate_objects import open_place, pair_of
from worker.adapters.stores.weaviate_pages import PAGE, Pages, count
from worker.adapters.stores.weaviate_replicas import tell_of_replicas
from worker.adapters.stores.weaviate_resting import Resting
from worker.adapters.stores.weaviate_search import Hits, nominated, read, searches
from worker.adapters.stores.weaviate_setup import adopt, ensure
from worker.adapters.stores.weaviate_tuning import DEFAULT, Tuning
from worker.adapters.stores.weaviate_writer import WeaviateWriter
from worker.core.planning.runs import furthest
from worker.core.ports import About, Hold, Nominated, Nominations, Query

#: The server is asked for so many times as many slots as are wanted, so that those at the border of which each is in
#: use as often come by name. It gives the most used; asked for all of 5,000, it takes half a second.
TIED = 4


class WeaviateStore:
    """A scope is a tenant of each collection. The whole record is in `payload`; the rest finds it."""

    def __init__(
        self,
        address: Address,
        key: str | None,
        deadline_seconds: float = DEADLINE_SECONDS,
        tuning: Tuning = DEFAULT,
    ) -> None:
        self._link = Link(address, key, deadline_seconds, tuning.consistency)
        self._resting = Resting(self._link, tuning.rest_seconds, tuning.active_scopes)
        self._pages = Pages(self._link)
        self._replicas = tuning.replicas
        self._embedding = Embedding("", 0)
        #: Keys of scopes; shared by threads, and each use of it is one operation.
        self._prepared: set[str] = set()

    def open(self, embedder: str, dimensions: int) -> None:
        self._open(ensure, Embedding(embedder, dimensions))

    def adopt(self, embedder: str, dimensions: int) -> None:
        self._open(adopt, Embedding(embedder, dimensions))

    def _open(
        self, way: Callable[[Client, Address, Embedding, int], None], embedding: Embedding
    ) -> None:
        address, replicas = self._link.address, self._replicas
        self._link.read([lambda client: way(client, address, embedding, replicas)])
        self._link.read([lambda client: tell_of_replicas(client, address, replicas)])
        self._embedding = embedding

    def rest(self) -> int:
        return self._resting.rest()

    def close(self) -> None:
        self._link.close()

    def nominate(self, scope: Scope, queries: Sequence[Query], pool: int) -> Nominations:
        vector = self._embedding.vector
        asked = [search for query in queries for search in searches(query, vector, pool)]
        found, card = self._found(scope, asked)
        if not found:
            return Nominations(tuple(Nominated() for _ in queries))
        hits = {hit.payload: hit for some in found for hit in some}
        ours = self._embedding.fingerprint
        trusted = ours if card and card.embedder == ours else None
        records = {payload: read(hit, trusted) for payload, hit in hits.items()}
        four = len(asked) // max(len(queries), 1)
        rankings = tuple(
            nominated(query, found[four * place : four * (place + 1)], records, pool)
            for place, query in enumerate(queries)
        )
        named = frozenset[UUID]().union(*map(ids_in, rankings))
        return handed_out(
            rankings,
            [
                (record, hits[payload].terms.split())
                for payload, record in records.items()
                if record.memory.id in named
            ],
        )

    def _found(
        self, scope: Scope, asked: Sequence[Callable[[Room], Hits]]
    ) -> tuple[list[Hits], Card | None]:
        """Beside the searches, whose vectors the scope has: all in the time of one."""
        card: Callable[[Client], Any] = self._link.in_hall(SCOPE, partial(read_card, key=scope.key))
        searching = [self._link.in_room(MEMORY, scope, one) for one in asked]
        try:
            *found, about = self._link.read([*searching, card])
        except NoTenant:
            return [], None
        return found, about

    def memories(self, scope: Scope, ids: Iterable[UUID] | None = None) -> Iterator[MemoryRecord]:
        payloads = (
            self._pages.payloads(scope, MEMORY)
            if ids is None
            else self._pages.named(scope, MEMORY, ids)
        )
        return map(MemoryRecord.model_validate_json, payloads)

    def archives(self, scope: Scope, memory: UUID | None = None) -> Iterator[ArchiveRecord]:
        if memory is not None:
            yield from lineage(memory, lambda asked: self._archives_about(scope, asked))
            return
        payloads = self._pages.payloads(scope, ARCHIVE)
        yield from in_order([ArchiveRecord.model_validate_json(payload) for payload in payloads])

    def _archives_about(self, scope: Scope, memories: Collection[UUID]) -> list[ArchiveRecord]:
        asked = [*map(str, memories)]
        about = Filter.by_property("memory").contains_any(asked)
        replaced = Filter.by_property("replaced_by").contains_any(asked)
        payloads = self._pages.matching(scope, ARCHIVE, about | replaced)
        return [ArchiveRecord.model_validate_json(payload) for payload in payloads]

    def forgotten(self, scope: Scope) -> list[ArchiveRecord]:
        condition = Filter.by_property("reason").equal("forgotten")
        payloads = self._pages.matching(scope, ARCHIVE, condition)
        return in_order([ArchiveRecord.model_validate_json(payload) for payload in payloads])

    def run(self, scope: Scope, id: UUID) -> Run | None:
        payloads = self._pages.named(scope, RUN, [id, open_place(id)])
        return next(iter(furthest(map(Run.model_validate_json, payloads))), None)

    def runs(self, scope: Scope, turn_ids: Iterable[UUID] | None = None) -> Iterator[Run]:
        if turn_ids is None:
            payloads = set(self._pages.payloads(scope, RUN))
        else:
            payloads = {
                payload
                for some in in_chunks(turn_ids, PAGE)
                for payload in self._pages.matching(
                    scope, RUN, Filter.by_property("turns").contains_any([*map(str, some)])
                )
            }
        found = furthest(map(Run.model_validate_json, payloads))
        yield from sorted(found, key=lambda run: (-run.started_at.timestamp(), run.id))

    def open_runs(self, scope: Scope) -> list[Run]:
        payloads = self._pages.matching(scope, RUN, Filter.by_property("state").equal("open"))
        opened = [Run.model_validate_json(payload) for payload in payloads]
        finished = self._pages.named(scope, RUN, [run.id for run in opened])
        found = furthest([*opened, *map(Run.model_validate_json, finished)])
        still = (run for run in found if run.state == "open")
        return sorted(still, key=lambda run: (run.started_at, run.id))

    def slots(self, scope: Scope, limit: int) -> list[tuple[str, str]]:
        counted = self._pages.ask(scope, MEMORY, partial(_count_pairs, most=TIED * limit)) or []
        ordered = sorted((-count, pair_of(pair)) for pair, count in counted)
        return [pair for _, pair in ordered[:limit]]

    def count(self, scope: Scope) -> int:
        return self._pages.ask(scope, MEMORY, count) or 0

    def about(self, scope: Scope) -> About:
        card = self._card(scope.key)
        return card.about if card else About()

    def scope(self, key: str) -> Scope | None:
        card = self._card(key)
        return card.scope if card else None

    def _card(self, key: str) -> Card | None:
        card: Card | None = self._link.read(
            [self._link.in_hall(SCOPE, partial(read_card, key=key))]
        )[0]
        return card

    def scopes(self) -> Iterator[Scope]:
        cards = all_cards(lambda page: self._link.read([self._link.in_hall(SCOPE, page)])[0])
        return (card.scope for card in cards if card.scope)

    def writer(self, scope: Scope, hold: Hold) -> WeaviateWriter:
        return WeaviateWriter(self._link, scope, hold, self._embedding, self._prepared)


def _count_pairs(room: Room, most: int) -> list[tuple[str, int]]:
    groups = room.aggregate.over_all(
        group_by=GroupByAggregate(prop="pair", limit=most), total_count=True
    ).groups
    return [(str(group.grouped_by.value), group.total_count or 0) for group in groups]
