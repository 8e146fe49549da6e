"""Who is due for sleep and who sleeps, on a real Redis."""

from datetime import UTC, datetime, timedelta

import pytest
from redis import Redis

from producers.producer import Producer
from schemas.keys import PartitionKeys, ScopeKeys, partition_of
from schemas.limits import Limits
from schemas.scope import Scope
from worker.adapters.abed import Abed
from worker.adapters.inbox import Inbox
from worker.adapters.sleepers import PORTION, Sleeper, Sleepers
from worker.core.sleeping.again import AT_ONCE, NEVER, Bedtime
from worker.errors import LeaseLost

SHARED = PartitionKeys(0)
ANN, BEN = (Scope(app="acme", user=user).key for user in ("ann", "ben"))
LATER = Bedtime(after_seconds=3600)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.fixture
def sleepers(redis_client: Redis) -> Sleepers:
    return Sleepers(redis_client)


def score(client: Redis, name: str, key: str = ANN) -> float:
    found = client.zscore(name, key)
    assert found is not None
    return found


def now_of(client: Redis) -> float:
    seconds, micros = client.time()
    return seconds * 1000 + micros / 1000


def claimed(sleepers: Sleepers) -> Sleeper:
    found = sleepers.claim()
    assert found
    return found


def test_who_has_been_due_longest_is_claimed_first_and_each_once(
    sleepers: Sleepers, redis_client: Redis
) -> None:
    redis_client.zadd(SHARED.sleep, {ANN: 2, BEN: 1})

    assert [claimed(sleepers).scope_key, claimed(sleepers).scope_key] == [BEN, ANN]
    assert sleepers.claim() is None


def test_who_is_not_due_yet_is_left_alone(sleepers: Sleepers) -> None:
    sleepers.due(ANN, LATER)

    assert sleepers.claim() is None


def test_the_earlier_bedtime_stands(sleepers: Sleepers, redis_client: Redis) -> None:
    tomorrow = now_of(redis_client) + 86_400_000
    sleepers.due(ANN, Bedtime(after_seconds=86_400))
    first = score(redis_client, SHARED.sleep)
    sleepers.due(ANN, Bedtime(after_seconds=90_000))
    assert score(redis_client, SHARED.sleep) == first
    assert tomorrow - 1 <= first <= tomorrow + 60_000

    lapses_at = datetime.now(UTC) + timedelta(hours=2)
    sleepers.due(ANN, Bedtime(86_400, lapses_at))
    assert (
        0 < score(redis_client, SHARED.sleep) - (lapses_at - EPOCH) / timedelta(milliseconds=1) <= 1
    )


def test_never_is_no_bedtime(sleepers: Sleepers, redis_client: Redis) -> None:
    sleepers.due(ANN, NEVER)

    assert redis_client.keys() == []


def test_a_night_that_has_ended_leaves_nothing_behind(
    sleepers: Sleepers, redis_client: Redis
) -> None:
    sleepers.due(ANN, AT_ONCE)
    sleepers.end(claimed(sleepers), NEVER)

    assert redis_client.keys() == []


def test_a_change_while_it_sleeps_makes_it_due_again_but_not_before_the_night_has_ended(
    sleepers: Sleepers, redis_client: Redis
) -> None:
    sleepers.due(ANN, AT_ONCE)
    sleeper = claimed(sleepers)
    sleepers.due(ANN, AT_ONCE)

    assert sleepers.claim() is None
    sleepers.end(sleeper, LATER)
    assert score(redis_client, SHARED.sleep) <= sleeper.lost_at


def test_a_change_while_it_sleeps_outlives_a_night_that_needs_no_other(
    sleepers: Sleepers, redis_client: Redis
) -> None:
    sleepers.due(ANN, AT_ONCE)
    sleeper = claimed(sleepers)
    sleepers.due(ANN, LATER)
    sleepers.end(sleeper, NEVER)

    assert redis_client.zrange(SHARED.sleep, 0, -1) == [ANN.encode()]
    assert redis_client.zcard(SHARED.asleep) == 0


def test_a_sleeper_that_fell_silent_is_lost_and_can_end_nothing_any_more(
    sleepers: Sleepers, redis_client: Redis
) -> None:
    sleepers.due(ANN, AT_ONCE)
    silent = claimed(sleepers)
    redis_client.zadd(SHARED.asleep, {ANN: 1})
    silent = Sleeper(**{**vars(silent), "lost_at": 1})
    other = claimed(sleepers)

    assert other.scope_key == ANN
    assert sleepers.renew(silent) is None
    sleepers.end(silent, NEVER)
    assert score(redis_client, SHARED.asleep) == other.lost_at
    renewed = sleepers.renew(other)
    assert renewed
    assert renewed.lost_at >= other.lost_at


