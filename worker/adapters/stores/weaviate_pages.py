"""Objects of one collection: read page by page, put all or with the reason why not."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar
from uuid import UUID

from weaviate.classes.query import Filter, Sort
from weaviate.collections.classes.filters import _Filters as Condition
from weaviate.exceptions import WeaviateInsertManyAllFailedError

from schemas.scope import Scope
from worker.adapters.stores.indexed import in_chunks
from worker.adapters.stores.weaviate_address import Address
from worker.adapters.stores.weaviate_errors import NoTenant, meaning
from worker.adapters.stores.weaviate_link import Link, Room
from worker.adapters.stores.weaviate_objects import Object

#: Objects of one page when a whole scope, or all that a filter finds, is read.
PAGE = 200
BEFORE_ALL = UUID(int=0)
PAYLOAD = ["payload"]

T = TypeVar("T")
Page = list[tuple[UUID, str]]


class Pages:
    """Of one scope at a time; one that has no tenant has nothing."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def ask(self, scope: Scope, name: str, work: Callable[[Room], T]) -> T | None:
        try:
            return self._link.read([self._link.in_room(name, scope, work)])[0]
        except NoTenant:
            return None

    def all(self, scope: Scope, name: str) -> Iterator[tuple[UUID, str]]:
        """Ids and payloads in order of id."""
        after = BEFORE_ALL
        while True:
            page = self._page(scope, name, limit=PAGE, after=after)
            yield from page
            if len(page) < PAGE:
                return
            after = page[-1][0]

    def payloads(self, scope: Scope, name: str) -> Iterator[str]:
        return (payload for _, payload in self.all(scope, name))

    def matching(self, scope: Scope, name: str, condition: Condition) -> list[str]:
        """Payloads in order of id."""
        found: list[str] = []
        while True:
            page = self._page(
                scope, name, limit=PAGE, offset=len(found), filters=condition, sort=Sort.by_id()
            )
            found += [payload for _, payload in page]
            if len(page) < PAGE:
                return found

    def named(self, scope: Scope, name: str, ids: Iterable[UUID]) -> Iterator[str]:
        """Payloads of these objects, in order of id."""
        for some in in_chunks(ids, PAGE):
            condition = Filter.by_id().contains_any([*map(str, some)])
            page = self._page(scope, name, limit=PAGE, filters=condition)
            yield from (payload for _, payload in sorted(page))

    def _page(self, scope: Scope, name: str, **options: Any) -> Page:
        return self.ask(scope, name, lambda room: page_of(room, **options)) or []


def page_of(room: Room, **options: Any) -> Page:
    """Ids and payloads."""
    answer = room.query.fetch_objects(return_properties=PAYLOAD, **options)
    return [(hit.uuid, str(hit.properties["payload"])) for hit in answer.objects]


def put_objects(room: Room, objects: Sequence[Object], address: Address) -> None:
    """One that is there already is replaced. Raises what the first refusal means."""
    try:
        refused = room.data.insert_many(list(objects)).errors
    except WeaviateInsertManyAllFailedError as error:
        raise meaning(str(error), address) from error
    for wrong in refused.values():
        raise meaning(wrong.message, address)


def count(room: Room) -> int:
    return room.aggregate.over_all(total_count=True).total_count or 0
