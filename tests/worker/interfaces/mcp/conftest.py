"""The tools over a real Redis and a SQLite file, with the rules and the lexical embedder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from producers.producer import Producer
from schemas.scope import Scope
from tests.desk import Desk
from tests.worker.interfaces.mcp.calling import Memory
from worker import wiring
from worker.interfaces.mcp.house import Own
from worker.recaller import Recaller
from worker.settings import Settings


@pytest.fixture
def settings(redis_url: str, tmp_path: Path) -> Settings:
    return Settings(
        redis_url=redis_url,
        store_url=f"sqlite:///{tmp_path / 'memory.db'}",
        data_dir=tmp_path,
        embedder="hash",
        model="rules",
        model_patience_seconds=0,
        recall_deadline_seconds=30,
        _env_file=None,
    )


@pytest.fixture
def house(settings: Settings, redis_client: Redis) -> Iterator[Own]:
    parts = wiring.open_parts(settings)
    made = Own(settings, Recaller(settings), lambda: parts)
    yield made
    made.close()
    wiring.close()


@pytest.fixture
def memory(house: Own, scope: Scope) -> Memory:
    return Memory(house, scope)


@pytest.fixture
def desk(house: Own, redis_client: Redis, scope: Scope) -> Desk:
    return Desk(house.open_parts(), Producer(redis_client), scope)
