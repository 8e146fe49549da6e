"""A real Weaviate server for the whole session, and stores on it and on SQLite.

`store` runs a test on both stores. A module whose vectors come from another embedder than `tests.build.vector`
overrides `embedding`. Tests are apart by scope: take `scope`, not a fixed one.
"""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import pytest

from deploy.weaviate_process import NoServer, Server
from deploy.weaviate_server import find, server
from schemas.scope import Scope
from worker.adapters.stores.opening import open_store
from worker.core.ports import Store

BOTH = ("sqlite", "weaviate")


@pytest.fixture(scope="session")
def weaviate_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Of what is already here; `python -m deploy.weaviate_server get` fetches or builds one."""
    if find() is None:
        reason = "no Weaviate server: run `python -m deploy.weaviate_server get`"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    try:
        with server(tmp_path_factory.mktemp("weaviate")) as running:
            yield running
    except NoServer as error:
        pytest.fail(str(error))


@pytest.fixture
def embedding() -> tuple[str, int]:
    """Fingerprint and dimensions; the default fits `tests.build.vector`."""
    return ("tests_8", 8)


@pytest.fixture(params=BOTH)
def store_url(request: pytest.FixtureRequest, tmp_path: Path, embedding: tuple[str, int]) -> str:
    """Of each store in turn; on Weaviate all tests with one embedding share their collections."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'memory.db'}"
    running: Server = request.getfixturevalue("weaviate_server")
    return f"{running.url}&prefix=T{sha256(repr(embedding).encode()).hexdigest()[:8]}"


@pytest.fixture
def store(store_url: str, embedding: tuple[str, int]) -> Iterator[Store]:
    yield from opened(store_url, embedding)


@pytest.fixture
def sqlite_store(tmp_path: Path, embedding: tuple[str, int]) -> Iterator[Store]:
    yield from opened(f"sqlite:///{tmp_path / 'memory.db'}", embedding)


def opened(url: str, embedding: tuple[str, int]) -> Iterator[Store]:
    store = open_store(url)
    try:
        store.open(*embedding)
        yield store
    finally:
        store.close()


@pytest.fixture
def scope(request: pytest.FixtureRequest) -> Scope:
    """One that no other test has."""
    return Scope(app=f"test-{uuid4()}", user="ann")
