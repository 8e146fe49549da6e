"""What was shown in which conversation, and the turns that wait, on a real Redis."""

import time
from typing import Any, cast
from uuid import UUID

import pytest
from redis import Redis

from producers.producer import Producer
from schemas.keys import PartitionKeys, ScopeKeys, partition_of
from schemas.limits import Limits
from schemas.scope import Scope
from tests.build import uid
from tests.redis_service import RedisServer
from worker.adapters.inbox import Inbox
from worker.adapters.redis_server import connect
from worker.adapters.served import HELD_SECONDS, ServedLog
from worker.adapters.shown import KEPT_SECONDS, Place, ShownLog
from worker.core.recalling.showing import Showing

ALICE, BOB = Scope(app="acme", user="alice"), Scope(app="acme", user="bob")
TEA, HOME = uid("tea"), uid("home")
HERE, THERE = Place.of(ALICE.key, "support chat 42"), Place.of(ALICE.key, "another")
KEYS = ScopeKeys(0, ALICE.key)


@pytest.fixture
def log(redis_client: Redis) -> ShownLog:
    return ShownLog(redis_client)


def show(
    log: ShownLog, *showings: tuple[UUID, Showing], age: float = 0.0, place: Place = HERE
) -> None:
    log.add(place, [(age, dict(showings))], KEPT_SECONDS)


def shown(log: ShownLog, place: Place = HERE) -> dict[UUID, int]:
    return dict(log.beside(place.scope_key, place).shown)


def test_what_was_shown_is_known_in_its_conversation(log: ShownLog) -> None:
    show(log, (TEA, Showing(1)), (HOME, Showing(3)))

    assert shown(log) == {TEA: 1, HOME: 3}
    assert shown(log, THERE) == shown(log, Place.of(BOB.key, "support chat 42")) == {}


def test_the_later_version_stands_however_late_the_earlier_one_comes(log: ShownLog) -> None:
    show(log, (TEA, Showing(2)))
    show(log, (TEA, Showing(1)))
    assert shown(log) == {TEA: 2}
    show(log, (TEA, Showing(1, is_withdrawn=True)))
    assert shown(log) == {TEA: 2}
    show(log, (TEA, Showing(2, is_withdrawn=True)))
    assert shown(log) == {}


def test_it_holds_ids_and_versions_and_goes_away_by_itself(
    log: ShownLog, redis_client: Redis
) -> None:
    show(log, (TEA, Showing(1)))
    name = KEYS.shown_in(HERE.digest)

    ((id, value),) = cast("dict[bytes, bytes]", redis_client.hgetall(name)).items()
    version, ms = value.split()
    assert (id.decode(), version) == (str(TEA), b"1")
    assert ms.isdigit()
    assert {cast("bytes", one).decode() for one in cast("Any", redis_client.keys())} == {
        name,
        KEYS.shown,
    }
    for key in (name, KEYS.shown):
        assert redis_client.ttl(key) == pytest.approx(KEPT_SECONDS, abs=60)


