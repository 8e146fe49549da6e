"""What only a server can get wrong: its version, its key, its collections, its absence."""

import logging
import os
import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NoReturn
from uuid import uuid4

import pytest
import weaviate
from weaviate.classes.config import (
    Configure,
    DataType,
    Property,
    Reconfigure,
    StopwordsPreset,
    Tokenization,
)

from deploy.weaviate_process import Server
from deploy.weaviate_server import server
from schemas.memory import MemoryRecord
from schemas.scope import Scope
from tests.build import NOW, memory, vector
from tests.hold import HELD
from tests.worker.adapters.stores.raw import client_of, own_address
from worker.adapters.stores import weaviate_link
from worker.adapters.stores.opening import open_store
from worker.adapters.stores.weaviate import WeaviateStore
from worker.adapters.stores.weaviate_address import Address, parse
from worker.adapters.stores.weaviate_collections import MEMORY, Embedding
from worker.adapters.stores.weaviate_errors import out_of_reach
from worker.core.ports import About, Query
from worker.errors import Misconfigured, Retryable, Unavailable

ROOT = Path(__file__).parents[4]
EMBEDDING = ("tests_8", 8)


def record(scope: Scope, text: str) -> MemoryRecord:
    return MemoryRecord(memory=memory(text, scope=scope, attribute="home"), vector=vector(text))


@pytest.fixture
def address(weaviate_server: Server) -> Iterator[Address]:
    """Collections of the test's own."""
    with own_address(weaviate_server) as address:
        yield address


@pytest.fixture
def store(address: Address) -> Iterator[WeaviateStore]:
    with closing(WeaviateStore(address, None)) as opened:
        opened.open(*EMBEDDING)
        yield opened


@pytest.fixture(scope="module")
def shared(weaviate_server: Server) -> Iterator[WeaviateStore]:
    """For tests that leave the collections as they are."""
    with closing(WeaviateStore(parse(f"{weaviate_server.url}&prefix=Shared"), None)) as opened:
        opened.open(*EMBEDDING)
        yield opened


def refusal(address: Address, key: str | None = None) -> str:
    with closing(WeaviateStore(address, key)) as store, pytest.raises(Misconfigured) as caught:
        store.open(*EMBEDDING)
    return str(caught.value)


def _wrong_tokenization(client: weaviate.WeaviateClient, name: str) -> None:
    description = Embedding(*EMBEDDING).description
    client.collections.create(
        name,
        description=description,
        multi_tenancy_config=Configure.multi_tenancy(enabled=True),
        vector_config=Configure.Vectors.self_provided(name="other"),
        properties=[
            Property(name="terms", data_type=DataType.TEXT, tokenization=Tokenization.WORD),
            Property(name="identifiers", data_type=DataType.TEXT),
        ],
    )


def test_collections_of_another_shape_are_refused_naming_what_differs(
    weaviate_server: Server, address: Address
) -> None:
    with client_of(weaviate_server) as client:
        _wrong_tokenization(client, address.prefix + MEMORY)

    message = refusal(address)

    for difference in (
        "vector `tests_8` is missing",
        "property `payload` is missing",
        "property `subject` is missing",
        "property `terms` is text, word, filtered, searched, not text, whitespace, searched",
        "property `identifiers` is text, word, filtered, searched, not text[], field, filtered",
        "stop words is en, not none",
        "woken by hand, not on, created by hand, woken by itself",
        f"{address.host}:{address.port}",
    ):
        assert difference in message


def test_a_switch_turned_later_is_noticed_at_the_next_start(
    store: WeaviateStore, weaviate_server: Server, address: Address
) -> None:
    with client_of(weaviate_server) as client:
        client.collections.use(address.prefix + MEMORY).config.update(
            multi_tenancy_config=Reconfigure.multi_tenancy(auto_tenant_creation=True),
            inverted_index_config=Reconfigure.inverted_index(stopwords_preset=StopwordsPreset.EN),
        )

    message = refusal(address)

    assert "tenants is on, created by itself, woken by itself, not on, created by hand" in message
    assert "stop words is en, not none" in message
    assert "terms" not in message


@pytest.mark.parametrize(
    "description, why",
    [
        ("Our documents", "was not made by slowwave"),
        (None, "was not made by slowwave"),
        ('{"slowwave": {"layout": 1, "embedder": "tests_8", "dimensions": 8}}', "layout 1,"),
        ('{"slowwave": {"layout": 4, "embedder": "tests_8", "dimensions": 8}}', "layout 4,"),
        ('{"slowwave": {"layout": 99, "embedder": "tests_8", "dimensions": 8}}', "layout 99"),
    ],
)
def test_collections_of_others_are_left_alone(
    weaviate_server: Server, address: Address, description: str | None, why: str
) -> None:
    with client_of(weaviate_server) as client:
        client.collections.create(address.prefix + MEMORY, description=description)

    message = refusal(address)

    assert why in message
    assert "prefix=NAME" in message


