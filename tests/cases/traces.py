"""Where a word still stands: in raw rows, objects and keys, and in all that a reader of a scope is shown."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

import weaviate
from redis import Redis

from deploy.weaviate_process import Server
from schemas.scope import Scope
from tests.desk import Desk
from tests.worker.adapters.stores.raw import client_of, tenants_of
from worker.adapters.stores.weaviate_address import Address, parse
from worker.adapters.stores.weaviate_collections import SCOPE
from worker.core.recalling.ask import Ask
from worker.direct.exporting import exported
from worker.errors import NotFound
from worker.interfaces.cli.history import history_in, texts_around
from worker.interfaces.runs_told import document_of, told
from worker.recall import earlier, known, recall

#: Looks at everything that a store and Redis hold of some scopes, as strings.
Raw = Callable[[Iterable[Scope]], list[str]]


def telling(texts: Iterable[str], word: str) -> list[str]:
    """Those that have the word, also as JSON escapes it."""
    forms = {word.casefold(), json.dumps(word)[1:-1].casefold()}
    return sorted(one for one in texts if any(form in one.casefold() for form in forms))


@dataclass(frozen=True)
class Places:
    """A store's address, its server where it has one, and a Redis that only this test uses."""

    store_url: str
    redis: Redis
    server: Server | None

    def __call__(self, scopes: Iterable[Scope]) -> list[str]:
        kept = self._objects(scopes) if self.server else self._rows()
        return [*kept, *self._keys()]

    def _rows(self) -> Iterator[str]:
        db = sqlite3.connect(self.store_url.removeprefix("sqlite:///"))
        try:
            names = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
            for (name,) in names:
                yield from (f"{name}: {row}" for row in db.execute(f'SELECT * FROM "{name}"'))  # noqa: S608
        finally:
            db.close()

    def _objects(self, scopes: Iterable[Scope]) -> Iterator[str]:
        address = parse(self.store_url)
        with client_of(cast("Server", self.server)) as client:
            for scope in scopes:
                for name in tenants_of(client, address, scope):
                    yield from _of_tenant(client, address, name, scope)
            cards = client.collections.use(address.prefix + SCOPE)
            yield from (f"card: {sorted(one.properties.items())}" for one in cards.iterator())

    def _keys(self) -> Iterator[str]:
        read: dict[str, Callable[[bytes], Any]] = {
            "list": lambda key: self.redis.lrange(key, 0, -1),
            "hash": self.redis.hgetall,
            "zset": lambda key: self.redis.zrange(key, 0, -1, withscores=True),
            "set": self.redis.smembers,
            "stream": self.redis.xrange,
            "string": self.redis.get,
        }
        for key in self.redis.scan_iter():
            kind = cast("bytes", self.redis.type(key)).decode()
            yield f"{key.decode()}: {_decoded(read[kind](key))}"


def _of_tenant(
    client: weaviate.WeaviateClient, address: Address, name: str, scope: Scope
) -> Iterator[str]:
    objects = client.collections.use(address.prefix + name).with_tenant(scope.key)
    for one in objects.iterator():
        yield f"{name} of {scope.key}: {sorted(one.properties.items())}"


def _decoded(found: Any) -> Any:
    match found:
        case bytes():
            return found.decode(errors="replace")
        case dict():
            return {_decoded(key): _decoded(value) for key, value in found.items()}
        case list() | set() | tuple():
            return [_decoded(one) for one in found]
        case _:
            return found


#: Moments about which a reader may ask, between all that is said in these tests.
MOMENTS = tuple(datetime(2026, month, 15, tzinfo=UTC) for month in range(1, 12))


def shown(table: Desk, *queries: str) -> list[str]:
    """All that a reader of the scope can be shown: answers, lists of any time, histories, runs and the export."""
    store, scope, now = table.parts.store, table.scope, table.now
    texts = [one.model_dump_json() for one in known(store, scope, now)]
    texts += [one.model_dump_json() for one in earlier(store, scope)]
    texts += [one.model_dump_json() for one in exported(store, scope)]
    texts += [document_of(told(store, scope, run)).model_dump_json() for run in store.runs(scope)]
    for moment in MOMENTS:
        for asked in ({"as_of": moment}, {"valid_at": moment}):
            texts += [one.model_dump_json() for one in known(store, scope, now, **asked)]
    for query in queries:
        found = recall(store, table.parts.embedder, scope, Ask((query,)), now).items
        texts += [one.memory.model_dump_json() for one in found]
    for id in {one.memory_id for run in store.runs(scope) for one in run.changes}:
        texts += _history(table, id.hex)
    return texts


def _history(table: Desk, digits: str) -> list[str]:
    store, scope = table.parts.store, table.scope
    try:
        found = history_in(store, scope, digits)
    except NotFound:
        return []
    texts = [one.model_dump_json() for one in found.archives]
    return [*texts, *map(str, texts_around(store, scope, found).values())]
