"""The HTTP service over a real Redis and a SQLite file, with the rules and the lexical embedder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from schemas.scope import Scope
from tests.worker.interfaces.http.calling import Api, serving
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
def api(settings: Settings, redis_client: Redis, scope: Scope) -> Iterator[Api]:
    with serving(settings, redis_client, scope) as made:
        yield made
