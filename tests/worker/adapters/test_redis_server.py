"""What becomes of addresses and of the errors of redis-py."""

import pytest
from redis.exceptions import (
    AuthenticationError,
    ConnectionError,  # noqa: A004 - redis-py's own
    NoPermissionError,
    OutOfMemoryError,
    RedisError,
    ResponseError,
)

from worker.adapters.redis_server import connect, reachable
from worker.errors import Misconfigured, SlowwaveError, Unavailable


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
    "url",
    ["nonsense", "http://:hunter2@db", "redis://:hunter2@db:port", "redis+sentinel://:hunter2@db"],
)
@pytest.mark.parametrize("setting", ["SLOWWAVE_REDIS_URL", "SLOWWAVE_BROKER_URL"])
def test_what_is_no_address_is_refused_by_its_setting_and_not_repeated(
    url: str, setting: str
) -> None:
    with pytest.raises(Misconfigured, match=rf"^{setting} is no address of a Redis") as refused:
        connect(url, setting)

    assert "hunter2" not in str(refused.value)
