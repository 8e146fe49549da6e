"""The command line against a real Redis, a SQLite file, the rules and the lexical embedder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from tests.build import SCOPE
from tests.hold import HELD
from tests.worker.interfaces.cli.running import Cli, Shelf
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.adapters.stores.sqlite import SqliteStore


@pytest.fixture
def cli(
    redis_client: Redis, redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Cli:
    monkeypatch.chdir(tmp_path)
    return Cli(
        tmp_path,
        {
            "SLOWWAVE_REDIS_URL": redis_url,
            "SLOWWAVE_STORE_URL": f"sqlite:///{tmp_path / 'memory.db'}",
            "SLOWWAVE_DATA_DIR": str(tmp_path),
            "SLOWWAVE_EMBEDDER": "hash",
            "SLOWWAVE_MODEL": "rules",
            "SLOWWAVE_MODEL_PATIENCE_SECONDS": "0",
            "COLUMNS": "200",
        },
    )


@pytest.fixture
def shelf(cli: Cli) -> Iterator[Shelf]:
    embedder = HashedEmbedder()
    store = SqliteStore(cli.folder / "memory.db")
    store.open(embedder.fingerprint, embedder.dimensions)
    store.writer(SCOPE, HELD).prepare()
    yield Shelf(store, embedder)
    store.close()
