"""How a Redis is set, looked at on a real one of its own."""

import pytest
from redis.exceptions import (
    AuthenticationError,
    ConnectionError,  # noqa: A004 - redis-py's own
    NoPermissionError,
    OutOfMemoryError,
    RedisError,
    ResponseError,
)

from tests.redis_service import RedisServer
from worker.adapters.redis_server import connect, reachable, risks
from worker.errors import Misconfigured, SlowwaveError, Unavailable


def test_a_redis_that_keeps_what_it_is_given_has_no_risks(redis_server: RedisServer) -> None:
    with connect(redis_server.url) as client:
        assert risks(client) == []


@pytest.mark.parametrize(
    "policy", ["allkeys-lru", "allkeys-random", "volatile-lru", "volatile-ttl"]
)
def test_a_redis_that_may_throw_turns_away_is_refused(
    redis_server: RedisServer, policy: str
) -> None:
    with connect(redis_server.url) as client:
        client.config_set("maxmemory-policy", policy)
        with pytest.raises(Misconfigured, match=rf"{policy}.*set it to noeviction"):
            risks(client)


def test_a_redis_without_an_append_only_file_is_warned_about(redis_server: RedisServer) -> None:
    with connect(redis_server.url) as client:
        client.config_set("appendonly", "no")
        (warning,) = risks(client)

    assert "set appendonly yes" in warning


@pytest.mark.parametrize(("share", "warned"), [(0.5, False), (0.9, True), (2.0, True)])
def test_a_redis_that_is_nearly_full_is_warned_about(
    redis_server: RedisServer, share: float, warned: bool
) -> None:
    with connect(redis_server.url) as client:
        client.config_set("maxmemory", round(client.info("memory")["used_memory"] / share))
        warnings = risks(client)

    assert ["raise maxmemory" in one for one in warnings] == [True] * warned


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (AuthenticationError("wrong"), Misconfigured, "check user and password"),
        (NoPermissionError("no"), Misconfigured, "check user and password"),
        (OutOfMemoryError("command not allowed"), Unavailable, "Redis is full.*slowwave drain"),
        (ConnectionError("refused"), Unavailable, "does not answer.*SLOWWAVE_REDIS_URL"),
        (ResponseError("what?"), Unavailable, "does not answer"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_error_of_redis_says_what_to_do(
    error: RedisError, kind: type[SlowwaveError], said: str
) -> None:
    with pytest.raises(kind, match=said), reachable():
        raise error


@pytest.mark.parametrize(
    "url", ["nonsense", "http://:hunter2@db", "redis://:hunter2@db:port", "redis://db?db=x"]
)
@pytest.mark.parametrize("setting", ["SLOWWAVE_REDIS_URL", "SLOWWAVE_BROKER_URL"])
def test_what_is_no_address_is_refused_by_its_setting_and_not_repeated(
    url: str, setting: str
) -> None:
    with pytest.raises(Misconfigured, match=rf"^{setting} is no address of a Redis") as refused:
        connect(url, setting)

    assert "hunter2" not in str(refused.value)
