"""Doorbells go out through the broker, and without it."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from celery.exceptions import OperationalError
from redis import Redis
from redis.exceptions import OutOfMemoryError
from structlog.testing import capture_logs

from schemas.scope import Scope
from tests.desk import Desk, desk
from tests.similarity import GivenSimilarities
from worker import pump
from worker.core.ports import Store
from worker.errors import Unavailable
from worker.pump import DRAIN, ring, send
from worker.tasks import drain


@dataclass
class Broker:
    """Takes messages, or refuses them."""

    refusal: Exception | None = None
    sent: list[str] = field(default_factory=list)

    def send_task(self, name: str, *, args: tuple[str], expires: float) -> None:
        assert (name, expires > 0) == ("slowwave.drain", True)
        if self.refusal:
            raise self.refusal
        self.sent += args


@dataclass
class Pool:
    """Keeps what it is given to do."""

    given: list[tuple[Any, ...]] = field(default_factory=list)

    def apply_async(self, target: Any, args: tuple[str], callback: Any) -> None:
        callback(None)
        self.given.append((target, args))


def test_a_bell_goes_through_the_broker() -> None:
    broker, pool = Broker(), Pool()

    send(broker, pool, "bell", DRAIN)

    assert (broker.sent, pool.given) == (["bell"], [])


@pytest.mark.parametrize("refusal", [OutOfMemoryError("maxmemory"), OperationalError("gone")])
def test_a_broker_that_is_full_does_not_keep_the_queue_from_being_emptied(
    refusal: Exception,
) -> None:
    pool = Pool()

    send(Broker(refusal), pool, "bell", DRAIN)

    assert pool.given == [(drain, ("bell",))]


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (GivenSimilarities().fingerprint, GivenSimilarities().dimensions)


@pytest.fixture
def table(
    sqlite_store: Store, redis_client: Redis, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> Desk:
    """Three scopes are due."""
    made = desk(sqlite_store, redis_client, scope, GivenSimilarities())
    for user in "abc":
        made.scope = Scope(app=scope.app, user=user)
        made.say("fine", "2026-01-01T10:00:00Z")
    made.parts.inbox.flush()
    monkeypatch.setattr(pump, "serving_parts", lambda: made.parts)
    return made


def test_a_bell_rings_for_each_scope_that_is_due(table: Desk) -> None:
    assert len(ring()) == 3


def test_no_bell_rings_while_a_part_rests_and_then_one_for_the_probe(table: Desk) -> None:
    breaker, claim = table.parts.breaker, table.claim()
    breaker.rest("store", breaker.failed("store", claim), 60)
    table.parts.inbox.fail(claim, 0, burn=False)

    assert ring() == []
    breaker.let_go(breaker.ask(at_once=True))
    assert len(ring()) == 1


def test_putting_to_rest_is_left_to_a_thread_of_the_pool() -> None:
    """The timer's thread must not wait for a store."""
    pool = Pool()

    pump.delegate(pool, pump.put_away)

    assert pool.given == [(pump.put_away, ())]


class Tired:
    """A store that is asked to rest."""

    def __init__(self, answer: int | Exception) -> None:
        self.answer = answer

    def rest(self) -> int:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    "answer, events",
    [
        (0, []),
        (3, [{"event": "scopes_rest", "scopes": 3, "log_level": "info"}]),
        (
            Unavailable("out of reach"),
            [
                {
                    "event": "store_does_not_rest",
                    "reason": "out of reach",
                    "log_level": "warning",
                }
            ],
        ),
    ],
)
def test_a_store_that_cannot_rest_stops_no_worker(
    table: Desk, monkeypatch: pytest.MonkeyPatch, answer: int | Exception, events: list[object]
) -> None:
    tired = replace(table.parts, store=Tired(answer))  # type: ignore[arg-type] # it only rests
    monkeypatch.setattr(pump, "serving_parts", lambda: tired)

    with capture_logs() as logs:
        pump.put_away()

    assert logs == events
