"""Doorbells go out through the broker, and without it."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from celery.exceptions import OperationalError
from redis.exceptions import OutOfMemoryError

from worker.pump import send
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
