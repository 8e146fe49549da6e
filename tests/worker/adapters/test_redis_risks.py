"""How a Redis is set, looked at on a real one of its own."""

from typing import Any

import pytest
from redis import Redis
from redis.exceptions import NoPermissionError, RedisError, ResponseError

from tests.redis_service import RedisServer
from worker.adapters.redis_risks import risks
from worker.adapters.redis_server import connect
from worker.errors import Misconfigured, Unavailable


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


class Managed(Redis):
    """A server that tells of itself what its owner lets it."""

    def __init__(self, told: dict[str, Any] | RedisError) -> None:
        self.told = told

    def info(self, *_sections: Any, **_: Any) -> Any:
        if isinstance(self.told, RedisError):
            raise self.told
        return self.told

    def close(self) -> None:
        """Nothing was opened."""


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (ResponseError("unknown command 'INFO', with args beginning with: 'server'"), "(INFO)"),
        (NoPermissionError("User x has no permissions to run the 'info' command"), "(INFO)"),
        ({"redis_version": "7.2.4", "aof_enabled": 1}, "does not tell its maxmemory-policy"),
        ({"aof_enabled": 1}, "does not tell its maxmemory-policy"),
    ],
    ids=["no such command", "no right", "no policy", "no version"],
)
def test_what_a_managed_server_does_not_tell_is_for_its_owner_to_see(
    told: dict[str, Any] | RedisError, said: str
) -> None:
    (warning,) = risks(Managed(told))

    assert said in warning
    assert "noeviction" in warning.partition(": ")[2]


def test_an_error_that_forbids_nothing_is_no_mere_warning() -> None:
    with pytest.raises(Unavailable, match="out of order"):
        risks(Managed(ResponseError("out of order")))