def test_an_empty_store_takes_another_embedder(store: WeaviateStore, scope: Scope) -> None:
    erased = Scope(app=scope.app, user="ben")
    store.writer(erased, HELD).erase(NOW)
    store.writer(scope, HELD).prepare()
    store.open("other model/4", 4)
    store.writer(scope, HELD).prepare()
    one = MemoryRecord(memory=memory("x", scope=scope), vector=vector("x", 4))
    store.writer(scope, HELD).put_memories([one])

    ranking = store.nominate(scope, [Query(vector("x", 4))], 5).rankings[0]
    assert ranking.by_vector == (one.memory.id,)
    assert store.about(erased) == About(erased_at=NOW)


def test_workers_that_start_at_once_share_what_the_first_makes(address: Address) -> None:
    stores = [WeaviateStore(address, None) for _ in range(4)]
    begin, failed = threading.Barrier(4), []

    def work(one: WeaviateStore) -> None:
        begin.wait()
        try:
            one.open(*EMBEDDING)
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work, args=(one,)) for one in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in stores:
        one.close()

    assert failed == []


def test_an_erased_scope_is_not_brought_back_by_a_late_worker(
    shared: WeaviateStore, weaviate_server: Server, scope: Scope
) -> None:
    shared.writer(scope, HELD).prepare()
    shared.writer(scope, HELD).put_memories([record(scope, "x")])
    with client_of(weaviate_server) as client:
        client.collections.use("SharedMemory").tenants.remove([scope.key])

    with pytest.raises(Retryable, match=scope.key):
        shared.writer(scope, HELD).put_memories([record(scope, "y")])
    assert shared.count(scope) == 0

    shared.writer(scope, HELD).prepare()
    shared.writer(scope, HELD).put_memories([record(scope, "z")])
    assert shared.count(scope) == 1


@pytest.mark.parametrize(
    "touch, left",
    [
        (lambda store, scope: store.count(scope), {"old"}),
        (lambda store, scope: store.slots(scope, 5), {"old"}),
        (lambda store, scope: store.nominate(scope, [Query(vector("old"))], 5), {"old"}),
        (
            lambda store, scope: store.writer(scope, HELD).put_memories([record(scope, "new")]),
            {"old", "new"},
        ),
        (lambda store, scope: store.writer(scope, HELD).remove_memories([memory("old").id]), set()),
    ],
    ids=["count", "slots", "nominate", "put", "remove"],
)
def test_a_resting_scope_is_woken_by_touching_it(
    shared: WeaviateStore,
    weaviate_server: Server,
    scope: Scope,
    touch: Callable[[WeaviateStore, Scope], object],
    left: set[str],
) -> None:
    shared.writer(scope, HELD).prepare()
    shared.writer(scope, HELD).put_memories([record(scope, "old")])
    with client_of(weaviate_server) as client:
        client.collections.use("SharedMemory").tenants.deactivate([scope.key])

    touch(shared, scope)

    assert {one.memory.text for one in shared.memories(scope)} == left
    assert shared.count(scope) == len(left)


def test_a_refused_object_is_named_by_id_and_its_text_stays_out_of_the_log(
    shared: WeaviateStore,
    scope: Scope,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shared.writer(scope, HELD).prepare()
    shared.writer(scope, HELD).put_memories([record(scope, "first")])
    monkeypatch.setattr(shared, "_embedding", Embedding("tests_8", 4))
    bad = MemoryRecord(memory=memory("a private thing", scope=scope), vector=vector("x", 4))

    with caplog.at_level(logging.DEBUG, "worker"), pytest.raises(Exception, match="wrong size"):
        shared.writer(scope, HELD).put_memories([bad])
    assert "a private thing" not in caplog.text


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, weaviate_server: Server) -> Iterator[Server]:
    """A server that wants a key."""
    keys = {
        "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "false",
        "AUTHENTICATION_APIKEY_ENABLED": "true",
        "AUTHENTICATION_APIKEY_ALLOWED_KEYS": "right-key",
        "AUTHENTICATION_APIKEY_USERS": "worker",
    }
    with server(tmp_path_factory.mktemp("guarded"), environment=keys) as running:
        yield running


def test_the_right_key_opens_and_searches(guarded: Server, scope: Scope) -> None:
    with closing(WeaviateStore(parse(guarded.url), "right-key")) as store:
        store.open(*EMBEDDING)
        store.writer(scope, HELD).prepare()
        store.writer(scope, HELD).put_memories([record(scope, "x")])

        assert len(store.nominate(scope, [Query(vector("x"))], 5).records) == 1


