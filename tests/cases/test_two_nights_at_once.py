"""Sleep among others: a fresh word, a fresh edit and a second night each find it in the middle of its thoughts."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from typing import Any

import pytest
from redis import Redis

from schemas.keys import PartitionKeys
from schemas.scope import Scope
from tests.cases.asleep import AtNight, those
from tests.cases.talk import AtDesk, found
from tests.cases.verdicts import Judge, Thing
from tests.desk import Desk, scripted
from tests.worker.direct.nightly import (
    FIRST_NIGHT,
    everything,
    judging,
    night,
    one_thing,
    remember,
    sleeps,
)
from worker.core.sleeping.note import read_note
from worker.core.sleeping.report import Report
from worker.core.writing.amending import amendment
from worker.direct import holding as holding_module
from worker.direct.editing import amend
from worker.direct.sleeping import sleep
from worker.errors import LeaseLost, Retryable
from worker.pipeline import consolidate

OLD, TWIN, MERGED = "Lives in Turin", "Has a flat in Turin", "Lives in a flat in Turin"
NEW = "Lives in Basel"
NEAR = dict.fromkeys((TWIN, MERGED, NEW), (OLD, 0.9))
FLAT = Thing((TWIN, OLD), "update", MERGED)
MOVED = Judge(
    {f"{NEW}!": [found(NEW)], "I have a kayak.": [found("Has a kayak")]},
    [
        Thing((NEW, OLD, TWIN), "contradict", NEW, (OLD, TWIN)),
        Thing((NEW, MERGED), "contradict", NEW, (MERGED,)),
    ],
)
#: Seconds after which a test that hangs ends.
PATIENCE = 20


@dataclass
class Pondering:
    """At night the model answers when the test says so; by day at once."""

    model: AtNight = field(default_factory=lambda: AtNight(those(FLAT)))
    reached: Event = field(default_factory=Event)
    go_on: Event = field(default_factory=Event)

    def __call__(self, job: str, document: dict[str, Any]) -> Any:
        if job != "reorganize":
            return MOVED(job, document)
        if not self.reached.is_set():
            self.reached.set()
            assert self.go_on.wait(PATIENCE)
        return self.model(job, document)


@contextmanager
def in_thought(table: Desk) -> Iterator[tuple[Pondering, "Future[Report]"]]:
    """A night that has read both wordings and waits for what the model says of them."""
    remember(table, OLD, TWIN)
    model = Pondering()
    with (
        scripted(table, model, sleep_max_share=1.0),
        ThreadPoolExecutor(1) as sleeper,
    ):
        first = sleeper.submit(night, table)
        try:
            assert model.reached.wait(PATIENCE)
            yield model, first
        finally:
            model.go_on.set()


def lapse(client: Redis, scope: Scope) -> None:
    """Whoever held it has not been heard of for longer than a lease."""
    client.zadd(PartitionKeys(0).busy, {scope.key: 1})


def hear_the_new(table: Desk) -> None:
    table.say(f"{NEW}!", "2026-10-30T12:00:00Z", id="moved")


def only_the_new_stands(table: Desk) -> None:
    (memory,) = table.live().values()
    assert memory.text == NEW
    own = [one.memory.version for one in table.archives() if one.memory.id == memory.id]
    assert own == list(range(1, memory.version)), "one straight chain"
    assert {one.replaced_by for one in table.archives()} == {memory.id}
    assert {run.state for run in table.runs()} == {"applied"}
    assert table.parts.inbox.idle()


def test_what_is_said_while_a_night_thinks_waits_for_it_and_stands_and_nobody_else_waits(
    at_desk: AtDesk, scope: Scope
) -> None:
    table, ben = at_desk(scope, NEAR), Scope(app=scope.app, user="ben")
    with in_thought(table) as (model, first):
        hear_the_new(table)
        line = {"app": ben.app, "user": ben.user, "role": "user", "text": "I have a kayak."}
        table.producer.publish(line)
        consolidate(table.parts, table.claim(), table.now)
        assert [one.memory.text for one in table.parts.store.memories(ben)] == ["Has a kayak"]
        assert table.parts.inbox.claim() is None
        assert not first.done(), "nobody waited for the night"
        model.go_on.set()
        first.result(PATIENCE)
        table.settle()

    only_the_new_stands(table)
    assert len(sleeps(table)) == 1


def test_a_night_that_was_taken_over_in_its_thoughts_writes_nothing_any_more(
    at_desk: AtDesk, scope: Scope, redis_client: Redis
) -> None:
    table = at_desk(scope, NEAR)
    with in_thought(table) as (model, first):
        lapse(redis_client, scope)
        hear_the_new(table)
        table.settle()
        before = everything(table)
        model.go_on.set()
        with pytest.raises(LeaseLost):
            first.result(PATIENCE)
        assert everything(table) == before

        again = night(table, 2)
        assert (again.changes, again.stopped) == (0, None)
    only_the_new_stands(table)


def test_a_second_night_declines_while_the_first_thinks_and_goes_on_once_it_is_dead(
    at_desk: AtDesk, scope: Scope, redis_client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holding_module, "WAIT_SECONDS", 0.0)
    table = at_desk(scope, NEAR)
    with in_thought(table) as (model, first):
        before, told = everything(table), list[Report]()
        with pytest.raises(Retryable, match=f"a worker holds scope {scope.key} just now: try"):
            sleep(table.parts, scope, FIRST_NIGHT, if_it_fails=told.append)
        assert everything(table) == before
        assert [(one.changes, one.calls) for one in told] == [(0, 0)]

        lapse(redis_client, scope)
        assert night(table).changes == 2
        slept = everything(table)
        model.go_on.set()
        with pytest.raises(LeaseLost):
            first.result(PATIENCE)
        assert everything(table) == slept

    assert set(table.live()) == {MERGED}
    assert len(sleeps(table)) == 1


def between_slices(table: Desk, act: Callable[[], object]) -> None:
    """Once, when the night has listed what is due and looks whether turns go first."""
    real, acts = table.parts.inbox.waiting, [act]

    def waiting(scope_key: str) -> int:
        #: The second time: before the first slice.
        calls.append(scope_key)
        if len(calls) > 1 and acts:
            acts.pop()()
        return real(scope_key)

    calls: list[str] = []
    table.parts.inbox.waiting = waiting  # type: ignore[method-assign]


def test_an_edit_after_the_night_looked_around_stands_and_is_what_it_goes_on_with(
    at_desk: AtDesk, scope: Scope
) -> None:
    """Both wordings are due when one of them is set right by hand."""
    table = at_desk(scope, NEAR)
    (old, _) = remember(table, OLD, TWIN)
    asked = judging(table, lambda texts: [])

    def edit() -> None:
        amend(table.parts, scope, old.memory.id, amendment({"text": NEW}), key="k", now=FIRST_NIGHT)

    between_slices(table, edit)
    night(table)

    live = table.live()
    assert set(live) == {NEW, TWIN}
    assert (live[NEW].id, live[NEW].version) == (old.memory.id, 2)
    assert asked.heard() == [(NEW, TWIN)], "once, with what it says now"


PAIRS = [(f"Owns {n} goats", f"Keeps {n} goats at home") for n in range(2, 7)]


def two_nights(table: Desk) -> list[Report]:
    """The second is slept whole when the first has listed what is due and lets the scope go."""
    for at, pair in enumerate(PAIRS):
        remember(table, *pair, days=at)
    reports: list[Report] = []
    between_slices(table, lambda: reports.append(night(table)))
    return [night(table), *reports]


@pytest.fixture
def goats(at_desk: AtDesk, scope: Scope) -> Desk:
    return at_desk(scope, {other: (one, 0.9) for one, other in PAIRS})


def test_two_nights_in_one_another_do_each_thing_once(goats: Desk) -> None:
    asked = judging(goats, _the_same, sleep_groups=1)
    reports = two_nights(goats)

    assert sum(report.changes for report in reports) == 2 * len(PAIRS)
    assert len(goats.live()) == len(PAIRS)
    assert [run.state for run in sleeps(goats)] == ["applied"] * len(PAIRS)
    assert sorted(one.memory.text for one in goats.archives()) == sorted(
        text for pair in PAIRS for text in pair
    )
    assert len(asked.heard()) == len(PAIRS)


def test_two_nights_in_one_another_ask_each_thing_once(goats: Desk) -> None:
    asked = judging(goats, lambda texts: [], sleep_groups=1)
    reports = two_nights(goats)

    assert asked.heard() == sorted((other, one) for one, other in PAIRS)
    (kept, *_) = read_note(goats.parts.store.about(goats.scope).sleep, goats.scope).nights
    assert sum(one.asked for one in kept.passes) == len(PAIRS)
    assert sum(one.asked for report in reports for one in report.passes) == len(PAIRS)


def _the_same(texts: Sequence[str]) -> Any:
    return one_thing(texts) if len(texts) == 2 else []
