"""Scopes that are due for sleep are put to bed, on a real queue and a real store."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from redis import Redis
from structlog.testing import capture_logs

from schemas.keys import PartitionKeys
from schemas.scope import Scope
from tests.build import fact
from tests.desk import Desk, Says, crashes, desk
from tests.similarity import GivenSimilarities
from tests.worker.direct.nightly import (
    FIRST_NIGHT,
    judging,
    nothing,
    one_thing,
    remember,
    sleeps,
)
from tests.worker.direct.writing import tell
from worker import nightly, pump, tasks
from worker.adapters.sleepers import Sleeper
from worker.beds import Beds, most_asleep
from worker.core.ports import Store
from worker.core.sleeping.again import AT_ONCE, LONG_SECONDS, SOON_SECONDS
from worker.direct.erasing import erase
from worker.direct.holding import holding
from worker.errors import Misconfigured, Retryable, Unavailable
from worker.nightly import Slept, call_to_sleep, sleep_due, sleep_next

SHARED = PartitionKeys(0)
DAY = 86_400
TEA, LOT = "Likes tea", "Likes tea a lot"
LATHE, NOW = "Owns a lathe", "Owns a lathe now"
BAD, WORSE = "A bad thing", "Another bad thing"
ALIKE = GivenSimilarities({LOT: (TEA, 0.9), NOW: (LATHE, 0.9), WORSE: (BAD, 0.9)})


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (ALIKE.fingerprint, ALIKE.dimensions)


@pytest.fixture
def table(
    sqlite_store: Store, redis_client: Redis, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Desk]:
    """Nobody is disturbed by anything."""
    made = desk(sqlite_store, redis_client, scope, ALIKE)
    settings = made.parts.settings.model_copy(update={"sleep_quiet_seconds": 0})
    made.parts = replace(made.parts, settings=settings)
    monkeypatch.setattr(nightly, "serving_parts", lambda: made.parts)
    monkeypatch.setattr(pump, "serving_parts", lambda: made.parts)
    yield made
    tasks.STOPPING.clear()


def alone() -> str | None:
    return None


def tired(table: Desk, *texts: str) -> None:
    remember(table, *texts or (TEA, LOT))
    table.parts.inbox.sleepers.due(table.scope.key, AT_ONCE)


def slept(table: Desk, comes_first: Callable[[], str | None] = alone) -> Slept:
    night = sleep_next(table.parts, comes_first)
    assert night
    return night


def due_in(redis: Redis, scope: Scope) -> float | None:
    """Seconds; null where it is not."""
    at = redis.zscore(SHARED.sleep, scope.key)
    seconds, micros = redis.time()
    return None if at is None else at / 1000 - seconds - micros / 1_000_000


def is_in(redis: Redis, scope: Scope, least: float, most: float) -> bool:
    seconds = due_in(redis, scope)
    return seconds is not None and least - 10 <= seconds <= most


# Who is due


def learns(table: Desk) -> None:
    heard = Says(lambda heard: [fact(one.text, turn_ids=(one.id,)) for one in heard.turns])
    table.parts = replace(table.parts, extraction=heard)
    table.say(TEA, "2026-01-01T10:00:00Z")
    table.settle()


def states(table: Desk) -> None:
    tell(table, TEA)


@pytest.mark.parametrize("change", [learns, states])
def test_whoever_changes_a_scope_makes_it_due_for_sleep(
    table: Desk, redis_client: Redis, change: Callable[[Desk], None]
) -> None:
    change(table)

    assert table.live()
    assert is_in(redis_client, table.scope, DAY, DAY)


def test_a_batch_that_changes_nothing_does_not(table: Desk, redis_client: Redis) -> None:
    table.say("Hello", "2026-01-01T10:00:00Z")
    table.settle()

    assert due_in(redis_client, table.scope) is None


@pytest.mark.parametrize("nth", [1, 2, 3, 4])
def test_a_direct_act_that_dies_half_way_has_made_its_scope_due_before(
    table: Desk, redis_client: Redis, nth: int
) -> None:
    assert crashes(table, "store", nth, lambda: states(table), after=True)

    assert table.runs() == [] or is_in(redis_client, table.scope, DAY, DAY)


def test_a_run_that_was_left_open_makes_its_scope_due_once_it_is_finished(
    table: Desk, redis_client: Redis
) -> None:
    for nth in range(1, 30):
        if crashes(table, "store", nth, lambda: states(table), after=True) and table.runs():
            break
    assert [run.state for run in table.runs()] == ["open"]
    redis_client.delete(SHARED.sleep)
    table.say("Hello", "2026-01-01T10:00:00Z")
    redis_client.delete(SHARED.busy, SHARED.lease)
    table.settle()

    assert is_in(redis_client, table.scope, DAY, DAY)


# What becomes of them


def test_a_scope_that_is_due_is_put_to_bed_and_needs_no_other_night(
    table: Desk, redis_client: Redis
) -> None:
    judging(table, one_thing)
    tired(table)

    night = slept(table)

    assert night.report
    assert (night.report.stopped, night.report.changes) == (None, 2)
    assert set(table.live()) == {LOT}
    # What sleep did itself tires nobody.
    assert not redis_client.exists(SHARED.sleep, SHARED.asleep)


def test_it_is_due_again_when_the_first_thing_lapses(table: Desk, redis_client: Redis) -> None:
    end = datetime.now(UTC) + timedelta(hours=5)
    remember(table, "Works from Porto", until=end)
    tired(table, TEA)

    slept(table)

    assert is_in(redis_client, table.scope, 5 * 3600, 5 * 3600 + 1)


def test_an_erased_scope_is_never_due_again(table: Desk, redis_client: Redis) -> None:
    tired(table)
    erase(table.parts, table.scope, table.now)
    assert sleep_next(table.parts, alone) is None
    table.parts.inbox.sleepers.due(table.scope.key, AT_ONCE)

    assert slept(table) == Slept(table.scope.key)
    assert not redis_client.exists(SHARED.sleep, SHARED.asleep)


def test_turns_that_wait_go_first(table: Desk, redis_client: Redis) -> None:
    tired(table)
    table.say("Hello", "2026-01-01T10:00:00Z")

    assert slept(table).waiting == 1
    assert is_in(redis_client, table.scope, SOON_SECONDS, SOON_SECONDS)


def test_whoever_has_just_spoken_is_left_alone(table: Desk, redis_client: Redis) -> None:
    change = {"sleep_quiet_seconds": 600, "sleep_max_wait_seconds": 1e9}
    settings = table.parts.settings.model_copy(update=change)
    table.parts = replace(table.parts, settings=settings)
    tired(table)
    table.say("Hello", "2026-01-01T10:00:00Z")
    table.settle()

    assert slept(table).not_before
    assert is_in(redis_client, table.scope, 600, 601)


def changed(table: Desk, ago: timedelta, text: str) -> None:
    at = datetime.now(UTC) - ago
    remember(table, text, days=100 + (at - FIRST_NIGHT) / timedelta(days=1))
    table.parts.inbox.sleepers.due(table.scope.key, AT_ONCE)


def test_who_never_stops_speaking_is_put_to_bed_once_a_change_has_waited_for_long(
    table: Desk, redis_client: Redis
) -> None:
    """What a night has looked at waits no more."""
    quiet = {"sleep_quiet_seconds": 600, "sleep_after_seconds": 60, "sleep_max_wait_seconds": 240}
    judging(table, nothing, **quiet)
    table.say("Hello", "2026-01-01T10:00:00Z")
    table.settle()
    changed(table, timedelta(seconds=100), TEA)
    assert slept(table).not_before
    assert is_in(redis_client, table.scope, 150, 201)

    changed(table, timedelta(seconds=301), LATHE)
    assert slept(table).report
    table.parts.inbox.sleepers.due(table.scope.key, AT_ONCE)
    assert slept(table).not_before
    assert is_in(redis_client, table.scope, 550, 601)


def test_each_app_has_hours_by_its_own_clock(table: Desk, redis_client: Redis) -> None:
    """Somewhere it is not between these hours now."""
    utc = datetime.now(UTC)
    hours = f"{utc - timedelta(hours=1):%H:%M}-{utc + timedelta(hours=1):%H:%M}"
    change = {"sleep_hours": hours, "sleep_time_zones": {table.scope.app: "Asia/Tokyo"}}
    table.parts = replace(table.parts, settings=table.parts.settings.model_copy(update=change))
    tired(table)

    assert slept(table).not_before
    assert is_in(redis_client, table.scope, 14 * 3600 - 120, 14 * 3600 + 1)
    other = Scope(app=f"{table.scope.app} elsewhere", user="ann")
    table.scope = other
    tired(table)
    assert slept(table).report


@pytest.mark.parametrize("is_stopping, seconds", [(True, 0), (False, SOON_SECONDS)])
def test_a_night_that_had_to_end_is_gone_on_with(
    table: Desk, redis_client: Redis, is_stopping: bool, seconds: float
) -> None:
    judging(table, one_thing, sleep_groups=1)
    tired(table, TEA, LOT, LATHE, NOW)

    def comes_first() -> str | None:
        if not sleeps(table):
            return None
        if is_stopping:
            tasks.STOPPING.set()
        return "others"

    night = slept(table, comes_first)

    assert night.report
    assert night.report.stopped == "others"
    assert is_in(redis_client, table.scope, seconds, seconds)


def test_a_scope_that_has_used_up_its_day_is_due_when_the_next_begins(
    table: Desk, redis_client: Redis
) -> None:
    judging(table, one_thing, daily_calls=1)
    table.parts.spending.add(table.scope.key, 1, 1)
    tired(table)
    left = DAY - table.parts.spending.spent(table.scope.key).second

    night = slept(table)

    assert night.report
    assert "used up" in (night.report.stopped or "")
    assert is_in(redis_client, table.scope, left, left + 2)


# What fails


def failing(table: Desk, error: BaseException) -> None:
    def judge(texts: Any) -> Any:
        if any("bad" in text for text in texts):
            raise error
        return one_thing(texts)

    judging(table, judge)


@pytest.mark.parametrize(
    "error, least, most",
    [
        (Retryable("busy"), SOON_SECONDS, 2 * SOON_SECONDS),
        (Unavailable("down", part="model"), SOON_SECONDS, 2 * SOON_SECONDS),
        (Misconfigured("wrong"), LONG_SECONDS, LONG_SECONDS),
    ],
)
def test_a_night_that_fails_is_tried_again_later_and_others_sleep_meanwhile(
    table: Desk, redis_client: Redis, error: Any, least: float, most: float
) -> None:
    failing(table, error)
    tired(table, BAD, WORSE)
    first, table.scope = table.scope, Scope(app=table.scope.app, user="another")
    tired(table)

    assert slept(table).error is error
    assert is_in(redis_client, first, least, most)
    assert slept(table).report
    assert set(table.live()) == {LOT}


def test_a_part_that_fails_night_after_night_is_put_to_rest(table: Desk) -> None:
    failing(table, Unavailable("down", part="model"))
    for user in "abc":
        table.scope = Scope(app=table.scope.app, user=user)
        tired(table, BAD, WORSE)
        slept(table)

    assert table.parts.breaker.look().part == "model"
    tired(table)
    assert pump.ring_for_sleep() == []


def test_a_bug_is_loud_and_neither_stops_others_nor_comes_back_at_once(
    table: Desk, redis_client: Redis
) -> None:
    failing(table, ZeroDivisionError("a bug"))
    tired(table, BAD, WORSE)
    first, table.scope = table.scope, Scope(app=table.scope.app, user="another")
    tired(table)

    with pytest.raises(ZeroDivisionError):
        sleep_next(table.parts, alone)

    assert is_in(redis_client, first, LONG_SECONDS, LONG_SECONDS)
    assert slept(table).report


def test_who_is_interrupted_lets_another_go_on_at_once(table: Desk, redis_client: Redis) -> None:
    failing(table, KeyboardInterrupt())
    tired(table, BAD, WORSE)

    with pytest.raises(KeyboardInterrupt):
        sleep_next(table.parts, alone)

    assert is_in(redis_client, table.scope, 0, 0)
    assert not redis_client.exists(SHARED.asleep)


# Doorbells


def test_a_bell_puts_all_to_bed_that_are_due(table: Desk, redis_client: Redis) -> None:
    judging(table, one_thing)
    for user in "abc":
        table.scope = Scope(app=table.scope.app, user=user)
        tired(table)

    sleep_due("bell")

    assert not redis_client.exists(SHARED.sleep, SHARED.asleep)


def someone_waits(table: Desk, redis: Redis) -> None:
    before, table.scope = table.scope, Scope(app=table.scope.app, user="another")
    table.say("Hello", "2026-01-01T10:00:00Z")
    redis.zadd(SHARED.due, {table.scope.key: 1})
    table.scope = before


def test_no_night_begins_while_turns_of_anyone_wait_for_a_thread(
    table: Desk, redis_client: Redis
) -> None:
    judging(table, one_thing)
    tired(table)
    someone_waits(table, redis_client)

    assert pump.ring_for_sleep() == []
    sleep_due("bell")
    assert redis_client.zcard(SHARED.sleep) == 1
    table.settle()
    assert len(pump.ring_for_sleep()) == 1
    sleep_due("bell")
    assert redis_client.zcard(SHARED.sleep) == 0


def test_a_night_ends_after_the_slice_in_which_turns_of_anyone_began_to_wait(
    table: Desk, redis_client: Redis
) -> None:
    def judge(texts: Any) -> Any:
        someone_waits(table, redis_client)
        return one_thing(texts)

    judging(table, judge, sleep_groups=1)
    tired(table, TEA, LOT, LATHE, NOW)

    with capture_logs() as logs:
        sleep_due("bell")

    (ended,) = [one for one in logs if one["event"] == "night_ended"]
    assert "turns of others" in ended["stopped"]
    assert len(sleeps(table)) == 1


def test_a_worker_that_stops_puts_nobody_to_bed(table: Desk, redis_client: Redis) -> None:
    tired(table)
    tasks.STOPPING.set()

    sleep_due("bell")

    assert redis_client.zcard(SHARED.sleep) == 1


def test_workers_that_are_not_to_put_anyone_to_bed_ring_no_bell(table: Desk) -> None:
    tired(table)
    table.parts = replace(
        table.parts, settings=table.parts.settings.model_copy(update={"sleep_by_workers": False})
    )

    assert pump.ring_for_sleep() == []


@pytest.mark.parametrize("concurrency, most", [(1, 1), (2, 1), (3, 1), (4, 2), (256, 128)])
def test_at_most_half_of_the_threads_sleep_and_at_least_one_may(
    concurrency: int, most: int
) -> None:
    assert most_asleep(concurrency) == most


def test_a_bell_that_finds_all_beds_taken_comes_to_nothing() -> None:
    beds, found = Beds(), list[bool]()

    def another() -> None:
        with beds.taken(1) as bed:
            found.append(bed)

    with beds.taken(1) as first:
        thread = threading.Thread(target=another)
        thread.start()
        thread.join()
        assert not beds.has_room(1)
    another()

    assert (first, found) == (True, [False, True])


def test_a_process_that_has_to_end_lets_others_go_on_with_its_nights_at_once(
    table: Desk, redis_client: Redis
) -> None:
    def judge(texts: Any) -> Any:
        nightly.BEDS.let_go()
        found.append(table.parts.inbox.sleepers.claim())
        return []

    found = list[Sleeper | None]()
    judging(table, judge)
    tired(table)
    slept(table)

    assert found[0]
    # And ends nothing that is another's by now.
    assert redis_client.zscore(SHARED.asleep, table.scope.key) == found[0].lost_at


def test_a_call_of_the_calendar_is_heard_once(table: Desk, redis_client: Redis) -> None:
    learns(table)

    with capture_logs() as logs:
        call_to_sleep()
        assert is_in(redis_client, table.scope, 0, 0)
        table.parts = replace(table.parts)
        call_to_sleep()

    called = [one for one in logs if one["event"] == "called_to_sleep"]
    assert len(called) == len({one["slot"] for one in called})
    assert called[0]["scopes"] == 1


def test_a_plan_of_sleep_that_a_crash_left_open_tires_nobody(
    table: Desk, redis_client: Redis
) -> None:
    judging(table, one_thing)
    tired(table)
    nth, states = 1, set[str]()
    while crashes(table, "store", nth, lambda: sleep_next(table.parts, alone), after=True):
        states |= {run.state for run in table.runs()}
        redis_client.delete(SHARED.sleep, SHARED.busy, SHARED.lease, SHARED.attempts)
        with holding(table.parts, table.scope, datetime.now(UTC)):
            pass  # whoever comes next finishes it
        assert not redis_client.exists(SHARED.sleep)
        table.parts.inbox.sleepers.due(table.scope.key, AT_ONCE)
        nth += 1

    assert "open" in states
    assert set(table.live()) == {LOT}
    assert not redis_client.exists(SHARED.sleep, SHARED.asleep)
