"""What is known of each scope beside its records: one object, which outlives the scope's tenants."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

from schemas.base import AwareDatetime, Stored
from schemas.scope import Scope
from worker.adapters.stores.weaviate_address import Address
from worker.adapters.stores.weaviate_link import Room
from worker.adapters.stores.weaviate_objects import unsearched
from worker.adapters.stores.weaviate_pages import BEFORE_ALL, PAYLOAD, page_of, put_objects
from worker.core.ports import About

#: Cards of one page.
PAGE = 200


class Card(Stored):
    """A scope. One that has names has a tenant in every collection: those are made before, and removed after.

    The object's id is the key, so that cards come in order of keys.
    """

    key: str
    #: Null once it was erased: what is left says nothing of whose it was.
    scope: Scope | None
    #: Fingerprint of the embedder of all its vectors; null while they are being made anew.
    embedder: str | None
    erased_at: AwareDatetime | None = None
    #: How far sleep has come, as JSON.
    sleep: str | None = None

    @property
    def about(self) -> About:
        return About(self.embedder, self.scope is not None, self.erased_at, self.sleep)


def read_card(hall: Room, key: str) -> Card | None:
    # The client's types leave out that there may be none.
    found: Any = hall.query.fetch_object_by_id(UUID(key), return_properties=PAYLOAD)
    return Card.model_validate_json(str(found.properties["payload"])) if found else None


def put_card(hall: Room, card: Card, address: Address) -> None:
    payload: dict[str, object] = {"payload": card.model_dump_json()}
    put_objects(hall, [unsearched(UUID(card.key), payload)], address)


def all_cards(ask: Callable[[Callable[[Room], list[Card]]], list[Card]]) -> Iterator[Card]:
    """In order of key, those of erased scopes too. `ask` does the reading of one page."""
    after = BEFORE_ALL
    while page := ask(_page_after(after)):
        yield from page
        after = UUID(page[-1].key)


def _page_after(after: UUID) -> Callable[[Room], list[Card]]:
    def page(hall: Room) -> list[Card]:
        found = page_of(hall, limit=PAGE, after=after)
        return [Card.model_validate_json(payload) for _, payload in found]

    return page
