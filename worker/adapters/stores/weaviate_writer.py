"""Writing to one scope of a Weaviate server, which has neither transactions nor a compare-and-set."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar
from uuid import UUID

from weaviate.classes.query import Filter
from weaviate.classes.tenants import Tenant
from weaviate.collections.classes.batch import DeleteManyReturn
from weaviate.collections.classes.filters import _Filters as Condition
from weaviate.exceptions import WeaviateInsertManyAllFailedError

from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Run
from schemas.scope import Scope
from worker.adapters.stores.indexed import check_archives, check_memories, in_chunks
from worker.adapters.stores.rooms import NoRoom
from worker.adapters.stores.weaviate_address import Address
from worker.adapters.stores.weaviate_collections import ARCHIVE, MEMORY, RUN, Embedding
from worker.adapters.stores.weaviate_errors import NoTenant, meaning
from worker.adapters.stores.weaviate_gate import pass_gate
from worker.adapters.stores.weaviate_link import Client, Link, Room
from worker.adapters.stores.weaviate_objects import (
    Object,
    in_requests,
    of_archive,
    of_memory,
    of_run,
)
from worker.core.ports import Hold
from worker.errors import Retryable

#: Most objects of one removal.
PAGE = 200

T = TypeVar("T")


class WeaviateWriter:
    """The lease is asked for in the sending thread, right before each request leaves, the client's retries included.

    What remains: a request that has passed that question cannot be called back. If the process, the network or the
    server holds it up just then until another claim of the scope has gone on, it still lands: an older version of a
    memory over a newer one, or one that was removed. A late record of a run reopens nothing: see `of_run`.
    """

    def __init__(
        self, link: Link, scope: Scope, hold: Hold, embedding: Embedding, prepared: set[str]
    ) -> None:
        self._link = link
        self._scope = scope
        self._hold = hold
        self._embedding = embedding
        self._prepared = prepared

    def prepare(self) -> None:
        if self._scope.key in self._prepared:
            return
        for name in (RUN, ARCHIVE, MEMORY):
            self._link.write(partial(self._make_room, name), self._hold.check)
        self._prepared.add(self._scope.key)

    def put_run(self, run: Run) -> None:
        self._put(RUN, of_run(run))

    def put_archives(self, records: Sequence[ArchiveRecord]) -> None:
        check_archives(self._scope, records, self._embedding.dimensions)
        self._put(ARCHIVE, [of_archive(one, self._embedding.vector) for one in records])

    def put_memories(self, records: Sequence[MemoryRecord]) -> None:
        check_memories(self._scope, records, self._embedding.dimensions)
        self._put(MEMORY, [of_memory(one, self._embedding.vector) for one in records])

    def remove_memories(self, ids: Sequence[UUID]) -> None:
        for some in in_chunks(ids, PAGE):
            condition = Filter.by_id().contains_any([*map(str, some)])
            removed = self._write(MEMORY, _remove(condition))
            if removed.failed:
                raise Retryable(f"{self._link.address} did not remove {removed.failed} memories")

    def _make_room(self, name: str, client: Client) -> None:
        tenants = client.collections.use(self._link.address.prefix + name).tenants
        pass_gate()
        tenants.create([Tenant(name=self._scope.key)])

    def _put(self, name: str, objects: Sequence[Object]) -> None:
        for some in in_requests(objects):
            self._write(name, _insert(some, self._link.address))

    def _write(self, name: str, work: Callable[[Room], T]) -> T:
        try:
            return self._link.write(self._link.in_room(name, self._scope, work), self._hold.check)
        except NoTenant as error:
            self._prepared.discard(self._scope.key)
            raise NoRoom(self._scope) from error


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
