"""Tenants are put to rest, and whoever touches one finds it as it was."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import count, takewhile
from uuid import UUID, uuid4

import pytest
from weaviate.classes.tenants import TenantActivityStatus
from weaviate.exceptions import WeaviateQueryError

from deploy.weaviate_process import Server
from schemas.memory import MemoryRecord
from schemas.scope import Scope
from tests.build import memory, vector
from tests.hold import HELD
from worker.adapters.stores import weaviate_resting
from worker.adapters.stores.opening import open_store
from worker.adapters.stores.weaviate import WeaviateStore
from worker.adapters.stores.weaviate_address import parse
from worker.adapters.stores.weaviate_collections import MEMORY, TENANTED
from worker.adapters.stores.weaviate_errors import meaning
from worker.adapters.stores.weaviate_link import Client, Room
from worker.adapters.stores.weaviate_pages import count as count_of
from worker.adapters.stores.weaviate_resting import Resting
from worker.core.ports import Query
from worker.errors import Retryable

EMBEDDING = ("tests_8", 8)


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def url(weaviate_server: Server) -> Iterator[str]:
    """Collections of the test's own."""
    prefix = f"Rest{uuid4().hex}"
    yield f"{weaviate_server.url}&prefix={prefix}"
    with closing(WeaviateStore(parse(f"{weaviate_server.url}&prefix={prefix}"), None)) as store:
        names = [prefix + name for name in (*TENANTED, "MemoryScope")]
        store._link.read([lambda client: client.collections.delete(names)])


@pytest.fixture
def store(url: str) -> Iterator[WeaviateStore]:
    with closing(WeaviateStore(parse(url), None)) as opened:
        opened.open(*EMBEDDING)
        yield opened


@pytest.fixture
def clock(store: WeaviateStore) -> Clock:
    made = Clock()
    store._link.touched._clock = made
    return made


def record(scope: Scope, text: str) -> MemoryRecord:
    return MemoryRecord(memory=memory(text, scope=scope), vector=vector(text))


def scopes(number: int) -> list[Scope]:
    return [Scope(app=str(uuid4()), user="ann") for _ in range(number)]


def learn(store: WeaviateStore, *owners: Scope) -> None:
    for owner in owners:
        writer = store.writer(owner, HELD)
        writer.prepare()
        writer.put_memories([record(owner, "x")])


def awake(store: WeaviateStore, name: str = MEMORY) -> set[str]:
    def look(client: Client) -> set[str]:
        tenants = client.collections.use(store._link.address.prefix + name).tenants.get()
        active = TenantActivityStatus.ACTIVE
        return {key for key, tenant in tenants.items() if tenant.activity_status is active}

    return store._link.read([look])[0]


def resting(store: WeaviateStore, clock: Clock, seconds: float = 60, most: int = 100) -> Resting:
    """One that has made its first sweep."""
    made = Resting(store._link, seconds, most, clock, lambda: 0.5)
    made._next_sweep = clock.now + weaviate_resting.SWEEP_SECONDS
    return made


@pytest.mark.parametrize("name", TENANTED)
def test_untouched_scopes_are_put_to_rest_in_every_collection(
    store: WeaviateStore, clock: Clock, name: str
) -> None:
    old, recent = scopes(2)
    learn(store, old)
    clock.now = 30
    learn(store, recent)
    clock.now = 60

    assert resting(store, clock).rest() == 1

    assert awake(store, name) == {recent.key}
    assert store.count(old) == 1


def test_beyond_the_limit_the_longest_untouched_rest(store: WeaviateStore, clock: Clock) -> None:
    owners = scopes(4)
    for owner in owners:
        learn(store, owner)
        clock.now += 1
    store.count(owners[0])

    assert resting(store, clock, most=2).rest() == 2

    assert awake(store) == {owners[0].key, owners[3].key}


def test_what_rests_already_is_not_put_to_rest_again(store: WeaviateStore, clock: Clock) -> None:
    learn(store, *scopes(3))
    clock.now = 60
    one = resting(store, clock)

    assert [one.rest(), one.rest()] == [3, 0]


def test_one_that_was_erased_meanwhile_keeps_no_other_awake(
    store: WeaviateStore, clock: Clock
) -> None:
    gone, *others = scopes(5)
    learn(store, gone, *others)
    store._link.read(
        [
            lambda client: client.collections.use(
                store._link.address.prefix + MEMORY
            ).tenants.remove([gone.key])
        ]
    )
    clock.now = 60

    assert resting(store, clock).rest() == 5
    assert awake(store) == set()


def test_a_worker_that_starts_puts_to_rest_what_one_that_is_gone_left_awake(
    store: WeaviateStore, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weaviate_resting, "PORTION", 2)
    monkeypatch.setattr(weaviate_resting, "MOST_AT_ONCE", 4)
    left, own = scopes(5), scopes(1)[0]
    with closing(WeaviateStore(parse(url), None)) as gone:
        gone.open(*EMBEDDING)
        learn(gone, *left)
    learn(store, own)

    first = store.rest()
    assert 0 < first <= 4, "so that a worker that has to stop can"
    assert first + store.rest() == 5

    assert awake(store) == {own.key}
    assert [store.count(one) for one in left] == [1] * 5
    assert store.rest() == 0, "a sweep is rare"