def test_a_scope_that_kills_whoever_puts_it_to_bed_waits_longer_each_time(
    sleepers: Sleepers, redis_client: Redis
) -> None:
    minutes = [killed(sleepers, redis_client) for _ in range(9)]

    assert minutes == [0, 1, 3, 7, 15, 31, 60, 60, 60]


def test_one_night_that_comes_to_its_end_and_all_deaths_are_forgotten(
    sleepers: Sleepers, redis_client: Redis
) -> None:
    killed(sleepers, redis_client)
    redis_client.zadd(SHARED.sleep, {ANN: 1})
    sleepers.end(claimed(sleepers), NEVER)

    assert not redis_client.exists(SHARED.cut_short)
    assert killed(sleepers, redis_client) == 0


def killed(sleepers: Sleepers, redis: Redis) -> int:
    """In how many minutes a scope is due again whose sleeper was lost a moment ago."""
    redis.zadd(SHARED.asleep, {ANN: 1})
    redis.zrem(SHARED.sleep, ANN)
    begun = now_of(redis)
    if (at_once := sleepers.claim()) is not None:
        redis.zrem(SHARED.asleep, at_once.scope_key)
        return 0
    return round((score(redis, SHARED.sleep) - begun) / 60_000)


def test_whoever_is_abed_does_not_count_as_lost_and_learns_when_it_does(
    redis_client: Redis,
) -> None:
    sleepers = Sleepers(redis_client, lost_seconds=0.3)
    sleepers.due(ANN, AT_ONCE)

    with Abed(sleepers, claimed(sleepers)) as abed:
        first = abed.sleeper.lost_at
        while abed.sleeper.lost_at == first:
            assert sleepers.claim() is None
        redis_client.zrem(SHARED.asleep, ANN)
        while not abed.is_lost:
            pass
    sleepers.end(abed.sleeper, LATER)
    assert redis_client.keys() == []


def test_a_claim_tells_when_the_last_turn_came_and_how_many_wait(redis_client: Redis) -> None:
    inbox = Inbox(redis_client)
    inbox.sleepers.due(ANN, AT_ONCE)
    before = inbox.now()
    for text in ("Hello", "again"):
        Producer(redis_client).publish({"app": "acme", "user": "ann", "role": "user", "text": text})

    sleeper = claimed(inbox.sleepers)

    assert sleeper.waiting == 2
    assert sleeper.last_turn_at
    assert before - timedelta(milliseconds=2) <= sleeper.last_turn_at <= sleeper.claimed_at


def erase(inbox: Inbox) -> None:
    claim = inbox.seize(ANN).claim
    inbox.evict(claim, 0, inbox.now())
    inbox.release(claim)


def commit(inbox: Inbox, bedtime: Bedtime, *, fence: int = 0) -> None:
    claim = inbox.claim()
    assert claim
    inbox.commit(claim.model_copy(update={"fence": claim.fence + fence}), 1, 1, bedtime=bedtime)


def published(client: Redis, text: str = "Hello") -> Inbox:
    inbox = Inbox(client)
    inbox.configure(Limits(quiet_seconds=0))
    Producer(client).publish({"app": "acme", "user": "ann", "role": "user", "text": text})
    return inbox


def test_a_commit_makes_its_scope_due_for_sleep(redis_client: Redis) -> None:
    commit(published(redis_client), Bedtime(3600, datetime.now(UTC) + timedelta(minutes=1)))

    first = score(redis_client, SHARED.sleep)
    assert first < now_of(redis_client) + 61_000
    commit(published(redis_client, "again"), LATER)
    assert score(redis_client, SHARED.sleep) == first


def test_a_commit_that_changed_nothing_or_came_too_late_tires_nobody(redis_client: Redis) -> None:
    inbox = published(redis_client)
    with pytest.raises(LeaseLost):
        commit(inbox, AT_ONCE, fence=1)
    redis_client.zadd(SHARED.busy, {ANN: 1})
    commit(inbox, NEVER)

    assert not redis_client.exists(SHARED.sleep)


