"""What a scope has asked of models today, on a real Redis."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from schemas.keys import ScopeKeys, partition_of
from schemas.scope import Scope
from tests.redis_service import RedisServer
from worker.adapters.redis_server import connect
from worker.adapters.spending import KEPT_SECONDS, Spending
from worker.core.failing.budget import DAY_SECONDS
from worker.errors import Unavailable

ALICE = Scope(app="acme", user="alice").key
BOB = Scope(app="acme", user="bob").key


def key(scope_key: str, partitions: int = 1) -> str:
    return ScopeKeys(partition_of(scope_key, partitions), scope_key).spent


def test_what_was_spent_adds_up_for_each_scope_by_itself(redis_client: Redis) -> None:
    spending = Spending(redis_client)
    spending.add(ALICE, 2, 1_000)
    after = spending.add(ALICE, 1, 500)
    spending.add(BOB, 7, 7)

    spent = spending.spent(ALICE)
    assert (after.calls, after.tokens) == (spent.calls, spent.tokens) == (3, 1_500)
    assert spending.spent(BOB).calls == 7


def test_nothing_spent_is_nothing_written(redis_client: Redis) -> None:
    spending = Spending(redis_client)
    spending.add(ALICE, 0, 0)

    spent = spending.spent(ALICE)
    assert (spent.calls, spent.tokens) == (0, 0)
    assert redis_client.keys() == []


def test_figures_go_away_by_themselves_and_looking_keeps_none_alive(redis_client: Redis) -> None:
    spending = Spending(redis_client)
    spending.add(ALICE, 1, 1)
    assert redis_client.ttl(key(ALICE)) == pytest.approx(KEPT_SECONDS, abs=60)

    redis_client.expire(key(ALICE), 1_000)
    spending.spent(ALICE)
    assert redis_client.ttl(key(ALICE)) <= 1_000


def test_a_new_day_begins_at_nothing(redis_client: Redis) -> None:
    spending = Spending(redis_client)
    spending.add(ALICE, 50, 9_000)
    day = int(redis_client.hget(key(ALICE), "day") or 0)
    redis_client.hset(key(ALICE), "day", str(day - 1))

    assert spending.spent(ALICE).calls == 0
    assert spending.add(ALICE, 1, 10).tokens == 10


def test_the_day_is_that_of_the_redis_server_in_utc(redis_client: Redis) -> None:
    def now() -> int:
        return int(redis_client.time()[0])

    before, spent, after = now(), Spending(redis_client).add(ALICE, 1, 1), now()

    days = {before // DAY_SECONDS, after // DAY_SECONDS}
    assert int(redis_client.hget(key(ALICE), "day") or 0) in days
    assert 0 <= (spent.second - before % DAY_SECONDS) % DAY_SECONDS <= after - before + 1


def test_workers_do_not_lose_what_the_others_spent(redis_client: Redis) -> None:
    spending = Spending(redis_client)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: spending.add(ALICE, 1, 3), range(200)))

    assert spending.spent(ALICE).tokens == 600


def test_the_figures_lie_in_the_partition_of_their_scope(redis_client: Redis) -> None:
    Spending(redis_client, partitions=8).add(ALICE, 1, 1)

    (found,) = redis_client.keys()
    assert found.decode() == key(ALICE, partitions=8)
    assert b"alice" not in found


def test_a_full_redis_still_counts(redis_server: RedisServer) -> None:
    with connect(redis_server.url) as client:
        client.config_set("maxmemory", 1)

        assert Spending(client).add(ALICE, 1, 1).calls == 1


def test_a_redis_that_is_gone_is_unavailable(redis_server: RedisServer) -> None:
    with connect(redis_server.url) as client:
        spending = Spending(client)
        redis_server.kill()

        with pytest.raises(Unavailable, match="SLOWWAVE_REDIS_URL"):
            spending.spent(ALICE)
