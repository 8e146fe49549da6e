"""A lease on a real Redis."""

import time
from collections.abc import Callable

from redis import Redis

from producers.producer import Producer
from schemas.keys import PartitionKeys
from schemas.limits import Limits
from schemas.scope import Scope
from tests.redis_service import RedisServer
from worker.adapters.inbox import Claim, Inbox
from worker.adapters.lease import Lease
from worker.adapters.redis_server import connect
from worker.errors import LeaseLost

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


def refuses(lease: Lease, reason: str) -> bool:
    try:
        lease.check()
    except LeaseLost as error:
        return reason in str(error)
    return False


def test_a_lease_is_renewed_while_the_work_goes_on(redis_client: Redis) -> None:
    inbox, claim = claimed(redis_client, 3)
    with Lease(inbox, claim) as lease:
        assert redis_client.zadd(SHARED.busy, {KEY: 1}, xx=True, ch=True) == 1
        eventually(lambda: (redis_client.zscore(SHARED.busy, KEY) or 0) > 1)
        lease.check()


def test_a_lost_lease_is_noticed(redis_client: Redis) -> None:
    inbox, claim = claimed(redis_client, 3)
    with Lease(inbox, claim) as lease:
        lease.check()
        redis_client.hset(SHARED.lease, KEY, 99)

        eventually(lambda: refuses(lease, "ran out"))


def test_a_lease_that_could_not_be_renewed_is_given_up_in_time(redis_server: RedisServer) -> None:
    with connect(redis_server.url) as client:
        inbox, claim = claimed(client, 0.6)
        with Lease(inbox, claim) as lease:
            redis_server.kill()

            eventually(lambda: refuses(lease, "was not renewed"))
