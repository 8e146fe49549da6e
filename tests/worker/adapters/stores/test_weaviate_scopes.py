"""What happens to a scope as a whole, on a server that has no transactions: killed anywhere, late, or at rest."""

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import NoReturn

import pytest
import weaviate

from deploy.weaviate_process import Server
from schemas.scope import Scope
from tests.build import at, uid, vector
from tests.fragile import Killed
from tests.hold import HELD
from tests.worker.adapters.stores.keeping import POOL, archived, kept, record, run, texts
from tests.worker.adapters.stores.raw import card_of, client_of, own_address, tenants_of
from worker.adapters.stores import weaviate_cards, weaviate_setup
from worker.adapters.stores.weaviate import WeaviateStore
from worker.adapters.stores.weaviate_address import Address, parse
from worker.adapters.stores.weaviate_collections import TENANTED
from worker.core.ports import About, Erased, Query
from worker.core.texts.words import terms
from worker.errors import LeaseLost, Misconfigured, Retryable

OLD, NEW = ("tests_8", 8), ("another_8", 8)


@pytest.fixture(scope="module")
def address(weaviate_server: Server) -> Address:
    return parse(f"{weaviate_server.url}&prefix=Scopes")


@pytest.fixture(scope="module")
def client(weaviate_server: Server) -> Iterator[weaviate.WeaviateClient]:
    with client_of(weaviate_server) as client:
        yield client


@pytest.fixture(scope="module")
def store(address: Address) -> Iterator[WeaviateStore]:
    with closing(WeaviateStore(address, None)) as store:
        store.open(*OLD)
        yield store


@dataclass
class Ends:
    """A lease that is asked before each request; from the nth on it raises this."""

    nth: int
    error: type[BaseException] = Killed
    fence: int = 1
    times: int = 0

    def check(self) -> None:
        self.times += 1
        if self.times >= self.nth:
            raise self.error

    def overtaken(self, fence: int) -> NoReturn:
        raise NotImplementedError


def fill(store: WeaviateStore, scope: Scope) -> None:
    kept(store, scope, "Lives in Austin.", "Has a dog.")
    writer = store.writer(scope, HELD)
    writer.put_archives([archived(record(scope, "Lived in Seattle."))])
    writer.put_run(run(scope, "r"))


def held(store: WeaviateStore, scope: Scope) -> list[object]:
    return [*store.memories(scope), *store.archives(scope), *store.runs(scope)]


def erase(store: WeaviateStore, scope: Scope) -> None:
    store.writer(scope, HELD).erase(at(0))


def prepare(store: WeaviateStore, scope: Scope) -> None:
    store.writer(scope, HELD).prepare()


#: Requests of an erasure: the mark, then a tenant of each of three collections.
ERASURE = range(1, 6)


@pytest.mark.parametrize("nth", ERASURE)
def test_an_erasure_killed_before_any_request_never_leaves_names_without_data(
    store: WeaviateStore,
    client: weaviate.WeaviateClient,
    address: Address,
    scope: Scope,
    nth: int,
) -> None:
    fill(store, scope)

    with suppress(Killed):
        store.writer(scope, Ends(nth)).erase(at(0))

    card, tenants = card_of(client, address, scope), tenants_of(client, address, scope)
    is_marked = card["erased_at"] is not None
    assert (card["scope"] is None) == is_marked == (nth > 1)
    assert len(tenants) == 3 - max(nth - 2, 0)
    assert scope not in store.scopes() or tenants == [*TENANTED]


@pytest.mark.parametrize("nth", ERASURE)
def test_an_erasure_killed_before_any_request_is_ended_by_a_second_one(
    store: WeaviateStore,
    client: weaviate.WeaviateClient,
    address: Address,
    scope: Scope,
    nth: int,
) -> None:
    fill(store, scope)
    with suppress(Killed):
        store.writer(scope, Ends(nth)).erase(at(0))

    store.writer(scope, HELD).erase(at(-1))

    assert tenants_of(client, address, scope) == []
    assert card_of(client, address, scope)["scope"] is None
    assert store.about(scope) == About(erased_at=at(0) if nth > 1 else at(-1))


@pytest.mark.parametrize("nth", [2, 3, 4, 5])
def test_what_an_erasure_that_was_killed_has_left_does_not_come_back_with_the_next_claim(
    store: WeaviateStore, address: Address, scope: Scope, nth: int
) -> None:
    fill(store, scope)
    with suppress(Killed):
        store.writer(scope, Ends(nth)).erase(at(0))

    with closing(WeaviateStore(address, None)) as another:
        another.open(*OLD)
        prepare(another, scope)
        assert held(another, scope) == []
    prepare(store, scope)
    store.writer(scope, HELD).put_memories([record(scope, "Moved to Boston.")])

    assert texts(store, scope) == {"Moved to Boston."}
    assert store.about(scope) == About(OLD[0], is_prepared=True, erased_at=at(0))


#: Requests of a claim that finds the mark of an erasure: three removals, three tenants, the card.
@pytest.mark.parametrize("begin", [prepare, erase], ids=["prepare", "erase"])
@pytest.mark.parametrize("nth", range(1, 8))
def test_making_room_anew_that_is_killed_before_any_request_is_ended_by_whatever_comes_next(
    store: WeaviateStore,
    client: weaviate.WeaviateClient,
    address: Address,
    scope: Scope,
    nth: int,
    begin: Callable[[WeaviateStore, Scope], None],
) -> None:
    erase(store, scope)
    with pytest.raises(Killed):
        store.writer(scope, Ends(nth)).prepare()
    assert card_of(client, address, scope)["scope"] is None
    assert store.about(scope) == About(erased_at=at(0))

    begin(store, scope)
    assert len(tenants_of(client, address, scope)) == (3 if begin is prepare else 0)
    fill(store, scope)

    assert texts(store, scope) == {"Lives in Austin.", "Has a dog."}
    assert store.about(scope).erased_at == at(0)


