"""A person accepts what the cap held back: on both stores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from redis import Redis

from schemas.keys import PartitionKeys
from schemas.memory import Fact
from schemas.scope import Scope
from tests.build import fact
from tests.desk import Desk, Judges, Says, crashes, desk
from tests.similarity import GivenSimilarities
from worker.adapters.parking import Letter
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.hearing.heard import Heard
from worker.core.judging.detectors import Judging
from worker.core.ports import Store
from worker.direct.erasing import erase
from worker.direct.reviewing import accept
from worker.errors import PlanConflict, Retryable, Unprocessable
from worker.pipeline import consolidate

THINGS = tuple(f"Owns a {thing}" for thing in ("lathe", "dinghy", "harp", "still"))
SOLD = "Sold the workshop and all in it"
ALIKE = GivenSimilarities(dict.fromkeys((*THINGS, SOLD), ("x", 0.9)))
LATER = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (ALIKE.fingerprint, ALIKE.dimensions)


def every_turn(heard: Heard) -> Sequence[Fact]:
    return [fact(one.text, turn_ids=(one.id,), said_at=one.said_at) for one in heard.turns]


def sold_replaces_all(case: Candidacy) -> Groups:
    if case.facts[0].text != SOLD:
        return Groups(groups=(), new=case.fact_labels)
    members = ("f1", *case.memory_labels)
    return Groups(groups=(Group(why="sold", members=members, relation="contradict"),), new=())


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    made = desk(store, redis_client, scope, ALIKE)
    made.parts = replace(
        made.parts,
        extraction=Says(every_turn),
        judging=Judging(Judges(sold_replaces_all), resolver="replace"),
    )
    for day, thing in enumerate(THINGS, start=1):
        made.say(thing, f"2026-05-{day:02}T09:00:00Z")
        made.settle()
    made.say(SOLD, "2026-06-01T09:00:00Z", id="sold")
    made.settle()
    return made


def letter(table: Desk) -> Letter:
    (only,) = table.parts.inbox.parking.letters(table.scope.key)
    return only


def test_a_turn_over_the_cap_is_parked_with_what_would_be_done(table: Desk) -> None:
    parked = letter(table).parked

    assert set(table.live()) == set(THINGS)
    assert "one turn may replace 3" in parked.reason
    assert sorted(change.kind for change in parked.proposal) == ["retire"] * 3 + ["revise"]


def test_what_is_accepted_is_carried_out_as_a_run_of_its_own(table: Desk) -> None:
    waiting = letter(table)
    assert waiting.turn
    plan = accept(table.parts, waiting, LATER)

    (sold,) = table.live().values()
    assert (sold.text, sold.version, sold.last_run) == (SOLD, 2, plan.run)
    archives = table.archives()
    assert {archive.memory.text for archive in archives} == set(THINGS)
    assert {archive.replaced_by for archive in archives} == {sold.id}
    assert {(archive.run, archive.archived_at) for archive in archives} == {(plan.run, LATER)}
    (run,) = [run for run in table.runs() if run.id == plan.run]
    assert (run.kind, run.state, run.turn_ids) == ("write", "applied", (waiting.turn.id,))
    assert list(table.parts.inbox.parking.letters()) == []
    assert table.parts.inbox.idle()
    status = table.parts.inbox.status()
    assert (status.parked, status.settled) == (0, len(THINGS) + 1)


def test_accepting_twice_or_hearing_the_turn_again_changes_nothing(
    table: Desk, redis_client: Redis
) -> None:
    waiting = letter(table)
    plan = accept(table.parts, waiting, LATER)
    after = table.live(), table.archives(), table.runs()

    assert accept(table.parts, waiting, LATER).run == plan.run
    redis_client.flushall()
    table.say(SOLD, "2026-06-01T09:00:00Z", id="sold")
    table.settle()
    assert (table.live(), table.archives(), table.runs()) == after


@pytest.mark.parametrize("moved", ["confirmed", "gone"])
def test_where_the_memories_have_moved_on_nothing_is_done_and_it_is_said(
    table: Desk, moved: str
) -> None:
    waiting = letter(table)
    if moved == "confirmed":
        harp = Judges(
            lambda case: Groups(
                groups=(Group(why="again", members=("f1", "c1"), relation="same"),), new=()
            )
        )
        table.parts = replace(table.parts, judging=Judging(harp, resolver="replace"))
        table.say(THINGS[2], "2026-07-01T09:00:00Z")
        table.settle()
    else:
        retired = next(c for c in waiting.parked.proposal if c.kind == "retire")
        lease = table.parts.inbox.claim_scope(table.scope.key)
        assert lease
        hold = _Held(lease.fence)
        table.parts.store.writer(table.scope, hold).remove_memories(
            [retired.archive.archive.memory.id]
        )
        table.parts.inbox.release(lease)
    before = table.live(), table.archives(), table.runs()

    with pytest.raises(PlanConflict, match="was decided on version 1 of memory"):
        accept(table.parts, waiting, LATER)
    assert (table.live(), table.archives(), table.runs()) == before
    assert letter(table) == waiting
    assert table.parts.inbox.claim_scope(table.scope.key), "the lease was given back"


@dataclass(frozen=True)
class _Held:
    fence: int

    def check(self) -> None:
        pass

    def overtaken(self, fence: int) -> Any:
        raise AssertionError(fence)


def test_a_scope_in_work_is_left_alone(table: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.direct.holding.WAIT_SECONDS", 0.2)
    waiting = letter(table)
    table.say("Owns a kite", "2026-07-01T09:00:00Z")
    claim = table.claim()
    before = table.live()

    with pytest.raises(Retryable, match="a worker holds scope"):
        accept(table.parts, waiting, LATER)
    consolidate(table.parts, claim, table.now)
    assert set(before) < set(table.live())
    assert letter(table) == waiting


def test_a_batch_that_was_left_half_done_is_finished_first(
    table: Desk, redis_client: Redis
) -> None:
    waiting = letter(table)
    table.say("Owns a kite", "2026-07-01T09:00:00Z")
    claim = table.claim()
    table.parts.inbox.keep_plan(claim, '{"count": 1, "plan": null}')
    redis_client.zadd(PartitionKeys(0).busy, {table.scope.key: 1})

    accept(table.parts, waiting, LATER)
    assert SOLD in table.live()
    assert table.parts.inbox.pending(table.scope.key) == []
    assert table.parts.inbox.kept_plan(claim) is None


def test_a_turn_that_was_learned_meanwhile_is_not_learned_again(
    table: Desk, redis_client: Redis
) -> None:
    waiting = letter(table)
    redis_client.delete(f"slowwave:{{0}}:seen:{table.scope.key}")
    table.say(SOLD, "2026-06-01T09:00:00Z", id="sold")
    generous = table.parts.settings.model_copy(update={"max_replaced_per_turn": 9})
    table.parts = replace(table.parts, settings=generous)
    table.settle()
    before = table.live(), table.archives()

    with pytest.raises(Unprocessable, match="consolidated since: nothing was done, drop it"):
        accept(table.parts, waiting, LATER)
    assert (table.live(), table.archives()) == before


def test_what_a_redis_has_again_of_an_erased_scope_is_not_accepted(
    table: Desk, redis_client: Redis
) -> None:
    waiting = letter(table)
    kept = redis_client.hgetall(f"slowwave:{{0}}:aside:{table.scope.key}")
    erase(table.parts, table.scope, LATER)
    redis_client.hset(f"slowwave:{{0}}:aside:{table.scope.key}", mapping=cast("Any", kept))

    with pytest.raises(Unprocessable, match="before its scope was erased"):
        accept(table.parts, waiting, LATER)
    assert (table.live(), table.archives(), table.runs()) == ({}, [], [])


def test_what_has_no_proposal_cannot_be_accepted(table: Desk) -> None:
    waiting = letter(table)
    bare = replace(waiting, parked=waiting.parked.model_copy(update={"proposal": ()}))

    with pytest.raises(Unprocessable, match=r"has no proposal .*: replay or drop it"):
        accept(table.parts, bare, LATER)


def test_put_back_under_a_higher_cap_it_is_learned_like_any_other(table: Desk) -> None:
    generous = table.parts.settings.model_copy(update={"max_replaced_per_turn": 9})
    table.parts = replace(table.parts, settings=generous)
    table.parts.inbox.parking.replay([letter(table)])
    table.settle()

    assert set(table.live()) == {SOLD}
    assert len(table.archives()) == len(THINGS)
    assert list(table.parts.inbox.parking.letters()) == []


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("part", ["store", "inbox"])
def test_a_crash_at_any_call_leaves_it_to_be_accepted_again_or_done(
    table: Desk, redis_client: Redis, part: str, after: bool
) -> None:
    waiting, nth = letter(table), 1
    while crashes(table, part, nth, lambda: accept(table.parts, waiting, LATER), after=after):
        nth += 1
        redis_client.zadd(PartitionKeys(0).busy, {table.scope.key: 1})
        assert len(table.live()) + len(table.archives()) >= len(THINGS)
    accept(table.parts, waiting, LATER)

    (sold,) = table.live().values()
    assert nth > 3
    assert (sold.text, sold.version) == (SOLD, 2)
    assert len(table.archives()) == len(THINGS)
    assert list(table.parts.inbox.parking.letters()) == []


@pytest.mark.parametrize("gone", ["drop", "replay"])
def test_what_a_person_dropped_or_replayed_meanwhile_is_not_accepted(
    table: Desk, gone: str
) -> None:
    waiting = letter(table)
    assert getattr(table.parts.inbox.parking, gone)([waiting]) == 1

    with pytest.raises(Unprocessable, match="parked no more"):
        accept(table.parts, waiting, LATER)

    assert set(table.live()) == set(THINGS)
    assert table.parts.inbox.status().busy == 0
