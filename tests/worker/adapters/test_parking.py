"""Turns that were put aside, and their ways out, on a real Redis."""

from collections.abc import Callable
from typing import Any

import pytest
from redis import Redis

from producers.producer import Producer
from schemas.keys import PartitionKeys, ScopeKeys
from schemas.limits import Limits
from schemas.scope import Scope
from tests.redis_service import RedisServer
from worker.adapters.inbox import Claim, Inbox
from worker.adapters.redis_server import connect
from worker.errors import LeaseLost

SHARED = PartitionKeys(0)
ALL_AT_ONCE = Limits(batch_turns=4, quiet_seconds=0)


def key(user: str = "alice") -> str:
    return Scope(app="acme", user=user).key


@pytest.fixture
def inbox(redis_client: Redis) -> Inbox:
    inbox = Inbox(redis_client)
    inbox.configure(ALL_AT_ONCE)
    return inbox


Publish = Callable[..., list[str]]


@pytest.fixture
def publish(redis_client: Redis) -> Publish:
    producer = Producer(redis_client)

    def publish(*texts: str, user: str = "alice", **fields: Any) -> list[str]:
        line = {"app": "acme", "user": user, "role": "user", **fields}
        return [producer.publish({**line, "text": text, "id": text}).status for text in texts]

    return publish


def claimed(inbox: Inbox, user: str = "alice") -> Claim:
    inbox.flush(key(user))
    claim = inbox.claim()
    assert claim
    assert claim.scope_key == key(user)
    return claim


def park(inbox: Inbox, count: int = 1, user: str = "alice") -> None:
    inbox.park(claimed(inbox, user), count, "too sweet")


def texts(inbox: Inbox, user: str = "alice") -> list[str]:
    return [turn.text for turn in inbox.pending(key(user))]


def counters(client: Redis) -> dict[str, int]:
    return {
        name: int(client.hget(SHARED.counters, name) or 0)
        for name in ("pending", "settled", "parked")
    }


