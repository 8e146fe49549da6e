"""Secrets stop at the door."""

from typing import Any

import pytest
from redis import Redis
from structlog.testing import capture_logs

from schemas.masking import MARK
from schemas.scope import Scope
from tests.cases.talk import AtDesk, Talk, found
from tests.desk import Desk, scripted
from tests.similarity import GivenSimilarities

KEY, PASSWORD = "qq_live_8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a", "Merlin42!"
PASTE = (
    f"Env: BILLING_KEY={KEY}, db mysql://app:{PASSWORD}@db.internal/shop. My name day is 8 June."
)
MASKED = f"Env: BILLING_KEY={MARK}, db mysql://app:{MARK}@db.internal/shop. My name day is 8 June."
MENTION = (
    "I keep my passwords in a manager. Commit 3f786850e387550fdab836ed7e6dc881de23001b mended it."
)
NAME_DAY, SHOP = "Name day is 8 June", f"The shop's database is mysql://app:{MARK}@db.internal/shop"
MANAGER = "Keeps passwords in a manager"
COMMIT = "Commit 3f786850e387550fdab836ed7e6dc881de23001b mended it"
TALK = Talk({MASKED: [found(NAME_DAY), found(SHOP)], MENTION: [found(MANAGER), found(COMMIT)]})


def everything_in(redis: Redis) -> str:
    """What every key holds, read by its type."""
    readers: dict[bytes, Any] = {
        b"string": redis.get,
        b"hash": redis.hgetall,
        b"list": lambda key: redis.lrange(key, 0, -1),
        b"set": redis.smembers,
        b"zset": lambda key: redis.zrange(key, 0, -1),
    }
    keys: Any = redis.keys()
    return str([(key, readers[bytes(_bytes(redis.type(key)))](key)) for key in keys])


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def everything_kept(table: Desk, redis: Redis) -> str:
    store, embedder = table.parts.store, table.parts.embedder
    assert isinstance(embedder, GivenSimilarities)
    records = [*store.memories(table.scope), *store.archives(table.scope), *store.runs(table.scope)]
    stored = [record.model_dump_json() for record in records]
    return "\n".join([*stored, *embedder.seen, everything_in(redis)])


def test_no_part_of_a_secret_is_kept_anywhere(
    at_desk: AtDesk, scope: Scope, redis_client: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    table = at_desk(scope)
    with scripted(table, TALK) as server, capture_logs() as logs:
        table.say(PASTE, "2026-03-03T15:00:00Z")
        waiting = everything_in(redis_client)
        table.settle()
        table.say(MENTION, "2026-03-03T15:05:00Z")
        table.settle()
        left = everything_kept(table, redis_client)

    assert MARK in waiting
    places = waiting + left + str(server.requests) + str(logs) + caplog.text
    assert KEY not in places
    assert PASSWORD not in places
    assert set(table.live()) == {NAME_DAY, SHOP, MANAGER, COMMIT}


def test_a_turn_that_is_put_aside_keeps_no_secret_either(
    at_desk: AtDesk, scope: Scope, redis_client: Redis
) -> None:
    table = at_desk(scope)
    table.say(PASTE, "2026-03-03T15:00:00Z")
    table.parts.inbox.park(table.claim(), 1, "cannot be read")

    (parked,) = table.parts.inbox.parked(scope.key)
    assert parked.turn is not None
    assert parked.turn.text == MASKED
    kept = everything_in(redis_client)
    assert KEY not in kept
    assert PASSWORD not in kept