def test_no_name_is_left_where_a_scope_was_erased(
    store: WeaviateStore,
    client: weaviate.WeaviateClient,
    weaviate_server: Server,
    address: Address,
    scope: Scope,
) -> None:
    fill(store, scope)
    before = card_of(client, address, scope)
    folders = [
        weaviate_server.log.parent / (address.prefix + name).lower() / scope.key
        for name in TENANTED
    ]
    assert before["scope"] == {"app": scope.app, "user": scope.user}
    assert all(folder.exists() for folder in folders)

    erase(store, scope)

    after = card_of(client, address, scope)
    assert (after["key"], after["scope"], after["embedder"]) == (scope.key, None, None)
    assert scope.app not in str(after)
    assert not any(folder.exists() for folder in folders)


def test_a_resting_scope_is_counted_and_leaves_the_disk_too(
    store: WeaviateStore,
    client: weaviate.WeaviateClient,
    weaviate_server: Server,
    address: Address,
    scope: Scope,
) -> None:
    fill(store, scope)
    for name in TENANTED:
        client.collections.use(address.prefix + name).tenants.deactivate([scope.key])

    assert store.writer(scope, HELD).erase(at(0)) == Erased(2, 1, 1)

    for name in TENANTED:
        collection = weaviate_server.log.parent / (address.prefix + name).lower()
        assert collection.exists()
        assert not (collection / scope.key).exists()
    prepare(store, scope)
    assert held(store, scope) == []


def test_a_run_whose_open_record_came_too_late_counts_once(
    store: WeaviateStore, scope: Scope
) -> None:
    prepare(store, scope)
    writer = store.writer(scope, HELD)
    for name in ("r", "late"):
        writer.put_run(run(scope, name))
    for name in ("late", "begun"):
        writer.put_run(run(scope, name, state="open"))

    assert store.run(scope, uid("late")) == run(scope, "late")
    assert writer.erase(at(0)) == Erased(runs=3)


def test_a_holder_that_was_overtaken_neither_erases_nor_writes_after_an_erasure(
    store: WeaviateStore,
    client: weaviate.WeaviateClient,
    address: Address,
    scope: Scope,
) -> None:
    fill(store, scope)
    late = store.writer(scope, Ends(1, LeaseLost))
    with pytest.raises(LeaseLost):
        late.erase(at(3))
    assert len(held(store, scope)) == 4
    erase(store, scope)

    for write in (
        late.prepare,
        lambda: late.put_memories([record(scope, "stale")]),
        lambda: late.put_run(run(scope, "stale")),
        lambda: late.erase(at(3)),
    ):
        with pytest.raises(LeaseLost):
            write()

    assert tenants_of(client, address, scope) == []
    assert store.about(scope) == About(erased_at=at(0))


def test_a_write_that_passed_the_gate_before_an_erasure_makes_no_room(
    store: WeaviateStore, client: weaviate.WeaviateClient, address: Address, scope: Scope
) -> None:
    fill(store, scope)
    erase(store, scope)

    with pytest.raises(Retryable, match=scope.key):
        store.writer(scope, HELD).put_memories([record(scope, "stale")])

    assert tenants_of(client, address, scope) == []


def test_scopes_on_more_than_one_page_all_come_once(
    store: WeaviateStore, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    scopes = [Scope(app=scope.app, user=f"u{n}") for n in range(7)]
    for one in scopes:
        prepare(store, one)
    erase(store, scopes[2])
    monkeypatch.setattr(weaviate_cards, "PAGE", 2)

    found = [one for one in store.scopes() if one.app == scope.app]

    del scopes[2]
    assert found == sorted(scopes, key=lambda one: one.key)


# Changing over to another embedder.


@pytest.fixture
def own(weaviate_server: Server) -> Iterator[Address]:
    with own_address(weaviate_server) as address:
        yield address


def test_what_a_worker_with_the_old_embedder_still_wrote_comes_without_its_vector(
    own: Address, scope: Scope
) -> None:
    """It is told apart record by record: the scope's card may change while a search is on its way."""
    with closing(WeaviateStore(own, None)) as old, closing(WeaviateStore(own, None)) as new:
        old.open(*OLD)
        new.adopt(*NEW)
        fill(new, scope)

        old.writer(scope, HELD).put_memories([record(scope, "Likes tea.")])

        found = new.nominate(scope, [Query(vector("Likes tea."), terms("tea dog"))], POOL)
        assert uid("Likes tea.") not in found.rankings[0].by_vector
        assert found.records[uid("Likes tea.")].vector == b""
        assert found.records[uid("Has a dog.")].vector == vector("Has a dog.")


@pytest.mark.parametrize("place", ["vector_of", "describe"])
def test_an_adoption_that_is_killed_half_way_leaves_the_store_to_the_old_embedder(
    own: Address, scope: Scope, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object) -> NoReturn:
        raise Killed

    with closing(WeaviateStore(own, None)) as old, closing(WeaviateStore(own, None)) as new:
        old.open(*OLD)
        fill(old, scope)
        monkeypatch.setattr(weaviate_setup, place, dies)
        with pytest.raises(Killed):
            new.adopt(*NEW)
        monkeypatch.undo()
        old.open(*OLD)
        prepare(old, scope)
        assert len(held(old, scope)) == 4

        new.adopt(*NEW)

        with pytest.raises(Misconfigured, match=NEW[0]):
            old.open(*OLD)