def test_what_is_parked_is_listed_by_scope_and_then_by_age(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    for user in ("ben", "alice"):
        publish(f"{user} 1", user=user)
        park(inbox, user=user)
    publish("ben 2", user="ben")
    park(inbox, user="ben")
    redis_client.zincrby(SHARED.aside, -1000, key("ben"))  # both may be of one millisecond
    listed = [letter.turn.text for letter in inbox.parking.letters() if letter.turn]

    assert listed == ["ben 1", "ben 2", "alice 1"]
    assert [letter.id for letter in inbox.parking.letters(key("ben"))] == [
        str(letter.turn.id) for letter in inbox.parking.letters(key("ben")) if letter.turn
    ]


def test_a_turn_that_is_put_back_comes_last_and_at_once_with_all_its_attempts(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    publish("bad")
    inbox.fail(claimed(inbox), 0, burn=True)
    park(inbox)
    inbox.configure(Limits(batch_turns=4, quiet_seconds=1000))
    publish("b", "c")

    assert inbox.parking.replay(list(inbox.parking.letters())) == 1
    claim = inbox.claim()
    assert claim
    assert [turn.text for turn in inbox.turns(claim)] == ["b", "c", "bad"]
    assert claim.attempt == 1
    assert list(inbox.parking.letters()) == []
    assert counters(redis_client) == {"pending": 3, "settled": 0, "parked": 0}
    inbox.commit(claim, 3, 6)
    assert counters(redis_client) == {"pending": 0, "settled": 3, "parked": 0}
    assert inbox.idle()
    assert redis_client.keys("*aside*") == []


def test_it_is_put_back_once_however_often_it_is_asked_for(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    publish("bad")
    park(inbox)
    letters = list(inbox.parking.letters())

    assert [inbox.parking.replay(letters) for _ in range(2)] == [1, 0]
    assert texts(inbox) == ["bad"]
    assert counters(redis_client) == {"pending": 1, "settled": 0, "parked": 0}


def test_a_back_off_is_kept_by_what_is_put_back(inbox: Inbox, publish: Publish) -> None:
    publish("bad")
    park(inbox)
    publish("b")
    inbox.fail(claimed(inbox), 1000, burn=True)
    inbox.parking.replay(list(inbox.parking.letters()))

    assert inbox.claim() is None
    assert texts(inbox) == ["b", "bad"]


def test_the_same_turn_published_meanwhile_is_a_duplicate_and_put_back_it_is_one(
    inbox: Inbox, publish: Publish
) -> None:
    publish("bad")
    park(inbox)

    assert publish("bad") == ["duplicate"]
    inbox.parking.replay(list(inbox.parking.letters()))
    assert publish("bad") == ["duplicate"]
    assert texts(inbox) == ["bad"]


def test_one_that_is_parked_twice_is_one_letter(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    publish("bad")
    park(inbox)
    redis_client.delete(ScopeKeys(0, key()).seen)
    publish("bad")
    park(inbox)

    assert len(list(inbox.parking.letters())) == 1
    assert counters(redis_client)["parked"] == 1


def test_what_is_dropped_is_gone_and_may_be_published_again(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    publish("bad", "worse")
    park(inbox, 2)
    first, second = inbox.parking.letters()

    assert [inbox.parking.drop([first]) for _ in range(2)] == [1, 0]
    assert list(inbox.parking.letters()) == [second]
    assert inbox.parking.drop([second]) == 1
    assert counters(redis_client)["parked"] == 0
    assert redis_client.keys("*aside*") == []
    assert publish("bad") == ["accepted"]


@pytest.mark.parametrize("junk", [b"junk", b"1764482000000 {}", b"1764482000000 \xff"])
def test_what_is_no_turn_can_be_listed_and_dropped(
    redis_client: Redis, inbox: Inbox, publish: Publish, junk: bytes
) -> None:
    publish("a")
    redis_client.rpush(ScopeKeys(0, key()).turns, junk)
    inbox.commit(claimed(inbox), 1, 2)
    park(inbox)
    (letter,) = inbox.parking.letters()

    assert letter.turn is None
    assert inbox.parking.drop([letter]) == 1
    assert list(inbox.parking.letters()) == []


def test_a_turn_of_another_scope_is_no_turn_of_this_one(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    publish("mine")
    publish("secret", user="bob")
    redis_client.lpop(ScopeKeys(0, key()).turns)
    redis_client.lmove(ScopeKeys(0, key("bob")).turns, ScopeKeys(0, key()).turns)
    park(inbox)
    (letter,) = inbox.parking.letters(key())

    assert letter.turn is None
    assert letter.parked.turn is not None
    assert letter.id != str(letter.parked.turn.id)


def test_many_are_put_back_in_their_order(inbox: Inbox, publish: Publish) -> None:
    names = [f"{at:03}" for at in range(450)]
    publish(*names)
    while texts(inbox):
        park(inbox, 4)

    assert inbox.parking.replay(list(inbox.parking.letters())) == len(names)
    assert texts(inbox) == names
    assert inbox.status().parked == 0


def test_all_partitions_are_looked_through(redis_client: Redis, publish: Publish) -> None:
    inbox = Inbox(redis_client, partitions=4)
    inbox.configure(ALL_AT_ONCE)
    users = [f"user {at}" for at in range(8)]
    for user in users:
        publish(user, user=user)
        park(inbox, user=user)
    letters = list(inbox.parking.letters())

    assert sorted(letter.turn.text for letter in letters if letter.turn) == users
    assert inbox.parking.replay(letters) == len(users)
    assert inbox.status().pending_turns == len(users)


def test_moves_are_whole_whenever_redis_is_killed(redis_server: RedisServer) -> None:
    with connect(redis_server.url) as client:
        producer, inbox = Producer(client), Inbox(client)
        inbox.configure(ALL_AT_ONCE)
        for at in range(20):
            line = {"app": "acme", "user": "alice", "role": "user", "text": f"{at}"}
            producer.publish(line)
        for at in range(20):
            park(inbox)
            redis_server.kill() if at % 7 == 3 else None
            redis_server.start() if at % 7 == 3 else None
            if at % 2:
                inbox.parking.replay(list(inbox.parking.letters())[:1])
                redis_server.kill()
                redis_server.start()
        where = texts(inbox) + [one.turn.text for one in inbox.parking.letters() if one.turn]

    assert sorted(where, key=int) == [f"{at}" for at in range(20)]


# One scope for a direct write


def test_a_scope_is_leased_by_its_key_with_or_without_turns(inbox: Inbox, publish: Publish) -> None:
    idle = inbox.claim_scope(key("ben"))
    publish("a")
    waiting = inbox.claim_scope(key())
    assert idle
    assert waiting

    assert waiting.fence > idle.fence
    assert inbox.claim() is None
    assert inbox.claim_scope(key()) is None
    for claim in (idle, waiting):
        inbox.release(claim)
    after = inbox.claim()
    assert after
    assert (after.scope_key, after.attempt) == (key(), 1)
    inbox.commit(after, 1, 2)
    assert inbox.idle()


def test_a_back_off_outlives_a_direct_write(inbox: Inbox, publish: Publish) -> None:
    publish("a")
    inbox.fail(claimed(inbox), 1000, burn=True)
    claim = inbox.claim_scope(key())
    assert claim
    inbox.release(claim)

    assert inbox.claim() is None
    assert inbox.status().pending_scopes == 1


def test_who_lost_a_direct_lease_settles_nothing(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    publish("a")
    park(inbox)
    stale = inbox.claim_scope(key())
    assert stale
    redis_client.zadd(SHARED.busy, {key(): 1})
    fresh = inbox.claim_scope(key())
    assert fresh
    ids = [letter.id for letter in inbox.parking.letters()]

    with pytest.raises(LeaseLost):
        inbox.release(stale, ids)
    assert len(list(inbox.parking.letters())) == 1
    inbox.release(fresh, ids)
    assert list(inbox.parking.letters()) == []
    assert counters(redis_client) == {"pending": 0, "settled": 1, "parked": 0}
