"""The passes that ask nobody: what fades, what is past its retention, what was made anew; and a night's own budget."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import pytest
from redis import Redis

from schemas.keys import PartitionKeys
from schemas.memory import Archive, MemoryRecord
from schemas.scope import Scope
from tests.desk import Desk, desk
from tests.fragile import Fragile, Killed
from tests.similarity import GivenSimilarities
from tests.worker.direct.nightly import (
    FIRST_NIGHT,
    costing_a_call,
    everything,
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
from worker.core.sleeping.note import Note, read_note
from worker.core.sleeping.report import Passed, Report
from worker.direct.holding import holding
from worker.direct.proposals import accept, proposals, refuse
from worker.direct.restoring import restore
from worker.direct.undoing import undo
from worker.errors import Unprocessable

ROSA = "Emergency contact is Aunt Rosa"
WINDOW, SEAT, AISLE = "Prefers window seats", "Prefers a window seat on trains", "Prefers aisles"
OTHERS = tuple(f"Owns a {thing}" for thing in ("lathe", "dinghy", "harp", "still", "kiln", "loom"))
ALIKE = GivenSimilarities({SEAT: (WINDOW, 0.9), AISLE: (WINDOW, 0.8)})
EVERY_PASS = ("re-embed", "expire", "tidy", "flags", "forget", "retention")
#: Of `remember`: longer ago than anything is kept.
LONG_AGO = -1_000
AGES = timedelta(days=500)


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (ALIKE.fingerprint, ALIKE.dimensions)


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    made = desk(store, redis_client, scope, ALIKE)
    judging(made, nothing, sleep_passes=EVERY_PASS)
    return made


def set_to(table: Desk, **settings: Any) -> None:
    changed = table.parts.settings.model_copy(update=settings)
    table.parts = replace(table.parts, settings=changed)


def passing(table: Desk, *texts: str, days: float = LONG_AGO, **fields: Any) -> list[MemoryRecord]:
    begin = FIRST_NIGHT - timedelta(days=100 - days)
    since = {"created_at": begin, "last_confirmed_at": begin}
    return remember(table, *texts, days=days, volatile=True, **(since | fields))


def of(report: Report, name: str) -> Passed:
    return next(one for one in report.passes if one.name == name)


def note_of(table: Desk) -> Note:
    return read_note(table.parts.store.about(table.scope).sleep, table.scope)


def is_killed(table: Desk, redis: Redis, nth: int, *, after: bool, at: int = 1) -> bool:
    """Whether the night dies at the nth call of the store; its lease runs out then."""
    sound = table.parts
    table.parts = replace(sound, store=cast("Any", Fragile(sound.store, nth, after)))
    try:
        night(table, at)
    except Killed:
        redis.zadd(PartitionKeys(0).busy, {table.scope.key: 1})
        return True
    finally:
        table.parts = sound
    return False


# Forget


def test_what_was_passing_and_never_heard_of_again_is_archived(table: Desk) -> None:
    passing(table, WINDOW)
    passing(table, OTHERS[0], days=0)
    passing(table, OTHERS[1], pinned=True)
    passing(table, OTHERS[2], kind="instruction")
    passing(table, OTHERS[3], uses=1)
    passing(table, OTHERS[4], until=FIRST_NIGHT + timedelta(days=1))
    passing(table, OTHERS[5], confirmations=2)
    remember(table, ROSA, days=LONG_AGO)

    report = night(table)

    assert set(table.live()) == {ROSA, *OTHERS}
    (gone,) = table.archives()
    assert (gone.memory.text, gone.reason, gone.replaced_by) == (WINDOW, "faded", None)
    assert told(report) == [("forget", "retire", WINDOW, None)]
    (run,) = sleeps(table)
    assert (run.state, run.id) == ("applied", gone.run)


def test_nothing_fades_unless_it_was_chosen(table: Desk) -> None:
    default = type(table.parts.settings).model_fields["sleep_passes"].default
    set_to(table, sleep_passes=default)
    passing(table, WINDOW)

    for nth in (1, 4_000):
        assert night(table, nth).changes == 0
    assert set(table.live()) == {WINDOW}


@pytest.mark.parametrize("how", ["undo", "restore"])
def test_what_a_person_brings_back_stays_until_it_was_quiet_for_as_long_again(
    table: Desk, how: str
) -> None:
    (one,) = passing(table, WINDOW)
    night(table)
    (run,) = sleeps(table)
    morning = FIRST_NIGHT + timedelta(hours=5)
    if how == "undo":
        undo(table.parts, table.scope, run.id, morning)
    else:
        restore(table.parts, table.scope, one.memory.id, 1, morning)

    for nth in (2, 100):
        assert night(table, nth).changes == 0
    assert table.live()[WINDOW].id == one.memory.id
    night(table, 300)
    assert table.live() == {}


def test_what_goes_beyond_the_share_is_proposed_once_one_by_one(table: Desk) -> None:
    set_to(table, sleep_max_share=0.0)
    passing(table, *OTHERS)

    first = night(table)
    assert (first.changes, first.waiting, len(table.live())) == (2, 4, 4)
    before = everything(table)

    again = night(table, 2)
    assert (again.changes, again.waiting, everything(table)) == (0, 4, before)
    one, other, *_ = list(proposals(table.parts.store, table.scope))
    accept(table.parts, table.scope, one.run.id, FIRST_NIGHT + timedelta(days=1))
    refuse(table.parts, table.scope, other.run.id, FIRST_NIGHT + timedelta(days=1))
    assert len(table.live()) == 3
    assert night(table, 3).changes == 0


# Retention


def joined(table: Desk) -> list[Archive]:
    """Two that sleep made one, in the first night."""
    remember(table, WINDOW, SEAT, *OTHERS[:2])
    judging(table, pairs((WINDOW, SEAT)), sleep_passes=EVERY_PASS)
    night(table)
    assert {one.memory.text for one in table.archives()} == {WINDOW, SEAT}
    return table.archives()


def test_earlier_versions_go_for_good_once_they_are_past_their_retention(table: Desk) -> None:
    joined(table)
    live = table.live()

    assert of(night(table, 365), "retention").looked_at == 0
    assert len(table.archives()) == 2
    report = night(table, 366)

    assert (table.archives(), table.live()) == ([], live)
    assert (of(report, "retention").looked_at, report.changes) == (2, 0)
    (run,) = sleeps(table)
    assert {(one.why, one.said) for one in run.changes} == {("", ())}
    assert note_of(table).removed_until == FIRST_NIGHT


def test_a_run_whose_snapshots_are_gone_is_not_undone_and_says_why(table: Desk) -> None:
    joined(table)
    night(table, 400)
    (run,) = sleeps(table)
    before = everything(table)

    with pytest.raises(Unprocessable, match="past its retention"):
        undo(table.parts, table.scope, run.id, FIRST_NIGHT + AGES)
    assert everything(table) == before


def test_nothing_is_removed_unless_it_was_chosen(table: Desk) -> None:
    before = joined(table)
    set_to(table, sleep_passes=("expire", "tidy", "flags", "forget"))

    night(table, 4_000)
    assert table.archives() == before


def test_what_was_joined_joins_nothing_more_once_its_parts_are_gone(table: Desk) -> None:
    """Nobody can tell any more what they were near."""
    joined(table)
    night(table, 400)
    remember(table, AISLE, days=500)
    asked = judging(table, one_thing, sleep_passes=EVERY_PASS)

    night(table, 401)
    assert asked.heard() == []
    assert {SEAT, AISLE} <= set(table.live())


def test_what_was_only_changed_joins_as_before(table: Desk) -> None:
    remember(table, WINDOW, version=3)
    remember(table, AISLE, days=99)
    asked = judging(table, nothing, sleep_passes=EVERY_PASS)

    night(table)
    assert (AISLE, WINDOW) in asked.heard()


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_crash_at_any_call_leaves_versions_that_the_next_night_removes(
    table: Desk, redis_client: Redis, after: bool
) -> None:
    joined(table)
    filed = [*table.parts.store.archives(table.scope)]
    nth = 1
    while is_killed(table, redis_client, nth, after=after, at=400):
        nth += 1
        with_all(table, filed)
    night(table, 400)

    assert (nth > 5, table.archives()) == (True, [])
    assert all(one.why == "" for run in sleeps(table) for one in run.changes)
    again = everything(table)
    night(table, 401)
    assert everything(table) == again


def with_all(table: Desk, filed: Sequence[Any]) -> None:
    """As if the night had not come so far."""
    with holding(table.parts, table.scope, table.now) as held:
        table.parts.store.writer(table.scope, held.lease).put_archives(filed)


def test_more_than_one_portion_goes_in_one_night(
    table: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("retaining", "sleeping"):
        monkeypatch.setattr(f"worker.direct.{module}.PORTION", 1)
    joined(table)

    assert of(night(table, 400), "retention").looked_at == 2
    assert table.archives() == []


# All of them


def a_scope_with_work_for_all(table: Desk) -> None:
    joined(table)
    remember(table, AISLE, days=500)
    remember(table, ROSA, days=500, until=FIRST_NIGHT + timedelta(days=399), after=OTHERS[3])
    remember(table, OTHERS[4], days=501, flagged="not judged")
    passing(table, OTHERS[5], days=20)


@pytest.mark.parametrize("order", [EVERY_PASS, EVERY_PASS[::-1]], ids=["usual", "reversed"])
def test_a_dry_run_says_exactly_what_a_night_of_all_passes_does(
    table: Desk, order: tuple[str, ...]
) -> None:
    a_scope_with_work_for_all(table)
    asked = judging(table, one_thing, sleep_passes=order, resolver="replace")
    before = everything(table)

    foreseen = night(table, 410, dry_run=True)
    assert everything(table) == before
    heard = asked.heard()
    done = night(table, 410)

    assert [one.name for one in done.passes] == [*order]
    assert asked.heard() == heard
    for dry, real in zip(foreseen.passes, done.passes, strict=True):
        assert real.model_copy(update={"seconds": dry.seconds}) == dry
    assert of(done, "retention").looked_at == 2
    assert {one.name for one in done.passes if one.changes} >= {"expire", "forget"}


def test_a_second_night_of_all_passes_asks_and_writes_nothing(table: Desk) -> None:
    a_scope_with_work_for_all(table)
    asked = judging(table, nothing, sleep_passes=EVERY_PASS)
    night(table, 410)
    before = everything(table)
    asked.heard()

    again = night(table, 411)

    assert (again.changes, asked.heard(), everything(table)) == (0, [], before)
    assert [one.looked_at for one in again.passes] == [0] * len(EVERY_PASS)


# Re-embed


def test_a_night_tells_how_many_vectors_were_made_anew_first(
    store: Store, redis_client: Redis, scope: Scope
) -> None:
    table = desk(store, redis_client, scope, ALIKE)
    joined(table)
    with holding(table.parts, scope, table.now) as held:
        table.parts.store.writer(scope, held.lease).put_embedder("another_8")

    report = night(table, 2)

    assert of(report, "re-embed").looked_at == len(table.live()) + len(table.archives()) == 5
    assert store.about(scope).embedder == ALIKE.fingerprint
    assert of(night(table, 3), "re-embed").looked_at == 0


# A night's budget


def costing(table: Desk, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> Any:
    """Each group costs a call and ten tokens."""
    asked = judging(table, nothing, sleep_groups=1, sleep_passes=EVERY_PASS, **settings)
    costing_a_call(monkeypatch)
    return asked


def slots(table: Desk) -> None:
    """Four that share a slot: three questions."""
    remember(table, *OTHERS[:4], attribute="belongings")


@pytest.mark.parametrize("limit", [{"sleep_max_calls": 2}, {"sleep_max_tokens": 11}])
def test_what_asks_ends_with_the_budget_and_the_next_night_goes_on_from_there(
    table: Desk, monkeypatch: pytest.MonkeyPatch, limit: dict[str, int]
) -> None:
    slots(table)
    passing(table, ROSA)
    asked = costing(table, monkeypatch, **limit)

    first = night(table)
    assert len(asked.heard()) == 2
    assert (first.calls, first.tokens) == (2, 20)
    assert first.stopped
    assert "2 of" in first.stopped
    assert "20 of" in first.stopped
    assert ROSA not in table.live(), "what asks nobody is done all the same"

    assert night(table, 1).stopped
    assert asked.heard() == [], "it is the same night"
    second = night(table, 2)
    assert (len(asked.heard()), second.stopped) == (1, None)


def test_no_limit_is_no_limit(table: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    slots(table)
    asked = costing(table, monkeypatch, sleep_max_calls=0, sleep_max_tokens=0)

    assert night(table).stopped is None
    assert len(asked.heard()) == 3


def test_a_night_that_goes_on_after_a_crash_has_only_the_rest_of_its_budget(
    table: Desk, redis_client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    slots(table)
    asked = costing(table, monkeypatch, sleep_max_calls=2)

    def dying(texts: Sequence[str]) -> list[Group]:
        if len(asked.groups) == 2:
            raise Killed
        return []

    asked.judge = dying
    with pytest.raises(Killed):
        night(table)
    redis_client.zadd(PartitionKeys(0).busy, {table.scope.key: 1})
    asked.heard()
    asked.judge = nothing

    assert night(table).stopped
    assert len(asked.heard()) == 1
