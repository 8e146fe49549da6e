"""A store that the version before has made becomes one of this version, with everything in it."""

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
import weaviate

from deploy.weaviate_process import Server
from schemas.memory import ArchiveRecord
from schemas.scope import Scope
from tests.build import uid, vector
from tests.fragile import Killed
from tests.hold import HELD
from tests.worker.adapters.stores import layout_2
from tests.worker.adapters.stores.keeping import POOL, record
from tests.worker.adapters.stores.layout_2 import Held
from tests.worker.adapters.stores.raw import card_of, client_of, own_address
from worker.adapters.stores import weaviate_migration
from worker.adapters.stores.weaviate import WeaviateStore
from worker.adapters.stores.weaviate_address import Address
from worker.adapters.stores.weaviate_collections import ARCHIVE, MEMORY, SCOPE, TENANTED
from worker.adapters.stores.weaviate_migration import Migrated, migrate
from worker.core.ports import About, Query
from worker.core.texts.words import terms
from worker.errors import Misconfigured

EMBEDDING = ("tests_8", 8)


@pytest.fixture
def address(weaviate_server: Server) -> Iterator[Address]:
    with own_address(weaviate_server) as address:
        yield address


@pytest.fixture
def client(weaviate_server: Server) -> Iterator[weaviate.WeaviateClient]:
    with client_of(weaviate_server) as client:
        yield client


@pytest.fixture
def old(client: weaviate.WeaviateClient, address: Address, scope: Scope) -> list[Held]:
    """Five scopes that hold the same ids, in order of key."""
    layout_2.make(client, address)
    scopes = [Scope(app=scope.app, user=f"Zoë {n}") for n in range(5)]
    held = [layout_2.held_by(one) for one in sorted(scopes, key=lambda one: one.key)]
    for one in held:
        layout_2.add(client, address, one)
    return held


def url_of(address: Address) -> str:
    place = f"{address.host}:{address.port}?grpc_port={address.grpc_port}"
    return f"weaviate://{place}&prefix={address.prefix}"


def migrated(address: Address, tell: Callable[[int, int], None] | None = None) -> Migrated | None:
    return migrate(url_of(address), None, tell or (lambda *_: None))


def is_complete(store: WeaviateStore, held: Held) -> None:
    """By every way there is to find something."""
    scope = held.scope
    assert list(store.memories(scope)) == sorted(held.memories, key=lambda one: one.memory.id)
    assert {one.archive.id for one in store.archives(scope)} == {
        one.archive.id for one in held.archives
    }
    assert store.forgotten(scope) == [held.archives[1]]
    lineage: list[ArchiveRecord] = list(store.archives(scope, uid("Lives in Austin.")))
    assert lineage == [held.archives[0]]
    assert {one.id: one for one in store.runs(scope)} == {one.id: one for one in held.runs}
    assert store.run(scope, uid("r")) == held.runs[0]
    assert store.open_runs(scope) == [held.runs[1]]
    found = store.nominate(scope, [Query(vector("Has a dog."), terms("dog"))], POOL)
    assert found.rankings[0].by_vector[0] == found.rankings[0].by_words[0] == uid("Has a dog.")
    assert found.records[uid("Has a dog.")] == held.memories[1]
    assert store.about(scope) == About(EMBEDDING[0], is_prepared=True)


def test_a_store_of_the_layout_before_is_refused_and_left_alone(
    client: weaviate.WeaviateClient, address: Address, old: list[Held]
) -> None:
    with (
        closing(WeaviateStore(address, None)) as store,
        pytest.raises(Misconfigured, match=r"layout 2.*`slowwave migrate`"),
    ):
        store.open(*EMBEDDING)

    assert not client.collections.exists(address.prefix + SCOPE)


def test_everything_is_there_after_the_migration(address: Address, old: list[Held]) -> None:
    told = list[tuple[int, int]]()

    assert migrated(address, lambda done, total: told.append((done, total))) == Migrated(5, 10)

    assert told == [(n, 5) for n in range(1, 6)]
    with closing(WeaviateStore(address, None)) as store:
        store.open(*EMBEDDING)
        assert list(store.scopes()) == [one.scope for one in old]
        for held in old:
            is_complete(store, held)


