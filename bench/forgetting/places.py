"""Everything that is told of a scope, by place, as plain text to search."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any

from pydantic import BaseModel
from redis import Redis

from bench.forgetting.gatemem import holds
from schemas.scope import Scope
from worker.core.recalling.ask import Ask
from worker.parts import Parts
from worker.recall import earlier, recall, veil_of

#: Where what was forgotten may never be found.
SHOWN = ("live", "archives", "recall", "runs", "redis")
#: Where it may lie, unread, until the grace is over.
STORED = ("stored_archives", "stored_runs")
PLACES = (*SHOWN, *STORED)
#: Ids, fingerprints and vectors, and times: digits and letters that say nothing.
NO_WORDS = re.compile(r"[0-9A-Za-z+/=_-]{36,}|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)?|\d{13,}")
#: A pending turn has its time of arrival in front.
ARRIVAL = re.compile(r"\A\d+ ")
MOST_RECALLED = 10


def places(
    parts: Parts, redis: Redis, scope: Scope, question: str, now: datetime
) -> dict[str, str]:
    """Place → all of its words. What is hidden only is in the two of `STORED` alone."""
    store, veil = parts.store, veil_of(parts.store, scope)
    answers = recall(store, parts.embedder, scope, Ask((question,), MOST_RECALLED), now).items
    runs = list(store.runs(scope))
    archives = [record.archive for record in store.archives(scope)]
    return {
        "live": told(record.memory for record in store.memories(scope)),
        "archives": told(earlier(store, scope)),
        "recall": told(one.memory for one in answers),
        "runs": told(map(veil.run, runs)),
        "redis": "\n".join(_queued(redis, scope.key)),
        "stored_archives": told(archives),
        "stored_runs": told(runs),
    }


def found(told_in: dict[str, str], target: str) -> frozenset[str]:
    """Places that hold the target; what is shown is stored as well, and only counted as shown."""
    places = {place for place, words in told_in.items() if holds(words, target)}
    hidden = {
        place for place in places.intersection(STORED) if place.removeprefix("stored_") in places
    }
    return frozenset(places - hidden)


def told(values: Iterable[BaseModel]) -> str:
    """All that they say."""
    return "\n".join(word for one in values for word in _words(one.model_dump(mode="json")))


def _words(value: Any) -> Iterator[str]:
    """Every text in it, without what only looks like one; keys and figures are none."""
    match value:
        case str():
            yield NO_WORDS.sub(" ", value)
        case list():
            for one in value:
                yield from _words(one)
        case dict():
            yield from _words(list(value.values()))


def _queued(redis: Redis, scope_key: str) -> Iterator[str]:
    """What the keys of the scope hold, names of fields included."""
    for key in redis.scan_iter(match=f"*{scope_key}*"):
        for raw in contents(redis, key):
            text = ARRIVAL.sub("", raw.decode("utf-8", "replace"))
            value: Any = text
            with suppress(ValueError):
                value = json.loads(text)
            yield from _words(value)


def contents(redis: Redis, key: bytes) -> list[bytes]:
    """Everything in one key, whatever its type."""
    return [one if isinstance(one, bytes) else one.encode() for one in _raw(redis, key)]


def _raw(redis: Redis, key: bytes) -> Iterator[bytes | str]:
    match redis.type(key):
        case b"string":
            yield redis.get(key) or b""
        case b"list":
            yield from redis.lrange(key, 0, -1)
        case b"hash":
            for pair in redis.hgetall(key).items():
                yield from pair
        case b"set":
            yield from redis.smembers(key)
        case b"zset":
            yield from (one for one, _ in redis.zscan_iter(key))
