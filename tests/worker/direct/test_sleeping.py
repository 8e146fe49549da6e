"""A night in a scope: on both stores."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import pytest
from redis import Redis

from schemas.keys import PartitionKeys
from schemas.scope import Scope
from tests.build import uid
from tests.desk import Desk, desk
from tests.fragile import Fragile, Killed
from tests.hold import Holding
from tests.similarity import GivenSimilarities
from tests.worker.direct.nightly import (
    FIRST_NIGHT,
    everything,
    group,
    judging,
    night,
    nothing,
    one_thing,
    pairs,
    remember,
    sleeps,
    told,
)
from worker.core.groups.judgment import Group
from worker.core.ports import Store
from worker.direct.undoing import undo
from worker.errors import Retryable

BLOOD = "Blood group is 0 negative"
ROSA = "Emergency contact is Aunt Rosa"
WINDOW, SEAT = "Prefers window seats", "Prefers a window seat on trains"
OTHERS = tuple(f"Owns a {thing}" for thing in ("lathe", "dinghy", "harp", "still", "kiln", "loom"))
TEN = (ROSA, BLOOD, WINDOW, SEAT, *OTHERS)
#: All are near the first of them.
ALIKE = GivenSimilarities(dict.fromkeys(TEN[1:], (ROSA, 0.9)))


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (ALIKE.fingerprint, ALIKE.dimensions)


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    return desk(store, redis_client, scope, ALIKE)


@pytest.fixture
def ten(table: Desk) -> Desk:
    """Ten that are near each other, one of them pinned."""
    remember(table, *TEN)
    remember(table, ROSA, pinned=True)
    return table


def test_a_second_night_over_an_unchanged_scope_asks_and_writes_nothing(ten: Desk) -> None:
    asked = judging(ten, pairs((WINDOW, SEAT)))
    night(ten, 1)
    assert asked.heard()
    before = everything(ten)

    again = night(ten, 2)

    assert asked.heard() == []
    assert everything(ten) == before
    assert (again.changes, again.stopped) == (0, None)


def test_what_says_the_same_becomes_one_and_its_parents_are_archived(ten: Desk) -> None:
    judging(ten, pairs((WINDOW, SEAT)))

    report = night(ten)

    live = ten.live()
    assert set(live) == {*TEN} - {WINDOW}
    merged = live[SEAT]
    assert (merged.version, merged.confirmations) == (2, 2)
    assert {(one.memory.text, one.replaced_by, one.reason) for one in ten.archives()} == {
        (WINDOW, merged.id, "merged"),
        (SEAT, merged.id, "merged"),
    }
    assert told(report) == [("tidy", "retire", SEAT, None), ("tidy", "revise", WINDOW, SEAT)]
    (passed,) = [one for one in report.passes if one.name == "tidy"]
    assert (passed.before, passed.after) == (10, 9)
    (run,) = sleeps(ten)
    assert (run.state, run.turn_ids) == ("applied", ())


def test_a_bad_judge_changes_no_more_than_the_share_and_never_what_is_pinned(ten: Desk) -> None:
    judging(ten, one_thing, sleep_max_share=0.2, resolver="replace")

    report = night(ten)

    live = ten.live()
    assert len(TEN) - len(live) <= 2
    assert live[ROSA].version == 1
    assert report.changes <= 2
    assert report.waiting == sum(run.state == "parked" for run in sleeps(ten)) > 0
    assert ROSA not in {diff.before for one in report.passes for diff in one.proposed}


def test_once_the_share_is_used_up_nothing_more_is_done_that_night(table: Desk) -> None:
    """The first would change three; the next, a pair, would still fit."""
    remember(table, *OTHERS[:3])
    remember(table, *OTHERS[3:5], days=1, attribute="x", authority="assistant")

    def judge(texts: Sequence[str]) -> list[Group]:
        """Of all of them, once all of a kind are there."""
        is_last = texts[0] in {OTHERS[2], OTHERS[4]}
        return [group(range(len(texts)), "update")] if is_last else []

    judging(table, judge, sleep_max_share=0.0, sleep_groups=1, resolver="replace")
    report = night(table)

    assert (report.changes, report.waiting) == (0, 2)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5])
def test_a_dry_run_says_exactly_what_the_night_does(ten: Desk, share: float) -> None:
    asked = judging(ten, one_thing, sleep_max_share=share, sleep_groups=2, resolver="replace")
    before = everything(ten)

    foreseen = night(ten, dry_run=True)

    assert everything(ten) == before
    assert not ten.parts.inbox.status().busy
    heard = asked.heard()
    done = night(ten)
    assert asked.heard() == heard
    for dry, real in zip(foreseen.passes, done.passes, strict=True):
        assert real.model_copy(update={"seconds": dry.seconds}) == dry


def test_bad_night_dry_run_good_night_and_one_more(ten: Desk) -> None:
    judging(ten, one_thing, sleep_max_share=0.0, resolver="replace")
    night(ten, 1)
    remember(ten, SEAT, days=100.5)
    asked = judging(ten, pairs((WINDOW, SEAT)), sleep_max_share=0.2)

    foreseen = night(ten, 2, dry_run=True)
    good = night(ten, 2)
    asked.heard()
    after = everything(ten)
    third = night(ten, 3)

    assert told(foreseen) == told(good) != []
    assert (third.changes, asked.heard(), everything(ten)) == (0, [], after)
    assert ROSA in ten.live()
    assert len(ten.live()) >= len(TEN) - 2


def test_undoing_a_run_of_sleep_brings_everything_back_and_it_is_not_done_again(ten: Desk) -> None:
    asked = judging(ten, pairs((WINDOW, SEAT)))
    before = {text: (one.id, one.confirmations) for text, one in ten.live().items()}
    night(ten)
    (run,) = sleeps(ten)

    undo(ten.parts, ten.scope, run.id, FIRST_NIGHT + timedelta(hours=1))
    assert {text: (one.id, one.confirmations) for text, one in ten.live().items()} == before

    asked.heard()
    night(ten, 2)
    assert asked.heard() == []
    assert set(ten.live()) == set(TEN)


def test_age_alone_removes_nothing(table: Desk) -> None:
    remember(table, BLOOD, days=-3_000, volatile=True)
    asked = judging(table, one_thing)

    for nth in (1, 400, 4_000):
        assert night(table, nth).changes == 0
    assert (set(table.live()), asked.heard()) == ({BLOOD}, [])


def test_what_has_lapsed_is_written_down_and_can_be_undone(table: Desk) -> None:
    ends = FIRST_NIGHT - timedelta(days=1)
    remember(table, BLOOD, until=ends, after=SEAT)
    remember(table, WINDOW, until=ends)
    remember(table, OTHERS[0], until=FIRST_NIGHT + timedelta(days=1))
    remember(table, ROSA, until=ends, pinned=True)
    judging(table, nothing, sleep_max_share=0.0)

    report = night(table)

    live = table.live()
    assert set(live) == {SEAT, OTHERS[0], ROSA}
    assert (live[SEAT].version, live[SEAT].until, live[SEAT].since) == (2, None, ends)
    assert told(report) == [("expire", "retire", WINDOW, None), ("expire", "revise", BLOOD, SEAT)]
    assert {(one.memory.text, one.reason) for one in table.archives()} == {
        (BLOOD, "expired"),
        (WINDOW, "expired"),
    }
    (run,) = sleeps(table)
    undo(table.parts, table.scope, run.id, FIRST_NIGHT)
    assert set(table.live()) == {BLOOD, WINDOW, OTHERS[0], ROSA}


def test_what_stands_again_is_compared_with_what_was_there_before(table: Desk) -> None:
    remember(table, WINDOW)
    remember(table, BLOOD, until=FIRST_NIGHT - timedelta(days=1), after=SEAT)
    asked = judging(table, nothing)

    night(table)

    assert asked.heard() == [(SEAT, WINDOW)]


def test_a_flag_is_asked_about_once_with_what_it_links_to(table: Desk) -> None:
    known, other = (remember(table, text)[0].memory for text in (WINDOW, OTHERS[0]))
    remember(table, SEAT, days=1, flagged="not judged", links=(known.id,))
    asked = judging(table, nothing)

    report = night(table, 1)
    assert (SEAT, WINDOW, OTHERS[0]) in asked.heard()
    assert [one.asked for one in report.passes if one.name == "flags"] == [1]
    assert table.live()[SEAT].flagged
    night(table, 2)
    assert asked.heard() == []

    remember(table, WINDOW, days=100.1, version=2)
    night(table, 3)
    assert len([one for one in asked.heard() if one[0] == SEAT]) == 1
    assert other.text in table.live()


def test_a_flag_that_is_settled_is_gone(table: Desk) -> None:
    known = remember(table, WINDOW)[0].memory
    remember(table, SEAT, days=1, flagged="not judged", links=(known.id,))
    judging(table, pairs((WINDOW, SEAT)))

    night(table)

    (only,) = table.live().values()
    assert (only.text, only.version, only.flagged) == (SEAT, 2, None)


def test_turns_go_first_and_the_night_goes_on_after_them(ten: Desk) -> None:
    asked = judging(ten, nothing, sleep_groups=1)
    said = iter(["Likes tea"])

    def talking(texts: Sequence[str]) -> list[Group]:
        for text in said:
            ten.say(text, "2026-10-31T09:00:00Z")
        return []

    talkative = judging(ten, talking, sleep_groups=1)
    report = night(ten)

    assert report.stopped
    assert "1 turns wait" in report.stopped
    assert len(talkative.heard()) == 1
    ten.settle()
    asked = judging(ten, nothing, sleep_groups=1)
    assert night(ten, 1).stopped is None
    assert len(asked.heard()) == 7
    assert ten.parts.inbox.idle()


def test_a_scope_in_work_is_left_alone(ten: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.direct.holding.WAIT_SECONDS", 0.1)
    assert ten.parts.inbox.claim_scope(ten.scope.key)
    before = everything(ten)

    with pytest.raises(Retryable, match="a worker holds scope"):
        night(ten)
    assert everything(ten) == before


def test_scopes_never_meet(ten: Desk, store: Store, redis_client: Redis) -> None:
    other = desk(store, redis_client, Scope(app=ten.scope.app, user="ben"), ALIKE)
    remember(other, WINDOW, last_run=uid("another"))
    before = everything(other)
    asked = judging(ten, one_thing, resolver="replace")

    night(ten)

    assert everything(other) == before
    assert all(len(one) <= len(TEN) for one in asked.heard())


def test_an_unknown_or_erased_scope_is_given_no_room(table: Desk) -> None:
    assert (night(table).passes, night(table).stopped) == ((), None)
    assert not table.parts.store.about(table.scope).is_prepared
    remember(table, WINDOW)
    night(table)
    table.parts.store.writer(table.scope, Holding(2**60)).erase(FIRST_NIGHT)

    assert night(table, 2).passes == ()
    about = table.parts.store.about(table.scope)
    assert (about.is_prepared, about.sleep) == (False, None)


def test_the_budget_ends_a_night_before_anything_is_asked(ten: Desk) -> None:
    asked = judging(ten, nothing, daily_calls=1)
    ten.parts.spending.add(ten.scope.key, 1, 0)

    report = night(ten)

    assert report.stopped
    assert "used up" in report.stopped
    assert asked.heard() == []


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("part", ["store", "inbox", "embedder"])
def test_a_crash_at_any_call_leaves_a_night_that_can_be_slept_again(
    table: Desk, redis_client: Redis, part: str, after: bool
) -> None:
    remember(table, *TEN[:4])
    remember(table, BLOOD, until=FIRST_NIGHT - timedelta(days=1), after=OTHERS[0])
    nth = 1
    while True:
        judging(table, pairs((WINDOW, SEAT)), sleep_max_share=0.0)
        sound = table.parts
        fragile = Fragile(getattr(sound, part), nth, after)
        table.parts = replace(sound, **{part: cast("Any", fragile)})
        try:
            night(table)
            break
        except Killed:
            nth += 1
            table.parts = sound
            redis_client.zadd(PartitionKeys(0).busy, {table.scope.key: 1})
    table.parts = sound
    night(table)

    assert set(table.live()) == {ROSA, OTHERS[0], SEAT}
    assert len(table.archives()) == 3
    assert not table.parts.store.open_runs(table.scope)
    assert sum(run.state == "applied" for run in sleeps(table)) == 2


def test_the_share_holds_over_a_night_that_crashes_again_and_again(
    ten: Desk, redis_client: Redis
) -> None:
    """Whatever was done before a crash counts."""
    for nth in range(1, 60):
        judging(ten, one_thing, sleep_max_share=0.2, sleep_groups=1, resolver="replace")
        sound = ten.parts
        ten.parts = replace(sound, store=cast("Any", Fragile(sound.store, nth, after=True)))
        try:
            night(ten)
        except Killed:
            redis_client.zadd(PartitionKeys(0).busy, {ten.scope.key: 1})
        ten.parts = sound
    assert len(ten.live()) >= len(TEN) - 2
