"""Doorbells go out through the broker, and without it."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from celery.exceptions import OperationalError
from redis import Redis
from redis.exceptions import OutOfMemoryError

from schemas.scope import Scope
from tests.desk import Desk, desk
from tests.similarity import GivenSimilarities
from worker import pump
from worker.core.ports import Store
from worker.pump import ring, send
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

    send(broker, pool, "bell")

    assert (broker.sent, pool.given) == (["bell"], [])


@pytest.mark.parametrize("refusal", [OutOfMemoryError("maxmemory"), OperationalError("gone")])
def test_a_broker_that_is_full_does_not_keep_the_queue_from_being_emptied(
    refusal: Exception,
) -> None:
    pool = Pool()

    send(Broker(refusal), pool, "bell")

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
