"""Writes of a worker that stood still, on a server that cannot compare a fence."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, NoReturn

import grpc  # type: ignore[import-untyped] # its types are a package of their own
import pytest

from deploy.weaviate_process import Server
from schemas.memory import MemoryRecord
from schemas.plan import Run
from schemas.scope import Scope
from tests.build import NOW, memory, uid, vector
from tests.hold import HELD
from tests.weaviate_service import opened
from worker.adapters.stores.weaviate import WeaviateStore
from worker.adapters.stores.weaviate_address import parse
from worker.adapters.stores.weaviate_link import THREADS
from worker.core.ports import Store, Writer
from worker.errors import LeaseLost, Unavailable

EMBEDDING = ("tests_8", 8)


def record(scope: Scope, text: str) -> MemoryRecord:
    return MemoryRecord(memory=memory(text, scope=scope), vector=vector(text))


@dataclass
class Asked:
    """A lease that answers its nth question as it is told to, and any other with yes."""

    answer: Callable[[], None]
    nth: int = 1
    times: int = 0
    fence: int = 1

    def check(self) -> None:
        self.times += 1
        if self.times == self.nth:
            self.answer()

    def overtaken(self, fence: int) -> NoReturn:
        raise NotImplementedError


def lost() -> None:
    raise LeaseLost


@pytest.fixture
def url(weaviate_server: Server) -> str:
    return f"{weaviate_server.url}&prefix=Writer"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    yield from opened(url, EMBEDDING)


WRITES: list[Callable[[Writer, Scope], None]] = [
    lambda writer, scope: writer.put_memories([record(scope, "stale")]),
    lambda writer, scope: writer.remove_memories([record(scope, "newer").memory.id]),
]


@pytest.mark.parametrize("write", WRITES, ids=["memories", "removal"])
def test_a_lease_that_is_lost_right_before_the_request_leaves_stops_it(
    store: Store, scope: Scope, write: Callable[[Writer, Scope], None]
) -> None:
    successor = store.writer(scope, HELD)
    successor.prepare()
    successor.put_memories([record(scope, "newer")])

    with pytest.raises(LeaseLost):
        write(store.writer(scope, Asked(lost)), scope)

    assert [one.memory.text for one in store.memories(scope)] == ["newer"]


def test_a_lost_lease_makes_no_room(store: Store, scope: Scope) -> None:
    with pytest.raises(LeaseLost):
        store.writer(scope, Asked(lost, nth=2)).prepare()

    fresh = Asked(lambda: None)
    store.writer(scope, fresh).prepare()
    assert fresh.times == 4, "it was not taken for made: three tenants and a card"


class Refused(grpc.RpcError):  # type: ignore[misc] # grpc has no types here
    """What the client tries again by itself."""

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.UNAVAILABLE


@dataclass
class Refusing:
    """A server behind the gate that refuses every request."""

    sent: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        def send(*_: object, **__: object) -> NoReturn:
            self.sent.append(name)
            raise Refused

        return send


@pytest.fixture
def behind(url: str) -> Iterator[tuple[WeaviateStore, Refusing]]:
    """A store whose calls are given up at once, and what it sends."""
    with closing(WeaviateStore(parse(url), None, deadline_seconds=0.2)) as impatient:
        server = Refusing()
        client = impatient._link._here().client
        client._connection._grpc_stub._stub = server
        yield impatient, server


def all_threads_are_free(store: WeaviateStore) -> bool:
    """What they were doing has ended."""
    meet = threading.Barrier(THREADS)
    pool = store._link._here().pool
    return len(pool.run([meet.wait] * THREADS, 20)) == THREADS


def test_the_clients_own_retries_ask_for_the_lease_again(
    behind: tuple[WeaviateStore, Refusing], scope: Scope
) -> None:
    store, server = behind
    store._link._deadline_seconds = 20
    hold = Asked(lost, nth=2)
    begun = Run(id=uid("run"), kind="batch", scope=scope, state="open", turn_ids=(), started_at=NOW)

    with pytest.raises(LeaseLost):
        store.writer(scope, hold).put_run(begun)

    assert server.sent == ["BatchObjects"]


def test_what_was_given_up_before_it_was_sent_is_never_sent(
    behind: tuple[WeaviateStore, Refusing], scope: Scope
) -> None:
    store, server = behind
    given_up = threading.Event()

    def late() -> None:
        given_up.wait()

    hold = Asked(late)

    with pytest.raises(Unavailable, match="no answer within"):
        store.writer(scope, hold).remove_memories([memory("x").id])
    given_up.set()

    assert all_threads_are_free(store)
    assert hold.times == 1
    assert server.sent == []