def test_nothing_of_it_is_left_of_an_erased_scope(redis_client: Redis) -> None:
    inbox = Inbox(redis_client)
    for _ in range(2):
        inbox.sleepers.due(ANN, AT_ONCE)
        sleeper = inbox.sleepers.claim()
    redis_client.hset(SHARED.cut_short, ANN, 1)
    erase(inbox)

    assert not redis_client.exists(SHARED.sleep, SHARED.asleep, SHARED.cut_short)
    if sleeper:
        inbox.sleepers.end(sleeper, LATER)
    assert not redis_client.exists(SHARED.sleep, SHARED.asleep)


def test_a_slot_of_the_calendar_calls_everyone_once(
    sleepers: Sleepers, redis_client: Redis
) -> None:
    sleepers.due(ANN, LATER)
    sleepers.due(BEN, LATER)

    assert sleepers.call("2026-11-01T03:00") == 2
    assert sleepers.call("2026-11-01T03:00") is None
    assert {claimed(sleepers).scope_key, claimed(sleepers).scope_key} == {ANN, BEN}
    sleepers.due(ANN, LATER)
    assert sleepers.call("2026-11-02T03:00") == 1


def test_a_call_is_short_however_many_there_are_and_all_of_them_come_to_be_due(
    sleepers: Sleepers, redis_client: Redis
) -> None:
    later = now_of(redis_client) + 3_600_000
    names = [Scope(app="acme", user=str(at)).key for at in range(3 * PORTION + 10)]
    redis_client.zadd(SHARED.sleep, dict.fromkeys(names, later))

    assert sleepers.call("slot") == len(names)
    assert redis_client.zcount(SHARED.sleep, "-inf", now_of(redis_client)) == PORTION
    found = []
    while sleeper := sleepers.claim():
        found.append(sleeper.scope_key)
        # Who has to wait a little is not called twice.
        sleepers.end(sleeper, LATER)
    assert len(found) <= len(names) + PORTION
    assert {*found} == {*names}
    assert not redis_client.exists(SHARED.called)


def test_as_many_bells_ring_as_scopes_are_due_that_none_is_out_for(
    sleepers: Sleepers, redis_client: Redis
) -> None:
    bells = ["a", "b", "c"]
    assert sleepers.ring(bells, 10, 3) == 0
    redis_client.zadd(SHARED.sleep, {ANN: 1})
    redis_client.zadd(SHARED.asleep, {BEN: 1})

    assert sleepers.ring(bells, 10, 3) == 2
    assert sleepers.ring(bells, 10, 3) == 0
    sleepers.answered("a")
    assert sleepers.ring(bells, 10, 3) == 1


def test_every_partition_is_looked_at(redis_client: Redis) -> None:
    sleepers = Sleepers(redis_client, partitions=4)
    names = [Scope(app="acme", user=str(at)).key for at in range(12)]
    for name in names:
        sleepers.due(name, LATER)
    assert len({partition_of(name, 4) for name in names}) == 4

    assert sleepers.call("slot") == 12
    assert sleepers.ring([str(at) for at in range(20)], 10, 20) == 12
    found = [claimed(sleepers) for _ in names]
    assert {one.scope_key for one in found} == {*names}
    for one in found:
        sleepers.end(one, NEVER)
    assert not any(b"sleep}" in key or b":asleep" in key for key in redis_client.scan_iter())


def test_work_that_is_ready_is_counted_by_how_long_it_has_been(redis_client: Redis) -> None:
    inbox = Inbox(redis_client)
    redis_client.zadd(SHARED.due, {ANN: now_of(redis_client) - 5_000})
    redis_client.zadd(SHARED.busy, {BEN: now_of(redis_client) + 60_000})

    assert (inbox.ready(), inbox.ready(1), inbox.ready(60)) == (1, 1, 0)


def test_status_tells_who_is_due_for_sleep_and_who_sleeps(redis_client: Redis) -> None:
    inbox = Inbox(redis_client)
    names = [Scope(app="acme", user=str(at)).key for at in range(4)]
    past, future = now_of(redis_client) - 5_000, now_of(redis_client) + 50_000
    redis_client.zadd(SHARED.sleep, {names[0]: past, names[1]: future})
    redis_client.zadd(SHARED.asleep, {names[2]: past, names[3]: future})

    status = inbox.status()

    assert (status.sleep_due, status.asleep) == (2, 1)
    assert status.oldest_sleep_due_seconds > 4


def test_the_turns_of_a_scope_outlive_its_sleep(redis_client: Redis) -> None:
    inbox = published(redis_client)
    inbox.sleepers.due(ANN, AT_ONCE)
    inbox.sleepers.end(claimed(inbox.sleepers), NEVER)

    assert redis_client.llen(ScopeKeys(0, ANN).turns) == 1
