"""Collections of the layout before this one, made into this one. Cut short, it goes on when it is begun again."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from weaviate.classes.tenants import TenantActivityStatus

from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Run
from schemas.scope import Scope
from worker.adapters.stores.weaviate_address import Address, parse
from worker.adapters.stores.weaviate_cards import Card, put_card, read_card
from worker.adapters.stores.weaviate_collections import (
    ARCHIVE,
    LAYOUT,
    MEMORY,
    PROPERTIES,
    RUN,
    SCOPE,
    TENANTED,
    Embedding,
    create,
    property_of,
)
from worker.adapters.stores.weaviate_errors import NoTenant
from worker.adapters.stores.weaviate_link import Client, Link, Room
from worker.adapters.stores.weaviate_objects import in_requests, of_archive
from worker.adapters.stores.weaviate_pages import BEFORE_ALL, PAGE, page_of, put_objects
from worker.adapters.stores.weaviate_setup import (
    MIGRATED_LAYOUT,
    check_layout,
    describe,
    described,
)

#: Of one call: adding a property looks at every tenant that is awake.
DEADLINE_SECONDS = 120.0

#: Where a scope's names are in what it holds, those first that are read anyway.
NAMED: dict[str, Callable[[str], Scope]] = {
    ARCHIVE: lambda payload: ArchiveRecord.model_validate_json(payload).archive.memory.scope,
    MEMORY: lambda payload: MemoryRecord.model_validate_json(payload).memory.scope,
    RUN: lambda payload: Run.model_validate_json(payload).scope,
}

T = TypeVar("T")
#: Told after each scope: how many are done, of how many.
Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Migrated:
    """What was done this time."""

    scopes: int = 0
    archives: int = 0


def migrate(url: str, key: str | None, tell: Tell) -> Migrated | None:
    """Nothing where there is nothing to do. No worker may run meanwhile.

    What was done is known by the cards, each written last of its scope; the layout's number is changed at the very
    end. Raises `Misconfigured` for collections of others or of a layout that is not known, and `Unavailable`.
    """
    address = parse(url)
    with closing(Link(address, key, DEADLINE_SECONDS)) as link:
        known = _call(link, partial(described, address=address))
        if known is None or known.layout == LAYOUT:
            return None
        if known.layout != MIGRATED_LAYOUT:
            check_layout(address, known.layout)
        _call(link, partial(_add_what_is_missing, address=address, embedding=known.embedding))
        done = _Scopes(link, known.embedding).migrate(tell)
        _call(link, partial(describe, address=address, embedding=known.embedding))
        return done


def _call(link: Link, call: Callable[[Client], T]) -> T:
    return link.read([call])[0]


def _add_what_is_missing(client: Client, address: Address, embedding: Embedding) -> None:
    replicas = client.collections.use(address.prefix + MEMORY).config.get().replication_config
    if not client.collections.exists(address.prefix + SCOPE):
        create(client, address.prefix + SCOPE, SCOPE, embedding, replicas.factor)
    for name in TENANTED:
        config = client.collections.use(address.prefix + name).config
        there = {prop.name for prop in config.get().properties}
        for prop, kind in PROPERTIES[name].items():
            if prop not in there:
                config.add_property(property_of(prop, kind))


class _Scopes:
    """One after the other: their archives, then their cards."""

    def __init__(self, link: Link, embedding: Embedding) -> None:
        self._link = link
        self._embedding = embedding

    def migrate(self, tell: Tell) -> Migrated:
        resting = self._resting()
        scopes = archives = 0
        for place, (key, where) in enumerate(sorted(resting.items()), start=1):
            if not self._is_done(key):
                archives += self._put_reasons(key)
                scopes += self._put_card(key)
                for name in where:
                    self._rest(name, key)
            tell(place, len(resting))
        return Migrated(scopes, archives)

    def _resting(self) -> dict[str, list[str]]:
        """Key of each scope → the collections in which it rests."""
        resting: dict[str, list[str]] = {}
        for name in TENANTED:
            tenants = self._in(name, lambda room: room.tenants.get())
            for key, tenant in tenants.items():
                where = resting.setdefault(key, [])
                if tenant.activity_status == TenantActivityStatus.INACTIVE:
                    where.append(name)
        return resting

    def _is_done(self, key: str) -> bool:
        return self._in(SCOPE, partial(read_card, key=key)) is not None

    def _put_reasons(self, key: str) -> int:
        """How many archives were written anew, each with its reason where a filter finds it."""
        done, after = 0, BEFORE_ALL
        while page := self._page(key, ARCHIVE, limit=PAGE, after=after):
            records = (ArchiveRecord.model_validate_json(payload) for _, payload in page)
            for some in in_requests([of_archive(one, self._embedding) for one in records]):
                put = partial(put_objects, objects=some, address=self._link.address)
                self._in(ARCHIVE, _in_tenant(key, put))
            done, after = done + len(page), page[-1][0]
        return done

    def _put_card(self, key: str) -> int:
        """How many were written: a scope with nothing in it has no names yet, and gets its card when it is prepared."""
        for name, scope_of in NAMED.items():
            for _, payload in self._page(key, name, limit=1):
                card = Card(key=key, scope=scope_of(payload), embedder=self._embedding.fingerprint)
                self._in(SCOPE, partial(put_card, card=card, address=self._link.address))
                return 1
        return 0

    def _rest(self, name: str, key: str) -> None:
        self._in(name, lambda room: room.tenants.deactivate([key]))

    def _page(self, key: str, name: str, **options: Any) -> list[tuple[UUID, str]]:
        """Nothing where the scope has no tenant in this collection."""
        try:
            return self._in(name, _in_tenant(key, partial(page_of, **options)))
        except NoTenant:
            return []

    def _in(self, name: str, work: Callable[[Room], T]) -> T:
        return _call(self._link, self._link.in_hall(name, work))


def _in_tenant(key: str, work: Callable[[Room], T]) -> Callable[[Room], T]:
    return lambda collection: work(collection.with_tenant(key))
