"""Nights among imports, erasures, clocks that jump, models that fail and workers that end."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from redis import Redis

from schemas.exported import MemoryLine
from schemas.scope import Scope
from tests.build import memory, uid
from tests.desk import Desk, desk
from tests.similarity import GivenSimilarities
from tests.worker.direct.nightly import (
    FIRST_NIGHT,
    Asked,
    costing_a_call,
    everything,
    judging,
    night,
    nothing,
    remember,
)
from worker.adapters.stores.sqlite import SqliteStore
from worker.core.groups.judgment import Group
from worker.core.sleeping.note import NIGHT, Begun, Note, read_note
from worker.direct.erasing import erase
from worker.direct.holding import holding
from worker.direct.importing import import_lines
from worker.errors import LeaseLost, NoRoom, Unavailable
from worker.hands import HANDS

SEAT, AISLE, ROW = "Prefers window seats", "Prefers aisle seats", "Sits in the last row"
ALIKE = GivenSimilarities({AISLE: (SEAT, 0.9), ROW: (SEAT, 0.8)})
MORNING = FIRST_NIGHT + timedelta(hours=5)


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (ALIKE.fingerprint, ALIKE.dimensions)


@pytest.fixture
def table(sqlite_store: SqliteStore, redis_client: Redis, scope: Scope) -> Desk:
    return desk(sqlite_store, redis_client, scope, ALIKE)


def note_of(table: Desk) -> Note:
    return read_note(table.parts.store.about(table.scope).sleep, table.scope)


def write_down(table: Desk, note: Note) -> None:
    with holding(table.parts, table.scope, table.now) as held:
        table.parts.store.writer(table.scope, held.lease).put_sleep(note.model_dump_json())


# What was imported


def imports(table: Desk, text: str, at: datetime) -> None:
    """A memory that is older than all that is there."""
    long_ago = FIRST_NIGHT - timedelta(days=900)
    times = dict.fromkeys(("said_at", "created_at", "updated_at"), long_ago)
    old = memory(text, scope=table.scope, last_run=uid("elsewhere"), **times)
    assert import_lines(table.parts, table.scope, [MemoryLine(memory=old)], at)["memories"] == 1


def test_what_an_import_brings_is_compared_once_however_old_it_is(table: Desk) -> None:
    remember(table, SEAT)
    asked = judging(table, nothing)
    night(table, 1)
    imports(table, AISLE, MORNING)
    imports(table, ROW, MORNING + timedelta(minutes=1))

    night(table, 2)

    assert asked.heard() == [(AISLE, SEAT), (ROW, SEAT, AISLE)]
    before = everything(table)
    night(table, 3)
    assert (asked.heard(), everything(table)) == ([], before)


def test_only_imports_that_a_pass_may_not_know_yet_are_remembered(table: Desk) -> None:
    remember(table, SEAT)
    imports(table, AISLE, FIRST_NIGHT - timedelta(days=1))
    assert note_of(table).imports == {}, "nothing has been passed by yet"
    judging(table, nothing)
    night(table, 1)
    imports(table, ROW, MORNING)
    night(table, 2)
    imports(table, "Owns a harp", MORNING + timedelta(days=1))

    assert [*note_of(table).imports.values()] == [MORNING + timedelta(days=1)]


# Clocks that jump


def test_a_mark_of_a_clock_that_was_years_ahead_hides_no_change(table: Desk) -> None:
    ahead = FIRST_NIGHT + timedelta(days=1_000)
    asked = judging(table, nothing)
    remember(table, ROW, updated_at=ahead - timedelta(days=1))
    night(table, 1_001)
    assert note_of(table).marks["tidy"][0] > FIRST_NIGHT + NIGHT
    remember(table, SEAT, AISLE)

    night(table, 1)

    assert asked.heard() == [(AISLE, SEAT)]
    assert note_of(table).marks["tidy"][0] < FIRST_NIGHT


@pytest.mark.parametrize(("ahead", "is_new"), [(timedelta(hours=1), False), (NIGHT, True)])
def test_a_night_of_the_future_uses_up_no_budget_of_today(ahead: timedelta, is_new: bool) -> None:
    of_the_future = Begun(began_at=FIRST_NIGHT + ahead, live=3, calls=200)

    begun = Note(night=of_the_future).begun(5, FIRST_NIGHT).night

    assert (begun == Begun(began_at=FIRST_NIGHT, live=5)) is is_new
    assert (begun == of_the_future) is not is_new


# Scopes that go


def test_a_scope_that_is_erased_while_a_night_waits_for_it_gets_no_room_again(table: Desk) -> None:
    remember(table, SEAT, AISLE)
    judging(table, nothing)
    claim = table.parts.inbox.claim_scope

    def after_the_erasure(scope_key: str) -> Any:
        table.parts.inbox.claim_scope = claim  # type: ignore[method-assign]
        erase(table.parts, table.scope, FIRST_NIGHT)
        return claim(scope_key)

    table.parts.inbox.claim_scope = after_the_erasure  # type: ignore[method-assign]
    stopped = night(table).stopped

    assert stopped == "the scope was erased"
    assert list(table.parts.store.scopes()) == []


def test_who_makes_no_room_lets_go_of_a_scope_that_has_none(table: Desk) -> None:
    with (
        pytest.raises(NoRoom),
        holding(table.parts, table.scope, table.now, makes_room=False),
    ):
        pass

    assert table.parts.inbox.claim_scope(table.scope.key)


# What fails


class OnHoliday(Asked):
    """It gives no answer about the last row."""

    def read(self, item: Any, replies: Any) -> Any:
        texts = [one.memory.text for one in item.candidates]
        if ROW in texts:
            raise Unavailable("the model is on holiday: wait", part="model")
        return super().read(item, replies)


def test_what_a_slice_that_fails_has_asked_counts_as_asked(
    table: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(table, SEAT, AISLE, ROW)
    judging(table, nothing, sleep_groups=1, sleep_max_calls=3)
    table.parts = replace(table.parts, reorganizing=OnHoliday(nothing))
    costing_a_call(monkeypatch)

    for _ in range(2):
        with pytest.raises(Unavailable):
            night(table)

    note = note_of(table)
    assert note.night
    assert (note.night.calls, note.night.tokens) == (3, 30)
    (kept,) = note.nights
    assert sum(one.calls for one in kept.passes) == 3
    assert "3 of 3" in (night(table).stopped or ""), "the budget holds for a model that fails"


# Workers that end


def test_a_worker_that_has_to_end_lets_go_of_the_scope_that_sleeps(table: Desk) -> None:
    remember(table, SEAT, AISLE)
    asked, ended = threading.Event(), threading.Event()

    def thinking(texts: Sequence[str]) -> list[Group]:
        asked.set()
        assert ended.wait(30)
        return []

    judging(table, thinking)
    failed: list[BaseException] = []

    def sleeping() -> None:
        try:
            night(table)
        except LeaseLost as error:
            failed.append(error)

    thread = threading.Thread(target=sleeping)
    thread.start()
    assert asked.wait(30)

    assert table.parts.inbox.claim_scope(table.scope.key) is None
    assert HANDS.let_go() == 1
    assert table.parts.inbox.claim_scope(table.scope.key)
    ended.set()
    thread.join()
    assert len(failed) == 1, "what it still wanted to write was refused"
    assert HANDS.let_go() == 0
