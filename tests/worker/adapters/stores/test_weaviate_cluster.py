"""Three servers, each scope on all of them: one may be killed at any time."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from time import sleep
from uuid import uuid4

import pytest
from structlog.testing import capture_logs

from deploy.weaviate_cluster import NEEDED_MEMORY, Node, available_memory, cluster
from deploy.weaviate_process import NoServer
from deploy.weaviate_server import find, working
from schemas.memory import MemoryRecord
from schemas.plan import Add, Plan
from schemas.scope import Scope
from tests.build import NOW, memory, uid, vector
from tests.hold import HELD
from worker.adapters.apply import apply
from worker.adapters.stores.opening import open_store
from worker.adapters.stores.weaviate_tuning import Tuning
from worker.core.ports import Query, Store
from worker.errors import Retryable

EMBEDDING = ("tests_8", 8)
#: Times that are tried, a fifth of a second apart.
PATIENCE = 150


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sequence[Node]]:
    if (free := available_memory()) < NEEDED_MEMORY:
        pytest.skip(f"three servers want {NEEDED_MEMORY:,} bytes of memory, {free:,} are free")
    if find() is None:
        reason = "no Weaviate server: run `python -m deploy.weaviate_server get`"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    try:
        with cluster(working(), tmp_path_factory.mktemp("cluster")) as running:
            yield running
    except NoServer as error:
        pytest.fail(str(error))


def opened(node: Node, consistency: str = "QUORUM") -> Store:
    store = open_store(node.url, deadline_seconds=3, tuning=Tuning(consistency, 3))
    patiently(lambda: store.open(*EMBEDDING))
    return store


def patiently(work: Callable[[], None]) -> None:
    """As the queue does: what may be tried again is."""
    for _ in range(PATIENCE):
        with suppress(Retryable):
            return work()
        sleep(0.2)
    return work()


def batch(scope: Scope, number: int) -> Plan:
    run = uid(f"{scope.key} {number}")
    one = memory(f"fact {number}", scope=scope, last_run=run)
    return Plan(
        run=run,
        kind="batch",
        scope=scope,
        turn_ids=(uid(f"turn {number}"),),
        base={},
        changes=(Add(relation="new", record=MemoryRecord(memory=one, vector=vector(one.text))),),
        planned_at=NOW,
    )


def test_a_server_that_is_killed_in_the_midst_of_many_batches_costs_none(
    nodes: Sequence[Node],
) -> None:
    scopes = [Scope(app=str(uuid4()), user="ann") for _ in range(3)]
    some, many = threading.Event(), range(40)
    with closing(opened(nodes[0])) as store, ThreadPoolExecutor() as pool:

        def work(scope: Scope) -> None:
            for number in many:
                patiently(partial(apply, store, batch(scope, number), HELD))
                if number == many[10]:
                    some.set()

        working = [pool.submit(work, scope) for scope in scopes]
        some.wait(60)
        nodes[2].kill()
        for one in working:
            one.result()
        for scope in scopes:
            assert_whole(store, scope, len(many))
    nodes[2].start()
    nodes[2].ready()

    with closing(opened(nodes[0])) as store, closing(opened(nodes[2], "ONE")) as back:
        for scope in scopes:
            patiently(partial(caught_up, back, scope, len(many)))
            hidden = unfound(back, scope)
            # What was being written as it died has its row there and not its vector, until it is written again.
            assert len(hidden) <= 1
            store.writer(scope, HELD).put_memories(hidden)
            patiently(partial(found, back, scope))


def assert_whole(store: Store, scope: Scope, number: int) -> None:
    assert_kept(store, scope, number)
    assert unfound(store, scope) == []


def assert_kept(store: Store, scope: Scope, number: int) -> None:
    assert {one.memory.text for one in store.memories(scope)} == {
        f"fact {n}" for n in range(number)
    }
    assert store.open_runs(scope) == []
    assert len(list(store.runs(scope))) == number


def unfound(store: Store, scope: Scope) -> list[MemoryRecord]:
    """Memories that are not the nearest to their own vector."""
    return [
        one
        for one in store.memories(scope)
        if store.nominate(scope, [Query(one.vector)], 3).rankings[0].by_vector[:1]
        != (one.memory.id,)
    ]


def caught_up(store: Store, scope: Scope, number: int) -> None:
    """Raises `Retryable` while a server that came back is still being told what it has missed."""
    try:
        assert_kept(store, scope, number)
    except AssertionError as error:
        raise Retryable("something is missing yet") from error


def found(store: Store, scope: Scope) -> None:
    if unfound(store, scope):
        raise Retryable("something is not found yet")


def test_collections_with_another_number_of_replicas_are_told_and_left_alone(
    nodes: Sequence[Node],
) -> None:
    url = f"{nodes[0].url}&prefix=Alone"
    with closing(open_store(url, tuning=Tuning(replicas=1))) as store:
        store.open(*EMBEDDING)
    with capture_logs() as logs:
        for _ in range(2):
            with closing(open_store(url, tuning=Tuning(replicas=3))) as store:
                store.open(*EMBEDDING)

    told = [line for line in logs if line["event"] == "store_has_other_replicas"]
    assert len(told) == 2
    assert (told[0]["there"], told[0]["wanted"]) == (1, 3)
    assert "docs/weaviate.md" in told[0]["remedy"]