def test_sweeps_come_back_about_hourly(store: WeaviateStore, clock: Clock, url: str) -> None:
    one = resting(store, clock, seconds=10_000)
    with closing(WeaviateStore(parse(url), None)) as other:
        other.open(*EMBEDDING)
        for hour, found in ((0.9, 0), (1.0, 1), (1.9, 0), (2.0, 1)):
            learn(other, *scopes(1))
            other.rest()
            clock.now = hour * 3600
            waiting = len(awake(store))
            assert one.rest() == (waiting if found else 0)


def test_nothing_is_put_to_rest_where_the_setting_says_never(
    store: WeaviateStore, clock: Clock
) -> None:
    learn(store, *scopes(2))
    clock.now = 1e9

    assert Resting(store._link, 0, 1, clock).rest() == 0
    assert len(awake(store)) == 2


def test_one_thread_at_a_time_puts_to_rest(store: WeaviateStore, clock: Clock) -> None:
    learn(store, *scopes(1))
    clock.now = 60
    one = resting(store, clock)

    with one._one_at_a_time:
        assert one.rest() == 0
    assert one.rest() == 1


def forever(step: Callable[[int], None], over: threading.Event) -> None:
    """What may be tried again is; anything else is raised."""
    for number in takewhile(lambda _: not over.is_set(), count()):
        with suppress(Retryable):
            step(number)


def writing(store: WeaviateStore, owner: Scope, done: list[UUID]) -> Callable[[int], None]:
    def write(number: int) -> None:
        one = record(owner, f"fact {number}")
        store.writer(owner, HELD).put_memories([one])
        done.append(one.memory.id)

    return write


def test_a_call_under_way_while_its_tenant_is_put_to_rest_is_done_or_may_be_tried_again(
    store: WeaviateStore,
) -> None:
    """A worker's threads write and read while tenants are put to rest as fast as they can be."""
    owners = scopes(4)
    learn(store, *owners)
    done: list[list[UUID]] = [[] for _ in owners[1:]]
    over = threading.Event()

    def read(_: int) -> None:
        assert store.nominate(owners[0], [Query(vector("x"))], 5).records

    steps = [read, *(writing(store, *one) for one in zip(owners[1:], done, strict=True))]
    with ThreadPoolExecutor() as pool:
        work = [pool.submit(forever, step, over) for step in steps]
        try:
            rested = sum(Resting(store._link, 1e-9, 1).rest() for _ in range(20))
        finally:
            over.set()
        for thread in work:
            thread.result()

    assert rested > 0
    for owner, ids in zip(owners[1:], done, strict=True):
        kept = list(store.memories(owner))
        assert {one.memory.id for one in kept} == {*ids, memory("x").id}
        for one in kept[:50]:
            found = store.nominate(owner, [Query(one.vector)], 3).rankings[0]
            assert found.by_vector[0] == one.memory.id


HALF_SHUT = 'get/init local shard "x", no shutdown: already shut or dropped'
refusals = pytest.mark.parametrize(
    "refusal",
    [
        WeaviateQueryError(HALF_SHUT, "GRPC search"),
        meaning(HALF_SHUT, parse("weaviate://localhost:1?grpc_port=2")),
    ],
    ids=["read", "written"],
)


def refusing(
    owner: Scope, refusal: Exception, times: int, seen: list[TenantActivityStatus]
) -> Callable[[Room], int]:
    """A call that is refused so often, and how the tenant was when it was made."""

    def work(room: Room) -> int:
        seen.append(room.tenants.get()[owner.key].activity_status)
        if len(seen) <= times:
            raise refusal
        return count_of(room)

    return work


@refusals
def test_a_tenant_that_was_left_half_shut_is_put_to_rest_and_asked_again(
    store: WeaviateStore, refusal: Exception
) -> None:
    """Twice refused, as another may have mended it in between."""
    owner, seen = scopes(1)[0], list[TenantActivityStatus]()
    learn(store, owner)

    work = store._link.in_room(MEMORY, owner, refusing(owner, refusal, 2, seen))
    assert store._link.read([work]) == [1]

    active, inactive = TenantActivityStatus.ACTIVE, TenantActivityStatus.INACTIVE
    assert seen == [active, active, inactive]


@pytest.mark.parametrize(("text", "calls"), [(HALF_SHUT, 3), ("something else", 1)])
def test_a_tenant_that_stays_refused_is_asked_no_more(
    store: WeaviateStore, text: str, calls: int
) -> None:
    owner, seen = scopes(1)[0], list[TenantActivityStatus]()
    learn(store, owner)
    work = refusing(owner, WeaviateQueryError(text, "GRPC search"), 99, seen)

    with pytest.raises(Retryable, match=text):
        store._link.read([store._link.in_room(MEMORY, owner, work)])

    assert len(seen) == calls


def test_a_store_opened_from_settings_rests_as_they_say(url: str) -> None:
    with closing(open_store(url)) as patient:
        patient.open(*EMBEDDING)
        assert patient.rest() == 0