def test_a_migrated_scope_can_be_written_to(address: Address, old: list[Held]) -> None:
    migrated(address)
    one, other = old[0], old[1]

    with closing(WeaviateStore(address, None)) as store:
        store.open(*EMBEDDING)
        writer = store.writer(one.scope, HELD)
        writer.prepare()
        writer.put_memories([record(one.scope, "Likes tea.")])

        assert store.count(one.scope) == 3
        is_complete(store, other)


def test_there_is_nothing_to_do_twice_nor_without_a_store(
    address: Address, old: list[Held]
) -> None:
    migrated(address)

    assert migrated(address) is None
    assert (
        migrated(
            Address(
                address.host, address.port, address.grpc_host, address.grpc_port, prefix="Nowhere"
            )
        )
        is None
    )


@pytest.mark.parametrize("place", ["between scopes", "before a card", "before the archives"])
def test_a_migration_that_is_killed_goes_on_where_it_was(
    address: Address, old: list[Held], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dying(done: int, _: int) -> None:
        if done == 2:
            raise Killed

    def dies(*_: object, **__: object) -> None:
        raise Killed

    def arm(done: int, _: int) -> None:
        if done == 2:
            name = "put_card" if place == "before a card" else "put_objects"
            monkeypatch.setattr(weaviate_migration, name, dies)

    with pytest.raises(Killed):
        migrated(address, dying if place == "between scopes" else arm)
    monkeypatch.undo()
    with closing(WeaviateStore(address, None)) as store, pytest.raises(Misconfigured, match="mig"):
        store.open(*EMBEDDING)

    assert migrated(address) == Migrated(3, 6)
    with closing(WeaviateStore(address, None)) as store:
        store.open(*EMBEDDING)
        for held in old:
            is_complete(store, held)


def test_what_rested_rests_again(
    client: weaviate.WeaviateClient, address: Address, old: list[Held]
) -> None:
    key = old[2].scope.key
    for name in TENANTED:
        client.collections.use(address.prefix + name).tenants.deactivate([key])

    migrated(address)

    for name in TENANTED:
        tenants = client.collections.use(address.prefix + name).tenants.get()
        assert {one for one, at in tenants.items() if at.activity_status.name == "INACTIVE"} == {
            key
        }
    with closing(WeaviateStore(address, None)) as store:
        store.open(*EMBEDDING)
        is_complete(store, old[2])


def test_room_that_holds_nothing_has_no_names_until_it_is_prepared(
    client: weaviate.WeaviateClient, address: Address, old: list[Held], scope: Scope
) -> None:
    layout_2.add_tenants(client, address, scope)
    client.collections.use(address.prefix + MEMORY).tenants.remove([scope.key])

    assert migrated(address) == Migrated(5, 10)

    assert card_of(client, address, scope) == {}
    with closing(WeaviateStore(address, None)) as store:
        store.open(*EMBEDDING)
        store.writer(scope, HELD).prepare()
        store.writer(scope, HELD).put_memories([record(scope, "x")])
        assert scope in store.scopes()


def test_more_archives_than_a_page_holds_are_all_found_by_their_reason(
    address: Address, old: list[Held], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weaviate_migration, "PAGE", 1)

    assert migrated(address) == Migrated(5, 10)
    with closing(WeaviateStore(address, None)) as store:
        store.open(*EMBEDDING)
        is_complete(store, old[4])


@pytest.mark.parametrize(
    "description, why",
    [
        ("Our documents", "was not made by slowwave"),
        ('{"slowwave": {"layout": 1, "embedder": "tests_8", "dimensions": 8}}', "layout 1,"),
    ],
)
def test_collections_of_others_are_not_migrated(
    client: weaviate.WeaviateClient, address: Address, description: str, why: str
) -> None:
    client.collections.create(address.prefix + MEMORY, description=description)

    with pytest.raises(Misconfigured, match=why):
        migrated(address)
    assert not client.collections.exists(address.prefix + ARCHIVE)
