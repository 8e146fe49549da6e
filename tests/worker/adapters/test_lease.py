"""A lease on a real Redis."""

import time
from collections.abc import Callable

import pytest
from redis import Redis

from producers.producer import Producer
from schemas.keys import PartitionKeys
from schemas.limits import Limits
from schemas.scope import Scope
from tests.redis_service import RedisServer
from worker.adapters.inbox import Claim, Inbox
from worker.adapters.lease import Lease
from worker.adapters.redis_server import connect
from worker.errors import LeaseLost, Misconfigured, Unavailable

KEY = Scope(app="acme", user="alice").key
SHARED = PartitionKeys(0)


def claimed(client: Redis, lease_seconds: float) -> tuple[Inbox, Claim]:
    """A scope with one turn, in the hands of a worker."""
    inbox = Inbox(client, lease_seconds=lease_seconds)
    inbox.configure(Limits(quiet_seconds=0))
    Producer(client).publish({"app": "acme", "user": "alice", "role": "user", "text": "a"})
    claim = inbox.claim()
    assert claim is not None
    return inbox, claim


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_lease_is_renewed_while_the_work_goes_on(redis_client: Redis) -> None:
    inbox, claim = claimed(redis_client, 3)
    with Lease(inbox, claim) as lease:
        assert redis_client.zadd(SHARED.busy, {KEY: 1}, xx=True, ch=True) == 1
        eventually(lambda: (redis_client.zscore(SHARED.busy, KEY) or 0) > 1)
        lease.check()


def test_a_lost_lease_is_noticed_at_once(redis_client: Redis) -> None:
    inbox, claim = claimed(redis_client, 60)
    lease = Lease(inbox, claim)
    lease.check()
    redis_client.hset(SHARED.lease, KEY, 99)

    with pytest.raises(LeaseLost, match="ran out"):
        lease.check()


def test_nobody_writes_while_redis_cannot_say_whose_the_scope_is(redis_server: RedisServer) -> None:
    with connect(redis_server.url) as client:
        lease = Lease(*claimed(client, 60))
        redis_server.kill()

        with pytest.raises(Unavailable):
            lease.check()


def test_an_answer_that_is_older_than_half_a_lease_is_none(redis_client: Redis) -> None:
    lease = Lease(*claimed(redis_client, 0))

    with pytest.raises(LeaseLost, match="stood still"):
        lease.check()


def test_a_higher_fence_in_the_store_means_a_successor_if_redis_knows_one(
    redis_client: Redis,
) -> None:
    inbox, claim = claimed(redis_client, 60)
    redis_client.hset(SHARED.lease, KEY, claim.fence + 1)

    with pytest.raises(LeaseLost, match="ran out"):
        Lease(inbox, claim).overtaken(claim.fence + 1)


def test_a_higher_fence_in_the_store_means_that_redis_went_back_if_it_knows_none(
    redis_client: Redis,
) -> None:
    lease = Lease(*claimed(redis_client, 60))

    with pytest.raises(Misconfigured) as raised:
        lease.overtaken(lease.fence + 7)

    assert f"`redis-cli SET {SHARED.fence} {lease.fence + 7}`" in str(raised.value)
