"""What people who watch are shown, on a real Redis."""

from collections.abc import Callable
from typing import Any

import pytest
from redis import Redis

from producers.producer import Producer
from schemas.keys import PartitionKeys, ScopeKeys
from schemas.limits import Limits
from schemas.scope import Scope
from worker.adapters.figures import Status
from worker.adapters.inbox import Claim, Inbox
from worker.errors import LeaseLost

SHARED = PartitionKeys(0)
KEY = Scope(app="acme", user="alice").key


@pytest.fixture
def inbox(redis_client: Redis) -> Inbox:
    return Inbox(redis_client)


def say(client: Redis, *texts: str, **fields: Any) -> None:
    producer = Producer(client)
    for text in texts:
        producer.publish({"app": "acme", "user": "alice", "role": "user", "text": text} | fields)


def ready(client: Redis) -> None:
    client.zadd(SHARED.due, {KEY: 1})


def claimed(inbox: Inbox) -> Claim:
    claim = inbox.claim()
    assert claim
    return claim


def by_turns(client: Redis, inbox: Inbox) -> None:
    inbox.configure(Limits(batch_turns=2, quiet_seconds=1000))
    say(client, "a", "b")


def by_tokens(client: Redis, inbox: Inbox) -> None:
    inbox.configure(Limits(batch_tokens=50, quiet_seconds=1000))
    say(client, "word " * 200)


def by_quiet(client: Redis, inbox: Inbox) -> None:
    inbox.configure(Limits(quiet_seconds=0))
    say(client, "a")


def by_age(client: Redis, inbox: Inbox) -> None:
    inbox.configure(Limits(quiet_seconds=1000, max_wait_seconds=0))
    say(client, "a")


def by_flush(client: Redis, inbox: Inbox) -> None:
    inbox.configure(Limits(quiet_seconds=1000, max_wait_seconds=5000))
    say(client, "a")
    inbox.flush(KEY)


def by_retry(client: Redis, inbox: Inbox) -> None:
    by_turns(client, inbox)
    inbox.fail(claimed(inbox), 0, burn=True)


@pytest.mark.parametrize("due", [by_turns, by_tokens, by_quiet, by_age, by_flush, by_retry])
def test_a_claim_is_counted_by_what_made_its_scope_due(
    redis_client: Redis, inbox: Inbox, due: Callable[[Redis, Inbox], None]
) -> None:
    due(redis_client, inbox)
    before = inbox.status().claims
    claimed(inbox)
    after = inbox.status().claims

    grown = {name for name in after if after[name] != before[name]}
    assert grown == {due.__name__.removeprefix("by_")}
    assert sum(after.values()) == sum(before.values()) + 1


def test_what_came_in_vain_is_counted(redis_client: Redis, inbox: Inbox) -> None:
    inbox.configure(Limits(max_pending=1, quiet_seconds=1000))
    say(redis_client, "a", "a", id="1")
    say(redis_client, "b", id="2")
    status = inbox.status()

    assert (status.pending_turns, status.duplicates, status.full) == (1, 1, 1)


def test_a_worker_that_fell_silent_is_seen_until_another_takes_over(
    redis_client: Redis, inbox: Inbox
) -> None:
    say(redis_client, "a")
    ready(redis_client)
    stale = claimed(inbox)
    inbox.keep_plan(stale, "plan")
    redis_client.zadd(SHARED.busy, {KEY: 1})
    silent = inbox.status()
    claimed(inbox)
    with pytest.raises(LeaseLost):
        inbox.commit(stale, 1, 2)
    after = inbox.status()

    assert (silent.busy, silent.expired_leases, silent.ready) == (1, 1, 1)
    assert silent.oldest_ready_seconds > 1e9
    assert (after.busy, after.expired_leases, after.deaths) == (1, 0, 1)
    assert (after.plan_replays, after.stale_commits) == (1, 1)


def test_doorbells_count_until_they_are_answered_or_lost(redis_client: Redis, inbox: Inbox) -> None:
    say(redis_client, "a")
    ready(redis_client)
    inbox.ring(["bell"], 30, 4)
    out = inbox.status().doorbells
    inbox.answered("bell")
    answered = inbox.status().doorbells
    inbox.ring(["another"], 30, 4)
    redis_client.zadd(SHARED.bells, {"another": 1})

    assert (out, answered, inbox.status().doorbells) == (1, 0, 0)


def test_a_failing_worker_is_seen_with_its_last_error_and_its_age(
    redis_client: Redis, inbox: Inbox
) -> None:
    assert inbox.status().last_error is None
    say(redis_client, "a")
    for reason in ("the model is down", ""):
        ready(redis_client)
        inbox.fail(claimed(inbox), 0, burn=True, reason=reason)
    redis_client.hincrby(SHARED.counters, "error_at", -60_000)
    status = inbox.status()

    assert status.retries == 2
    assert status.last_error
    assert status.last_error.reason == "the model is down"
    assert status.last_error.seconds_ago >= 60


def test_the_newest_error_of_all_partitions_is_the_last(redis_client: Redis) -> None:
    inbox = Inbox(redis_client, partitions=3)
    for at, reason in enumerate(("old", "new", "older")):
        seconds = {"old": 2e9, "new": 3e9, "older": 1e9}[reason]
        fields = {"error": reason, "error_at": f"{seconds * 1000:.0f}"}
        redis_client.hset(PartitionKeys(at).counters, mapping=fields)  # type: ignore[arg-type] # redis-py's dict is invariant
    last = inbox.status().last_error

    assert last
    assert last.reason == "new"


def test_what_went_in_is_somewhere(redis_client: Redis, inbox: Inbox) -> None:
    inbox.configure(Limits(batch_turns=2, quiet_seconds=0))
    say(redis_client, *(f"{at}" for at in range(7)))
    inbox.commit(claimed(inbox), 2, 4)
    inbox.park(claimed(inbox), 1, "x")
    inbox.parking.replay(list(inbox.parking.letters())[:1])
    inbox.park(claimed(inbox), 2, "x")

    def accounted(status: Status) -> int:
        return status.pending_turns + status.settled + status.parked

    status = inbox.status()
    assert accounted(status) == 7
    assert (status.settled, status.parked, status.replayed) == (2, 2, 1)
    assert redis_client.llen(ScopeKeys(0, KEY).turns) == status.pending_turns


def test_nothing_is_nothing(inbox: Inbox) -> None:
    status = inbox.status()

    assert (status.pending_turns, status.oldest_ready_seconds, status.last_error) == (0, 0, None)
    assert set(status.claims.values()) == {0}