def test_of_too_many_memories_the_last_shown_are_kept(
    log: ShownLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.adapters.shown.MEMORIES", 3)
    for nth in range(5):
        show(log, (uid(str(nth)), Showing(1)), age=20 - nth)

    assert {*shown(log)} == {uid("2"), uid("3"), uid("4")}


def test_of_too_many_conversations_the_last_are_kept(
    log: ShownLog, redis_client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.adapters.shown.CONVERSATIONS", 2)
    places = [Place.of(ALICE.key, str(nth)) for nth in range(4)]
    for nth, place in enumerate(places):
        show(log, (TEA, Showing(1)), place=place)
        # Shown a minute ago, one after the other.
        redis_client.zadd(KEYS.shown, {place.digest: time.time() * 1000 - 60_000 + nth})

    assert [len(shown(log, place)) for place in places] == [0, 0, 1, 1]
    assert redis_client.zcard(KEYS.shown) == 2


# What was erased


def test_an_erased_scope_has_shown_nothing_and_what_comes_late_stays_out(
    log: ShownLog, redis_client: Redis
) -> None:
    show(log, (TEA, Showing(1)))
    show(log, (TEA, Showing(1)), place=THERE)
    ServedLog(redis_client).erase(ALICE.key)
    assert redis_client.keys(f"*{ALICE.key}*") == []

    show(log, (TEA, Showing(1)), age=HELD_SECONDS)
    assert redis_client.keys(f"*{ALICE.key}*") == []
    erased_ms = int(
        cast("float", redis_client.zscore(PartitionKeys(0).unserved, f"erased:{ALICE.key}"))
    )
    redis_client.zadd(PartitionKeys(0).unserved, {f"erased:{ALICE.key}": erased_ms - 5_000})
    show(log, (HOME, Showing(1)))
    assert shown(log) == {HOME: 1}


def test_what_was_forgotten_stays_known_as_shown_so_that_it_can_be_withdrawn(
    log: ShownLog, redis_client: Redis
) -> None:
    show(log, (TEA, Showing(1)))
    ServedLog(redis_client).forget(ALICE.key, [TEA])
    show(log, (HOME, Showing(1)), age=5)

    assert shown(log) == {TEA: 1, HOME: 1}


# Turns that wait


def say(client: Redis, *texts: str, scope: Scope = ALICE) -> None:
    producer = Producer(client)
    for text in texts:
        producer.publish({"app": scope.app, "user": scope.user, "role": "user", "text": text})


def waiting(log: ShownLog, turns: int = 10) -> tuple[list[str], int]:
    queue = log.beside(ALICE.key, None, turns).queue
    return [turn.text for turn in queue.turns], queue.in_work


def test_the_last_turns_that_wait_are_read_in_order(log: ShownLog, redis_client: Redis) -> None:
    say(redis_client, "one", "two", "three")
    say(redis_client, "his", scope=BOB)

    assert waiting(log) == (["one", "two", "three"], 0)
    assert waiting(log, 2) == (["two", "three"], 0)
    assert waiting(log, 0) == ([], 0)


def test_those_of_the_batch_that_a_worker_holds_are_in_work(
    log: ShownLog, redis_client: Redis
) -> None:
    inbox = Inbox(redis_client)
    inbox.configure(Limits(batch_turns=2))
    say(redis_client, "one", "two", "three")
    claim = inbox.claim()
    assert claim is not None

    assert waiting(log) == (["one", "two", "three"], 2)
    assert waiting(log, 2) == (["two", "three"], 1)
    assert waiting(log, 1) == (["three"], 0)
    redis_client.zadd(PartitionKeys(0).busy, {ALICE.key: 1})
    assert waiting(log)[1] == 0


def test_of_large_turns_only_the_last_are_read_and_at_least_one(
    log: ShownLog, redis_client: Redis
) -> None:
    say(redis_client, "one", "x" * 39_900, "two", "three")
    assert waiting(log) == (["two", "three"], 0)
    say(redis_client, "y" * 100_000)

    assert waiting(log) == (["y" * 100_000], 0)


def test_what_is_no_turn_is_left_out(log: ShownLog, redis_client: Redis) -> None:
    say(redis_client, "one")
    redis_client.rpush(KEYS.turns, b"1 {}", b"junk")
    say(redis_client, "two")

    assert waiting(log) == (["one", "two"], 0)


def test_it_lies_in_the_partition_of_its_scope(redis_client: Redis) -> None:
    log = ShownLog(redis_client, partitions=8)
    show(log, (TEA, Showing(1)))

    assert shown(log) == {TEA: 1}
    tags = {cast("bytes", key).decode().split("}")[0] for key in cast("Any", redis_client.keys())}
    assert tags == {f"slowwave:{{{partition_of(ALICE.key, 8)}"}


def test_a_full_redis_can_still_be_read(redis_server: RedisServer) -> None:
    with connect(redis_server.url) as client:
        log = ShownLog(client)
        show(log, (TEA, Showing(1)))
        client.config_set("maxmemory", 1)

        assert shown(log) == {TEA: 1}
