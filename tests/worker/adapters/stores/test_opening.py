from pathlib import Path

import pytest

from worker.adapters.stores.opening import open_store
from worker.adapters.stores.sqlite import SqliteStore
from worker.adapters.stores.weaviate import WeaviateStore
from worker.errors import Misconfigured


@pytest.mark.parametrize("name", ["memory.db", "with space & ümlaut?.db", "50%25.db"])
def test_the_path_after_the_slashes_is_the_file(tmp_path: Path, name: str) -> None:
    store = open_store(f"sqlite:///{tmp_path / name}")
    assert isinstance(store, SqliteStore)
    store.open("tests_8", 8)
    store.close()

    assert (tmp_path / name.replace("%25", "%")).is_file()


@pytest.mark.parametrize("scheme", ["weaviate", "weaviates"])
def test_a_weaviate_url_reaches_for_nothing_yet(scheme: str) -> None:
    store = open_store(f"{scheme}://nowhere.invalid:1?grpc_port=2", "key")
    store.close()

    assert isinstance(store, WeaviateStore)


@pytest.mark.parametrize(
    "url",
    ["", "memory.db", "postgres://db", "sqlite:memory.db", "sqlite://memory.db", "http://db:8080"],
)
def test_an_unknown_scheme_is_answered_with_the_known_ones(url: str) -> None:
    with pytest.raises(Misconfigured, match=r"sqlite:///PATH.*weaviate://.*weaviates://"):
        open_store(url)


@pytest.mark.parametrize(
    "url", ["sqlite:///", "sqlite:///:memory:", "sqlite:///%20", "sqlite:///a%00b"]
)
def test_sqlite_needs_a_file(url: str) -> None:
    with pytest.raises(Misconfigured, match="names no file"):
        open_store(url)
