"""Which store a setting means."""

from pathlib import Path
from typing import Literal, cast
from urllib.parse import unquote

from worker.adapters.ondemand import on_demand
from worker.adapters.stores import weaviate_address
from worker.adapters.stores.deadline import DEADLINE_SECONDS
from worker.adapters.stores.sqlite import SqliteStore
from worker.adapters.stores.weaviate_tuning import DEFAULT, Tuning
from worker.core.ports import Store
from worker.errors import Misconfigured

SQLITE = "sqlite:///"


def open_store(
    url: str,
    key: str | None = None,
    deadline_seconds: float = DEADLINE_SECONDS,
    tuning: Tuning = DEFAULT,
) -> Store:
    """By the URL's scheme; reaches for nothing yet, its `open` does. Raises `Misconfigured`.

    A call of a server takes no longer than `deadline_seconds`, its retries included.

    After `sqlite:///` comes the path, so an absolute one makes four slashes.
    """
    if kind_of(url) == "sqlite":
        return SqliteStore(_path(url))
    weaviate = on_demand("worker.adapters.stores.weaviate", "WeaviateStore")
    return cast("Store", weaviate(weaviate_address.parse(url), key, deadline_seconds, tuning))


def kind_of(url: str) -> Literal["sqlite", "weaviate"]:
    """Raises `Misconfigured` for a scheme that is none of ours."""
    if url.startswith(SQLITE):
        return "sqlite"
    if url.partition("://")[0] in weaviate_address.PORTS:
        return "weaviate"
    raise Misconfigured(
        f"SLOWWAVE_STORE_URL begins with {url.partition('://')[0]!r} and is none of `sqlite:///PATH`, `weaviate://HOST:PORT?grpc_port=N`,"
        " `weaviates://HOST:PORT?grpc_port=N`"
    )


def check_made(url: str) -> None:
    """Raises `Misconfigured` for a file that is not there: who only reads must not make it."""
    if url.startswith(SQLITE) and not (path := _path(url)).exists():
        raise Misconfigured(
            f"there is no store at {path} yet: check SLOWWAVE_STORE_URL; nothing was learned there"
        )


def _path(url: str) -> Path:
    path = unquote(url.removeprefix(SQLITE))
    if not path.strip() or path == ":memory:" or "\0" in path:
        raise Misconfigured(
            f"SLOWWAVE_STORE_URL={url} names no file: several processes share the store, so it has to be"
            " one on disk, as in sqlite:////var/lib/slowwave/memory.db"
        )
    return Path(path).expanduser()
