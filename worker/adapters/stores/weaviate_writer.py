"""Writing to one scope of a Weaviate server, which has neither transactions nor a compare-and-set."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TypeVar
from uuid import UUID

from weaviate.classes.query import Filter
from weaviate.collections.classes.batch import DeleteManyReturn
from weaviate.collections.classes.filters import _Filters as Condition

from schemas.ids import archive_id
from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Run
from schemas.scope import Scope
from worker.adapters.stores.indexed import check_archives, check_memories, in_chunks
from worker.adapters.stores.rooms import NoRoom
from worker.adapters.stores.weaviate_collections import ARCHIVE, MEMORY, RUN, Embedding
from worker.adapters.stores.weaviate_errors import NoTenant
from worker.adapters.stores.weaviate_link import Link, Room
from worker.adapters.stores.weaviate_objects import (
    Object,
    in_requests,
    of_archive,
    of_memory,
    of_run,
)
from worker.adapters.stores.weaviate_pages import put_objects
from worker.adapters.stores.weaviate_place import Place
from worker.core.ports import Erased, Hold
from worker.errors import Retryable

#: Most objects of one removal.
PAGE = 200

T = TypeVar("T")


class WeaviateWriter:
    """The lease is asked for in the sending thread, right before each request leaves, the client's retries included.

    What remains: a request that has passed that question cannot be called back. If the process, the network or the
    server holds it up just then until another claim of the scope has gone on, it still lands: an older version of a
    memory over a newer one, or one that was removed; or, of a claim that made room, the scope's names over the mark of
    its erasure, without any data. A late record of a run reopens nothing: see `of_run`.
    """

    def __init__(
        self, link: Link, scope: Scope, hold: Hold, embedding: Embedding, prepared: set[str]
    ) -> None:
        self._link = link
        self._scope = scope
        self._hold = hold
        self._embedding = embedding
        self._place = Place(link, scope, hold, embedding, prepared)

    def prepare(self) -> None:
        self._place.prepare()

    def put_run(self, run: Run) -> None:
        self._put(RUN, of_run(run))

    def put_archives(self, records: Sequence[ArchiveRecord]) -> None:
        check_archives(self._scope, records, self._embedding.dimensions)
        self._put(ARCHIVE, [of_archive(one, self._embedding) for one in records])

    def put_memories(self, records: Sequence[MemoryRecord]) -> None:
        check_memories(self._scope, records, self._embedding.dimensions)
        self._put(MEMORY, [of_memory(one, self._embedding) for one in records])

    def remove_memories(self, ids: Sequence[UUID]) -> None:
        self._remove(MEMORY, ids)

    def remove_archives(self, versions: Sequence[tuple[UUID, int]]) -> None:
        self._remove(ARCHIVE, [archive_id(memory, version) for memory, version in versions])

    def put_embedder(self, fingerprint: str | None) -> None:
        self._place.put_embedder(fingerprint)

    def put_sleep(self, note: str) -> None:
        self._place.put_sleep(note)

    def erase(self, at: datetime) -> Erased:
        return self._place.erase(at)

    def _put(self, name: str, objects: Sequence[Object]) -> None:
        for some in in_requests(objects):
            self._write(name, partial(put_objects, objects=some, address=self._link.address))

    def _remove(self, name: str, ids: Sequence[UUID]) -> None:
        for some in in_chunks(ids, PAGE):
            condition = Filter.by_id().contains_any([*map(str, some)])
            removed = self._write(name, _removal(condition))
            if removed.failed:
                raise Retryable(f"{self._link.address} did not remove {removed.failed} of {name}")

    def _write(self, name: str, work: Callable[[Room], T]) -> T:
        try:
            return self._link.write(self._link.in_room(name, self._scope, work), self._hold.check)
        except NoTenant as error:
            self._place.is_gone()
            raise NoRoom(self._scope) from error


def _removal(condition: Condition) -> Callable[[Room], DeleteManyReturn[None]]:
    return lambda room: room.data.delete_many(where=condition)
