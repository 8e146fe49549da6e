"""The room of one scope: made, given to another embedder, and removed with all that is in it."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from weaviate.classes.tenants import Tenant

from schemas.scope import Scope
from worker.adapters.stores.weaviate_cards import Card, put_card, read_card
from worker.adapters.stores.weaviate_collections import (
    ARCHIVE,
    MEMORY,
    RUN,
    SCOPE,
    TENANTED,
    Embedding,
)
from worker.adapters.stores.weaviate_gate import pass_gate
from worker.adapters.stores.weaviate_link import Client, Link, Room
from worker.adapters.stores.weaviate_objects import open_place
from worker.adapters.stores.weaviate_pages import Pages, count
from worker.adapters.stores.weaviate_setup import described
from worker.core.ports import Erased, Hold
from worker.errors import Misconfigured


class Place:
    """Its card is read at every claim, since others write it; that its tenants were made is remembered."""

    def __init__(
        self, link: Link, scope: Scope, hold: Hold, embedding: Embedding, prepared: set[str]
    ) -> None:
        self._link = link
        self._scope = scope
        self._hold = hold
        self._embedding = embedding
        self._prepared = prepared

    def prepare(self) -> None:
        card = self._card()
        if card is None or card.scope is None:
            self._make_room(card)
            return
        self._check_embedder(card)
        if self._scope.key not in self._prepared:
            self._make_tenants()

    def put_embedder(self, fingerprint: str | None) -> None:
        """A worker that still has the store's old embedder must not change a scope back: it raises `Misconfigured`."""
        card = self._card()
        if card is None or card.scope is None:
            return
        self._check_described()
        self._put_card(card.model_copy(update={"embedder": fingerprint}))

    def put_sleep(self, note: str) -> None:
        card = self._card()
        if card is not None and card.scope is not None:
            self._put_card(card.model_copy(update={"sleep": note}))

    def erase(self, at: datetime) -> Erased:
        """Counted, marked, removed. Cut short after the mark, it is ended by the next `erase` or `prepare`."""
        card = self._card()
        held = _held(Pages(self._link), self._scope)
        times = (at, card.erased_at if card else None)
        latest = max(time for time in times if time)
        # First: were the tenants removed before, a crash in between would leave the names without a mark.
        self._put_card(Card(key=self._scope.key, scope=None, embedder=None, erased_at=latest))
        self._remove_tenants()
        return held

    def is_gone(self) -> None:
        """A tenant was missing that should be there: a backup without it was restored, for instance."""
        self._prepared.discard(self._scope.key)

    def _make_room(self, erased: Card | None) -> None:
        self._check_described()
        if erased:
            # What an erasure that was cut short has left must not come back.
            self._remove_tenants()
        self._make_tenants()
        self._put_card(
            Card(
                key=self._scope.key,
                scope=self._scope,
                embedder=self._embedding.fingerprint,
                erased_at=erased.erased_at if erased else None,
            )
        )

    def _make_tenants(self) -> None:
        tenant = Tenant(name=self._scope.key)
        for name in TENANTED:
            self._change_tenants(name, lambda room: room.tenants.create([tenant]))
        self._prepared.add(self._scope.key)

    def _remove_tenants(self) -> None:
        self._prepared.discard(self._scope.key)
        for name in reversed(TENANTED):
            self._change_tenants(name, lambda room: room.tenants.remove([self._scope.key]))

    def _change_tenants(self, name: str, change: Callable[[Room], None]) -> None:
        def call(client: Client) -> None:
            collection = client.collections.use(self._link.address.prefix + name)
            # Over REST, where no gate stands.
            pass_gate()
            change(collection)

        self._link.write(call, self._hold.check)

    def _card(self) -> Card | None:
        return self._link.read(
            [self._link.in_hall(SCOPE, partial(read_card, key=self._scope.key))]
        )[0]

    def _put_card(self, card: Card) -> None:
        put = partial(put_card, card=card, address=self._link.address)
        self._link.write(self._link.in_hall(SCOPE, put), self._hold.check)

    def _check_described(self) -> None:
        """Whether the store is still the embedder's that it was opened for."""
        known = self._link.read([partial(described, address=self._link.address)])[0]
        if known is None or known.embedding != self._embedding:
            raise self._not_ours(known.embedding.fingerprint if known else None)

    def _check_embedder(self, card: Card) -> None:
        if card.embedder is None:
            raise Misconfigured(
                f"the vectors of scope {card.key} at {self._link.address} are being made anew: let"
                " `slowwave reembed` end first",
                part="store",
            )
        if card.embedder != self._embedding.fingerprint:
            raise self._not_ours(card.embedder)

    def _not_ours(self, embedder: str | None) -> Misconfigured:
        return Misconfigured(
            f"scope {self._scope.key} at {self._link.address} is embedded by {embedder}, this process embeds"
            f" with {self._embedding.fingerprint}: nothing was written; set SLOWWAVE_EMBEDDER to {embedder}"
            " and start again, or let `slowwave reembed` change it over",
            part="store",
        )


def _held(pages: Pages, scope: Scope) -> Erased:
    """Asking wakes what rests, so that it is removed from the disk as well."""
    places = {id for id, _ in pages.all(scope, RUN)}
    # A finished run stands at two of them.
    twice = places & {open_place(id) for id in places}
    return Erased(
        memories=pages.ask(scope, MEMORY, count) or 0,
        archives=pages.ask(scope, ARCHIVE, count) or 0,
        runs=len(places) - len(twice),
    )
