"""A scope in hand, also out of another's."""

from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest
from redis import Redis

from schemas.keys import PartitionKeys
from schemas.memory import Counters, MemoryRecord
from schemas.plan import Confirm, Plan
from schemas.scope import Scope
from tests.build import fact, memory, uid
from tests.desk import Desk, Says, desk
from tests.fragile import Fragile, Killed
from tests.similarity import GivenSimilarities
from worker.core.planning.kept import Kept
from worker.core.ports import Store
from worker.direct import holding as holding_module
from worker.direct.holding import holding, seized
from worker.errors import LeaseLost, Retryable
from worker.pipeline import consolidate

NOTHING_ALIKE = GivenSimilarities({})


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (NOTHING_ALIKE.fingerprint, NOTHING_ALIKE.dimensions)


@dataclass
class Clock:
    """Time that passes only in sleep."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(holding_module, "time", made)
    return made


@pytest.fixture
def table(sqlite_store: Store, redis_client: Redis, scope: Scope) -> Desk:
    made = desk(sqlite_store, redis_client, scope, NOTHING_ALIKE)
    every_turn = Says(lambda heard: [fact(one.text, turn_ids=(one.id,)) for one in heard.turns])
    made.parts = replace(made.parts, extraction=every_turn)
    made.say("I live in Oslo", "2026-01-01T10:00:00Z")
    return made


def test_a_scope_that_a_worker_holds_is_waited_for_and_then_left_alone(
    table: Desk, clock: Clock
) -> None:
    held = table.claim()
    with (
        pytest.raises(Retryable, match="a worker holds"),
        holding(table.parts, table.scope, table.now),
    ):
        pass

    assert sum(clock.slept) == pytest.approx(holding_module.WAIT_SECONDS, abs=0.1)
    table.parts.inbox.commit(held, 1, 1)


def test_a_seized_scope_is_in_hand_once_no_store_call_of_its_former_holder_is_under_way(
    table: Desk, clock: Clock
) -> None:
    former = table.claim()
    with holding(table.parts, table.scope, table.now, seize=True) as held:
        assert held.claim.fence > former.fence
        with pytest.raises(LeaseLost):
            consolidate(table.parts, former, table.now)
        assert table.live() == {}

    assert clock.slept == [pytest.approx(table.parts.settings.lease_seconds / 3)]
    table.settle()
    assert set(table.live()) == {"I live in Oslo"}


def test_a_free_scope_is_seized_at_once(table: Desk, clock: Clock) -> None:
    with holding(table.parts, table.scope, table.now, seize=True):
        pass

    assert clock.slept == []
    table.settle()
    assert set(table.live()) == {"I live in Oslo"}


def test_what_the_former_holder_had_decided_on_is_finished_first(
    table: Desk, clock: Clock, redis_client: Redis
) -> None:
    claim, nth = table.claim(), 1
    while table.parts.inbox.kept_plan(claim) is None:
        fragile = cast("Any", Fragile(table.parts.store, nth, after=False))
        with pytest.raises(Killed):
            consolidate(replace(table.parts, store=fragile), claim, table.now)
        nth += 1
    with holding(table.parts, table.scope, table.now, seize=True) as held:
        assert set(table.live()) == {"I live in Oslo"}
        assert table.parts.inbox.kept_plan(held.claim) is None

    assert table.parts.inbox.idle()
    assert not redis_client.exists(PartitionKeys(0).attempts)


def test_who_is_stopped_while_it_waits_lets_go(
    table: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    clock = Clock()
    monkeypatch.setattr(clock, "sleep", interrupted)
    monkeypatch.setattr(holding_module, "time", clock)
    table.claim()
    with pytest.raises(KeyboardInterrupt):
        seized(table.parts, table.scope.key)

    assert table.parts.inbox.claim_scope(table.scope.key) is not None


@pytest.mark.parametrize("seize", [False, True])
def test_a_plan_that_cannot_be_finished_is_put_aside_and_blocks_no_direct_act(
    table: Desk, seize: bool
) -> None:
    """It was decided on a memory that is not there any more."""
    claim = table.claim()
    (turn,) = table.parts.inbox.turns(claim)
    gone = memory("Lives in Turku", scope=table.scope)
    change = Confirm(
        record=MemoryRecord(memory=gone, vector=NOTHING_ALIKE.embed([gone.text])[0]),
        prior=Counters(
            **{name: getattr(gone, name) for name in Counters.model_fields if name != "v"}
        ),
        relation="same",
    )
    plan = Plan(
        run=uid("conflict"),
        kind="batch",
        scope=table.scope,
        turn_ids=(turn.id,),
        base={gone.id: 1},
        changes=(change,),
        planned_at=table.now,
    )
    table.parts.inbox.keep_plan(claim, Kept(count=1, plan=plan).model_dump_json())
    table.parts.inbox.release(claim)
    with holding(table.parts, table.scope, table.now, seize=seize) as held:
        assert table.parts.inbox.kept_plan(held.claim) is None

    assert [run.state for run in table.runs()] == ["parked"]
    assert [one.turn for one in table.parts.inbox.parked(table.scope.key)] == [turn]
