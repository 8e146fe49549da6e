"""Every count has a server and a file of its own, so that nothing else is counted along."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from schemas.scope import Scope
from tests.desk import Desk, desk
from tests.guard import scene
from tests.redis_service import RedisServer
from tests.similarity import GivenSimilarities
from worker.adapters.redis_server import connect
from worker.core.ports import Store

#: Longer than any test: nothing is renewed by a thread while somebody counts.
LEASE_SECONDS = 3600.0


@pytest.fixture(scope="session")
def _counted_server(
    redis_program: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RedisServer]:
    server = RedisServer(redis_program, tmp_path_factory.mktemp("counted"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def counted(_counted_server: RedisServer) -> Iterator[Redis]:
    """A client of a server that nobody else asks anything."""
    with connect(_counted_server.url) as client:
        client.flushall()
        yield client


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (GivenSimilarities().fingerprint, GivenSimilarities().dimensions)


@pytest.fixture
def scope() -> Scope:
    """Always the same: its key is in what is counted, and its store is a file of its own."""
    return Scope(app="guard", user="ann")


@pytest.fixture
def table(sqlite_store: Store, counted: Redis, scope: Scope) -> Desk:
    return at_desk(sqlite_store, counted, scope)


def at_desk(store: Store, redis: Redis, scope: Scope) -> Desk:
    """In the past, whatever the machine's clock says."""
    made = desk(store, redis, scope, scene.embedder(), lease_seconds=LEASE_SECONDS)
    made.now = scene.NOW
    return made
