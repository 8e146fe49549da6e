"""A run is taken back, under the scope's lease: on both stores."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from redis import Redis

from schemas.keys import PartitionKeys, ScopeKeys
from schemas.plan import Plan, Run
from schemas.scope import Scope
from tests.build import at
from tests.desk import Desk, crashes
from tests.hold import HELD
from tests.worker.core.planning.test_plan_properties import DECISIONS, Decision
from tests.worker.direct.turning import (
    BERGEN,
    OSLO,
    TEA,
    at_a_table,
    contents,
    everything,
    expire,
    hear,
    moved_to,
    state_of,
)
from worker.adapters.apply import apply
from worker.core.planning import runs
from worker.core.ports import Store
from worker.direct.holding import holding
from worker.direct.undoing import planned, undo, unfinished
from worker.errors import PlanConflict, Retryable, SlowwaveError, Unprocessable

LATER = datetime(2026, 11, 20, tzinfo=UTC)
#: Before anything that `tests.build` dates is purged.
SOON = at(1)


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    return at_a_table(store, redis_client, scope)


def test_what_a_batch_changed_is_again_as_it_was(table: Desk) -> None:
    hear(table, OSLO, 1)
    before = contents(table.parts.store, table.scope)
    moved = hear(table, BERGEN, 2)
    assert set(table.live()) == {BERGEN}

    plan = undo(table.parts, table.scope, moved.id, LATER)

    assert contents(table.parts.store, table.scope) == before
    (oslo,) = table.live().values()
    assert (oslo.version, oslo.updated_at, oslo.last_run) == (3, LATER, plan.run)
    assert [(one.memory.text, one.reason) for one in table.archives()] == [
        (OSLO, "superseded"),
        (BERGEN, "undone"),
    ]
    assert (state_of(table, moved.id), state_of(table, plan.run)) == ("undone", "applied")
    assert table.parts.inbox.idle()
    assert table.parts.inbox.claim_scope(table.scope.key), "the lease was given back"


def test_its_turns_are_free_and_published_again_they_are_learned_anew(table: Desk) -> None:
    first = hear(table, TEA, 1)
    assert table.say(TEA, "2026-05-01T09:00:00Z", id=TEA).status == "duplicate"

    undo(table.parts, table.scope, first.id, LATER)
    assert table.live() == {}
    second = hear(table, TEA, 1)

    assert second.id != first.id
    assert second.turn_ids == first.turn_ids
    assert set(table.live()) == {TEA}


def test_a_run_that_changed_nothing_is_undone_for_its_turns(table: Desk) -> None:
    hear(table, TEA, 1)
    silent = hear(table, TEA.upper(), 2)
    table.parts.store.writer(table.scope, _held(table)).put_run(
        silent.model_copy(update={"changes": ()})
    )

    plan = undo(table.parts, table.scope, silent.id, LATER)

    assert (plan.changes, state_of(table, silent.id)) == ((), "undone")
    assert state_of(table, plan.run) == "applied"
    assert hear(table, TEA.upper(), 2).turn_ids == silent.turn_ids


def _held(table: Desk) -> Any:
    """A lease later than any that was given out so far."""
    return replace(HELD, fence=int(datetime.now(UTC).timestamp() * 1e6) - 1)


def test_a_later_run_that_built_on_it_is_named_and_nothing_is_done(table: Desk) -> None:
    first, second = hear(table, OSLO, 1), hear(table, BERGEN, 2)
    before = everything(table)

    with pytest.raises(PlanConflict, match=f"run {second.id} .* revised memory"):
        undo(table.parts, table.scope, first.id, LATER)

    assert everything(table) == before
    undo(table.parts, table.scope, second.id, LATER)
    undo(table.parts, table.scope, first.id, LATER)
    assert table.live() == {}


def test_undo_of_undo_of_undo(table: Desk) -> None:
    hear(table, OSLO, 1)
    last = hear(table, BERGEN, 2).id
    chain = [last]
    for texts in ({OSLO}, {BERGEN}, {OSLO}):
        last = undo(table.parts, table.scope, last, LATER).run
        chain.append(last)
        assert set(table.live()) == texts

    assert [state_of(table, run) for run in chain] == ["undone", "applied", "undone", "applied"]
    # Its turn is free again, and accepted.
    hear(table, BERGEN, 2)
    assert set(table.live()) == {BERGEN}


def test_what_applies_again_has_settled_its_turns_again(table: Desk, redis_client: Redis) -> None:
    first = hear(table, TEA, 1)
    undo(table.parts, table.scope, undo(table.parts, table.scope, first.id, LATER).run, LATER)
    before = table.live()

    assert table.say(TEA, "2026-05-01T09:00:00Z", id=TEA).status == "accepted"
    table.settle()

    assert (table.live(), state_of(table, first.id)) == (before, "applied")
    assert redis_client.exists(ScopeKeys(0, table.scope.key).turns) == 0


def test_an_undo_stays_once_the_turns_were_consolidated_again(table: Desk) -> None:
    first = hear(table, TEA, 1)
    back = undo(table.parts, table.scope, first.id, LATER)
    again = hear(table, TEA, 1)
    before = everything(table)

    with pytest.raises(PlanConflict, match=f"consolidated again by run {again.id}"):
        undo(table.parts, table.scope, back.run, LATER)

    assert everything(table) == before


def test_an_unknown_run_is_not_found(table: Desk) -> None:
    hear(table, TEA, 1)

    with pytest.raises(Unprocessable, match="not found in this scope"):
        undo(table.parts, table.scope, uuid4(), LATER)


def test_a_run_of_another_scope_is_not_found(table: Desk) -> None:
    run = hear(table, TEA, 1)

    with pytest.raises(Unprocessable, match="not found in this scope"):
        undo(table.parts, Scope(app=table.scope.app, user="ben"), run.id, LATER)


def test_what_it_needs_and_is_purged_is_said_to_be_gone(table: Desk) -> None:
    hear(table, OSLO, 1)
    moved = hear(table, BERGEN, 2)
    (before,) = table.archives()
    with holding(table.parts, table.scope, LATER) as held:
        writer = table.parts.store.writer(table.scope, held.lease)
        writer.remove_archives([(before.memory.id, before.memory.version)])

    with pytest.raises(Unprocessable, match=r"version 1 of memory .* was forgotten and purged"):
        undo(table.parts, table.scope, moved.id, LATER)

    assert set(table.live()) == {BERGEN}


def test_undoing_twice_says_that_it_is_undone(table: Desk) -> None:
    run = hear(table, TEA, 1)
    plan = undo(table.parts, table.scope, run.id, LATER)
    before = everything(table)

    with pytest.raises(Unprocessable, match=f"was undone already, by run {plan.run}"):
        undo(table.parts, table.scope, run.id, LATER)

    assert everything(table) == before


def test_of_two_undos_at_once_one_finds_it_undone(table: Desk) -> None:
    run = hear(table, TEA, 1)

    def act(_: int) -> str:
        try:
            undo(table.parts, table.scope, run.id, LATER)
        except SlowwaveError as error:
            return str(error)
        return "done"

    with ThreadPoolExecutor(2) as pool:
        told = sorted(pool.map(act, range(2)))

    assert told[0] == "done"
    assert "was undone already" in told[1]
    assert table.live() == {}
    assert len(table.runs()) == 2


def test_a_dry_run_takes_no_lease_and_writes_nothing(table: Desk, redis_client: Redis) -> None:
    run = hear(table, TEA, 1)
    table.say(BERGEN, "2026-05-09T09:00:00Z")
    claim = table.claim()
    before = everything(table)

    plan = undo(table.parts, table.scope, run.id, LATER, dry_run=True)

    assert [change.kind for change in plan.changes] == ["retire"]
    assert everything(table) == before
    assert redis_client.zscore(ScopeKeys(0, table.scope.key).seen, str(run.turn_ids[0]))
    table.parts.inbox.renew(claim)


def test_while_a_worker_holds_the_scope_nothing_is_undone(
    table: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.direct.holding.WAIT_SECONDS", 0.1)
    run = hear(table, TEA, 1)
    table.say(BERGEN, "2026-05-09T09:00:00Z")
    table.claim()
    before = everything(table)

    with pytest.raises(Retryable, match="a worker holds scope"):
        undo(table.parts, table.scope, run.id, LATER)

    assert everything(table) == before


def half_done(table: Desk, plan: Plan) -> None:
    """Only its first write arrived."""
    claim = table.parts.inbox.claim_scope(table.scope.key)
    assert claim
    writer = table.parts.store.writer(table.scope, replace(HELD, fence=claim.fence))
    writer.prepare()
    writer.put_run(runs.opened(plan))
    table.parts.inbox.release(claim)


def test_a_run_that_is_half_done_is_seen_by_a_dry_run_and_finished_before_an_undo(
    table: Desk,
) -> None:
    hear(table, OSLO, 1)
    moved = hear(table, BERGEN, 2)
    plan = planned(table.parts.store, table.scope, moved.id, LATER)
    half_done(table, plan)

    assert [run.id for run in unfinished(table.parts.store, table.scope)] == [plan.run]
    with pytest.raises(Unprocessable, match="is half done"):
        undo(table.parts, table.scope, plan.run, LATER, dry_run=True)
    with pytest.raises(Unprocessable, match="was undone already"):
        undo(table.parts, table.scope, moved.id, LATER)
    assert set(table.live()) == {OSLO}
    assert unfinished(table.parts.store, table.scope) == []


def undo_it(table: Desk, run: UUID) -> None:
    undo(table.parts, table.scope, run, LATER)


def undo_unless_done(table: Desk, run: UUID) -> None:
    """As a person would who does not know how far it came."""
    if state_of(table, run) != "undone":
        undo(table.parts, table.scope, run, LATER)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("part", ["store", "inbox"])
def test_a_crash_between_any_two_calls_leaves_it_undone_or_as_it_was(
    table: Desk, redis_client: Redis, part: str, after: bool
) -> None:
    before, nth, crashed = dict[UUID, Any](), 1, True
    while crashed:
        moved = _story(table, nth)
        before = contents(table.parts.store, table.scope)
        run = moved.id
        crashed = crashes(table, part, nth, partial(undo_it, table, run), after=after)
        expire(redis_client, table.scope)
        with holding(table.parts, table.scope, LATER):
            "whoever comes next finishes it, or finds that nothing was begun"
        is_undone = state_of(table, run) == "undone"
        assert (contents(table.parts.store, table.scope) == before) != is_undone
        assert table.parts.store.open_runs(table.scope) == []
        undo_unless_done(table, run)
        assert set(table.live()) == {OSLO}
        assert hear(table, BERGEN, 2).turn_ids == moved.turn_ids
        nth += 1
    assert nth > (6 if part == "store" else 2)


def _story(table: Desk, nth: int) -> Run:
    """In a scope of its own."""
    table.scope = Scope(app=f"{table.scope.app.partition('/')[0]}/{nth}", user="ann")
    hear(table, OSLO, 1)
    return hear(table, BERGEN, 2)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_crash_while_an_undo_is_undone_is_finished_too(
    table: Desk, redis_client: Redis, after: bool
) -> None:
    nth, crashed = 1, True
    while crashed:
        moved = _story(table, nth)
        back = undo(table.parts, table.scope, moved.id, LATER).run
        crashed = crashes(table, "store", nth, partial(undo_it, table, back), after=after)
        expire(redis_client, table.scope)
        with holding(table.parts, table.scope, LATER):
            "whoever comes next finishes it, or finds that nothing was begun"
        undo_unless_done(table, back)
        assert set(table.live()) == {BERGEN}
        assert (state_of(table, moved.id), state_of(table, back)) == ("applied", "undone")
        nth += 1
    assert nth > 6


def test_when_the_lease_is_lost_mid_way_the_next_holder_finishes_it(
    store: Store, redis_client: Redis, scope: Scope
) -> None:
    table = at_a_table(store, redis_client, scope)
    hear(table, OSLO, 1)
    moved = hear(table, BERGEN, 2)
    inbox = table.parts.inbox

    class Losing:
        """Redis takes the lease away once the run is open."""

        def writer(self, scope: Scope, hold: Any) -> Any:
            real = store.writer(scope, hold)

            class Writer:
                def __getattr__(self, name: str) -> Any:
                    return getattr(real, name)

                def put_archives(self, records: Any) -> None:
                    redis_client.hset(PartitionKeys(0).lease, scope.key, "0")
                    expire(redis_client, scope)
                    claim = inbox.claim_scope(scope.key) or inbox.claim()
                    assert claim
                    store.writer(scope, replace(HELD, fence=claim.fence)).prepare()
                    inbox.release(claim)
                    real.put_archives(records)

            return Writer()

        def __getattr__(self, name: str) -> Any:
            return getattr(store, name)

    broken = replace(table.parts, store=cast("Any", Losing()))
    with pytest.raises(SlowwaveError):
        undo(broken, scope, moved.id, LATER)
    assert state_of(table, moved.id) == "applied"

    with holding(table.parts, scope, LATER):
        assert state_of(table, moved.id) == "undone"
    assert set(table.live()) == {OSLO}


@given(decision=DECISIONS)
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
def test_whatever_a_judgment_came_to_is_undone_exactly(
    store: Store, redis_client: Redis, decision: Decision
) -> None:
    scope = Scope(app=f"test-{uuid4()}", user="ann")
    parts = at_a_table(store, redis_client, scope).parts
    plan, before = moved_to(scope, decision.made, decision.case.candidates)
    with holding(parts, scope, SOON) as held:
        writer = store.writer(scope, held.lease)
        writer.put_memories(before)
        there = contents(store, scope)
        apply(store, plan, held.lease)
    after = contents(store, scope)

    back = undo(parts, scope, plan.run, SOON)
    assert contents(store, scope) == there
    undo(parts, scope, back.run, SOON)
    assert contents(store, scope) == after
    assert plan.run in {run.id for run in store.runs(scope) if run.state == "applied"}
