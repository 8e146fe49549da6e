"""What follows from a failure, on a real queue."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from redis import Redis

from schemas.memory import Fact
from schemas.plan import Plan
from schemas.scope import Scope
from tests.build import fact
from tests.desk import Desk, Says, desk
from tests.similarity import GivenSimilarities
from worker import tasks
from worker.core.heard import Heard
from worker.core.ports import Store
from worker.errors import PlanConflict, SlowwaveError, Unavailable, Unprocessable


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (GivenSimilarities().fingerprint, GivenSimilarities().dimensions)


@pytest.fixture
def table(sqlite_store: Store, redis_client: Redis, scope: Scope) -> Desk:
    return desk(sqlite_store, redis_client, scope, GivenSimilarities())


def failing(table: Desk, error: SlowwaveError, word: str = "bad") -> None:
    """Extraction fails for every batch with this word in it."""

    def facts(heard: Heard) -> Sequence[Fact]:
        if any(word in turn.text for turn in heard.turns):
            raise error
        return tuple(fact(turn.text, turn_ids=(turn.id,)) for turn in heard.turns)

    table.parts = replace(table.parts, extraction=Says(facts))


def work(table: Desk, claims: int = 50) -> int:
    """Settle what can be claimed, at most so many times; how many claims there were."""
    for done in range(claims):
        table.parts.inbox.flush(table.scope.key)
        if tasks.settle_next(table.parts) is None:
            return done
    return claims


def say(table: Desk, *texts: str) -> None:
    for at, text in enumerate(texts):
        table.say(text, f"2026-01-01T10:{at:02}:00Z")


def test_one_bad_turn_ends_alone_with_its_reason_and_the_rest_goes_on(table: Desk) -> None:
    failing(table, Unprocessable("cannot be read"))
    say(table, "a", "b", "bad c", "d", "e")

    work(table)

    assert set(table.live()) == {"a", "b", "d", "e"}
    (parked,) = table.parts.inbox.parked(table.scope.key)
    assert parked.turn is not None
    assert parked.turn.text == "bad c"
    assert parked.reason == "cannot be read"
    assert table.parts.inbox.idle()


def test_a_model_that_is_down_parks_nothing_however_long_it_takes(table: Desk) -> None:
    failing(table, Unavailable("down"))
    say(table, "bad")

    assert work(table, claims=12) == 12

    assert table.parts.inbox.parked(table.scope.key) == []
    assert len(table.parts.inbox.pending(table.scope.key)) == 1


def test_a_turn_that_kills_its_worker_again_and_again_is_parked(table: Desk) -> None:
    def deadly(heard: Heard) -> Sequence[Fact]:
        raise KeyboardInterrupt

    table.parts = replace(table.parts, extraction=Says(deadly))
    table.parts.inbox.lease_seconds = 0.01
    say(table, "a deadly turn")
    deaths = 0
    while not table.parts.inbox.idle():
        try:
            work(table, claims=1)
        except KeyboardInterrupt:
            deaths += 1

    assert deaths == table.parts.settings.max_attempts
    (parked,) = table.parts.inbox.parked(table.scope.key)
    assert "death of the worker" in parked.reason


def test_a_conflict_parks_the_turns_of_the_plan_and_not_those_that_came_since(
    table: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(table, Unprocessable("never"), word="never")
    say(table, "first")
    claim = table.claim()

    def conflict(store: Store, plan: Plan, _: object) -> None:
        store.prepare(plan.scope)
        say(table, "came since")
        raise PlanConflict("moved")

    monkeypatch.setattr("worker.pipeline.apply", conflict)
    tasks.settle(table.parts, claim)

    parked = table.parts.inbox.parked(table.scope.key)
    assert [one.turn.text for one in parked if one.turn] == ["first"]
    assert [turn.text for turn in table.parts.inbox.pending(table.scope.key)] == ["came since"]