@pytest.mark.parametrize("key", [None, "wrong-key"])
def test_a_wrong_key_is_a_setting_to_change(guarded: Server, key: str | None) -> None:
    message = refusal(parse(guarded.url), key)

    assert "SLOWWAVE_STORE_KEY" in message
    assert f"127.0.0.1:{guarded.port}" in message
    assert "wrong-key" not in message


@contextmanager
def answering(status: int, body: bytes) -> Iterator[Address]:
    """Something that gives this answer to everything."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        port = http.server_address[1]
        try:
            yield parse(f"weaviate://127.0.0.1:{port}?grpc_port=1")
        finally:
            http.shutdown()
            thread.join()


@pytest.mark.parametrize("version", ["1.38.5", "1.37.14", "1.9.9", "0.23.1"])
def test_a_server_that_is_too_old_is_named_with_both_versions(version: str) -> None:
    with answering(200, f'{{"version": "{version}"}}'.encode()) as address:
        message = refusal(address)

    assert version in message
    assert "1.38.6" in message
    assert f"127.0.0.1:{address.port}" in message


@pytest.mark.parametrize("body", [b"<html>Hello</html>", b"[]", b"{}", b"\xff"])
def test_something_that_is_no_weaviate_is_a_setting_to_change(body: bytes) -> None:
    with answering(200, body) as address:
        assert "SLOWWAVE_STORE_URL" in refusal(address)


def test_a_server_that_is_starting_is_unavailable() -> None:
    with (
        answering(503, b"") as address,
        closing(WeaviateStore(address, None)) as store,
        pytest.raises(Unavailable, match=f"127.0.0.1:{address.port}.*503"),
    ):
        store.open(*EMBEDDING)


def test_a_port_where_nobody_listens_is_unavailable() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        store = WeaviateStore(parse(f"weaviate://127.0.0.1:{port}"), None)

        with pytest.raises(Unavailable, match=f"127.0.0.1:{port}.*Is it running"):
            store.open(*EMBEDDING)
    store.close()


def test_a_server_that_goes_away_is_unavailable_within_the_deadline(
    tmp_path: Path, scope: Scope, weaviate_server: Server
) -> None:
    """The client alone would try again for a minute."""
    with server(tmp_path / "own") as running:
        with closing(open_store(running.url)) as patient:
            patient.open(*EMBEDDING)
            patient.writer(scope, HELD).prepare()
        store = WeaviateStore(parse(running.url), None, deadline_seconds=0.2)
        store._embedding = Embedding(*EMBEDDING)
        store._link._here()
    reads = (
        lambda: store.nominate(scope, [Query(vector("x"))], 5),
        lambda: store.count(scope),
        lambda: list(store.memories(scope)),
        lambda: store.writer(scope, HELD).put_memories([record(scope, "x")]),
    )

    for call in reads:
        with pytest.raises(
            Unavailable, match=rf"127.0.0.1:{running.port} .*no answer within 0\.2 s"
        ):
            call()
    store.close()


def test_who_waits_for_anothers_connection_waits_no_longer_than_for_an_answer(
    scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that takes connections and says nothing: threads must not try it one after the other."""
    begun, over = threading.Event(), threading.Event()

    def silent(address: Address, *_: object) -> NoReturn:
        begun.set()
        over.wait(30)
        raise out_of_reach(address, "it says nothing")

    monkeypatch.setattr(weaviate_link, "connect", silent)
    store = WeaviateStore(parse("weaviate://localhost:1?grpc_port=2"), None, deadline_seconds=0.05)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(store.count, scope)
        assert begun.wait(30)
        with pytest.raises(Unavailable, match="no connection in time") as caught:
            store.count(scope)
        assert caught.value.part == "store"
        assert not first.done()
        over.set()
        with pytest.raises(Unavailable, match="it says nothing"):
            first.result()


FORK = """
    import os, sys
    from schemas.scope import Scope
    from tests.hold import HELD
    from worker.adapters.stores.opening import open_store

    store, scope = open_store(sys.argv[1]), Scope(app=sys.argv[2], user="ann")
    store.open("tests_8", 8)
    child = os.fork()
    store.writer(scope, HELD).prepare()
    assert store.count(scope) == 0
    store.close()
    os._exit(os.waitpid(child, 0)[1] if child else 0)
"""


def test_parent_and_forked_child_both_use_the_store(weaviate_server: Server) -> None:
    forking = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FORK), weaviate_server.url, str(uuid4())],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )

    assert forking.returncode == 0
