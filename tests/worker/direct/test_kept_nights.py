"""What is kept of a night is what was done in it, however often it was broken off."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any, cast

import pytest
from redis import Redis

from schemas.keys import PartitionKeys
from schemas.scope import Scope
from tests.desk import Desk, desk
from tests.fragile import Fragile, Killed
from tests.similarity import GivenSimilarities
from tests.worker.direct.nightly import (
    FIRST_NIGHT,
    everything,
    judging,
    night,
    nothing,
    one_thing,
    pairs,
    remember,
    sleeps,
)
from worker.adapters.stores.sqlite import SqliteStore
from worker.core.groups.judgment import Group
from worker.core.ports import Store
from worker.core.sleeping.kept import NIGHTS, Kept
from worker.core.sleeping.note import read_note
from worker.direct.sleeping import sleep
from worker.errors import Unavailable

FLOOR, RUG, TAP = "Mops the floor", "Mops the floor daily", "Fixed the tap"
LEAK, DRY = "The roof leaks", "The roof is dry"
NEAR = GivenSimilarities({RUG: (FLOOR, 0.9), TAP: (FLOOR, 0.6)})


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (NEAR.fingerprint, NEAR.dimensions)


def filled(store: Store, redis: Redis, scope: Scope) -> Desk:
    """One of these lapses, two are the same, one is near them."""
    table = desk(store, redis, scope, NEAR)
    remember(table, FLOOR, RUG, TAP)
    remember(table, LEAK, until=FIRST_NIGHT - timedelta(days=1), after=DRY)
    judging(table, pairs((FLOOR, RUG)))
    return table


def nights(table: Desk) -> tuple[Kept, ...]:
    return read_note(table.parts.store.about(table.scope).sleep, table.scope).nights


def figures(kept: Kept) -> list[tuple[Any, ...]]:
    return [(one.name, one.before, one.after, one.looked_at, one.asked) for one in kept.passes]


def test_what_is_kept_is_what_was_told(store: Store, redis_client: Redis, scope: Scope) -> None:
    table = filled(store, redis_client, scope)
    report = night(table)

    (kept,) = nights(table)
    assert figures(kept) == [
        (one.name, one.before, one.after, one.looked_at, one.asked) for one in report.passes
    ]
    assert {run for one in kept.passes for run in one.runs} == {run.id for run in sleeps(table)}
    assert (kept.is_over, kept.times, kept.began_at) == (True, 1, FIRST_NIGHT)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_whatever_a_crash_leaves_the_night_tells_each_run_once_and_what_became_of_it(
    sqlite_store: SqliteStore, redis_client: Redis, scope: Scope, after: bool
) -> None:
    for nth in count(1):
        table = filled(sqlite_store, redis_client, Scope(app=scope.app, user=f"{nth} {after}"))
        sound = table.parts
        fragile = cast("Any", Fragile(sound.store, nth, after))
        table.parts = replace(sound, store=fragile)
        try:
            night(table)
        except Killed:
            redis_client.zadd(PartitionKeys(0).busy, {table.scope.key: 1})
            table.parts = sound
            sleep(table.parts, table.scope, FIRST_NIGHT + timedelta(hours=1))
        else:
            break

        assert len(table.live()) == 3
        kept = nights(table)[-1]
        runs = [run for one in kept.passes for run in one.runs]
        assert len(nights(table)) == 1
        assert sorted(runs) == sorted(run.id for run in sleeps(table))
        assert kept.is_over
        assert sum(one.before - one.after for one in kept.passes) == 1
        assert sum(one.asked for one in kept.passes) >= 2


def test_a_dry_run_is_not_kept(
    sqlite_store: SqliteStore, redis_client: Redis, scope: Scope
) -> None:
    table = filled(sqlite_store, redis_client, scope)
    before = everything(table)
    night(table, dry_run=True)
    assert everything(table) == before


def test_a_night_that_turns_broke_off_is_told_whole_once_it_was_gone_on_with(
    sqlite_store: SqliteStore, redis_client: Redis, scope: Scope
) -> None:
    table = filled(sqlite_store, redis_client, scope)
    said = iter(["Bought a mop"])

    def talking(texts: Sequence[str]) -> list[Group]:
        for text in said:
            table.say(text, "2026-10-31T09:00:00Z")
        return []

    judging(table, talking, sleep_groups=1)
    assert night(table).stopped
    (kept,) = nights(table)
    assert not kept.is_over
    assert sum(one.asked for one in kept.passes) == 1

    table.settle()
    sleep(table.parts, table.scope, FIRST_NIGHT + timedelta(hours=1))
    (whole,) = nights(table)
    assert (whole.is_over, whole.times, whole.began_at) == (True, 2, FIRST_NIGHT)
    assert sum(one.asked for one in whole.passes) == 2


def test_a_model_that_fails_is_told_with_what_was_done_before(
    sqlite_store: SqliteStore, redis_client: Redis, scope: Scope
) -> None:
    table = filled(sqlite_store, redis_client, scope)

    def failing(texts: Sequence[str]) -> list[Group]:
        if texts[0] == TAP:
            raise Unavailable("the model is on holiday: wait", part="model")
        return one_thing(texts)

    judging(table, failing, sleep_groups=1, resolver="replace")
    told: list[Any] = []
    with pytest.raises(Unavailable):
        sleep(table.parts, table.scope, FIRST_NIGHT, if_it_fails=told.append)

    (report,) = told
    assert report.stopped == "the model is on holiday: wait"
    assert report.changes == 3
    (kept,) = nights(table)
    assert (kept.is_over, kept.stopped) == (False, report.stopped)
    assert {run for one in kept.passes for run in one.runs} == {run.id for run in sleeps(table)}


def test_a_store_that_is_gone_still_leaves_the_caller_what_was_done_before(
    sqlite_store: SqliteStore, redis_client: Redis, scope: Scope
) -> None:
    table = filled(sqlite_store, redis_client, scope)
    sound = table.parts

    def gone(texts: Sequence[str]) -> list[Group]:
        table.parts.store.gone = True  # type: ignore[attr-defined]
        return one_thing(texts)

    judging(table, gone, resolver="replace")
    table.parts = replace(table.parts, store=cast("Any", Leaving(sound.store)))
    told: list[Any] = []
    with pytest.raises(Unavailable):
        sleep(table.parts, table.scope, FIRST_NIGHT, if_it_fails=told.append)

    (report,) = told
    assert (report.changes, report.waiting) == (1, 0)


def test_of_many_nights_the_last_are_kept(
    sqlite_store: SqliteStore, redis_client: Redis, scope: Scope
) -> None:
    table = desk(sqlite_store, redis_client, scope, NEAR)
    remember(table, FLOOR)
    judging(table, nothing)
    for nth in range(1, NIGHTS + 3):
        remember(table, RUG, days=98.5 + nth)
        night(table, nth)

    assert [kept.began_at for kept in nights(table)] == [
        FIRST_NIGHT + timedelta(days=nth) for nth in range(2, NIGHTS + 2)
    ]


class Leaving:
    """A store that is out of reach from when it is `gone`; its writers with it."""

    def __init__(self, real: Any, home: "Leaving | None" = None) -> None:
        self.real, self.home, self.gone = real, home or self, False

    def writer(self, *whose: Any) -> Any:
        return Leaving(self.real.writer(*whose), self.home)

    def __getattr__(self, name: str) -> Any:
        if self.home.gone:
            raise Unavailable("the store is out of reach", part="store")
        return getattr(self.real, name)
