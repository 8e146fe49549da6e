"""The Redis behind the queue: how it is reached, and what its errors mean."""

from collections.abc import Iterator
from contextlib import contextmanager

from redis import Redis
from redis.exceptions import (
    AuthenticationError,
    NoPermissionError,
    OutOfMemoryError,
    RedisClusterException,
    RedisError,
)

from producers.clients import client
from schemas.redis_address import RedisAddress, redis_address
from worker.errors import Misconfigured, Unavailable

_TIMEOUT_SECONDS = 5.0
#: What a server says of a script whose user may not do what stands in it.
_NO_RIGHT = "ACL failure in script"


def connect(
    url: str, setting: str = "SLOWWAVE_REDIS_URL", timeout_seconds: float = _TIMEOUT_SECONDS
) -> Redis:
    """A client for workers. Nothing is retried here: the story of a batch knows what may be.

    Raises `Misconfigured` as `check_url`, and `Unavailable` for a cluster that is not there.
    """
    address = check_url(setting, url)
    with reachable():
        return client(address, timeout_seconds)


def check_url(setting: str, url: str) -> RedisAddress:
    """Raises `Misconfigured` for what is no address of a Redis; it is not repeated, it may hold a password."""
    try:
        return redis_address(url)
    except ValueError as error:
        raise Misconfigured(
            f"{setting} is no address of a Redis ({error}): write redis://HOST:PORT/0"
        ) from error


@contextmanager
def reachable() -> Iterator[None]:
    """Errors of redis-py become `Misconfigured` or `Unavailable`."""
    try:
        yield
    except (AuthenticationError, NoPermissionError) as error:
        raise Misconfigured(
            f"Redis refuses us ({error}): check user and password in SLOWWAVE_REDIS_URL"
        ) from error
    except OutOfMemoryError as error:
        raise Unavailable(FULL) from error
    except (RedisError, RedisClusterException) as error:
        if str(error).startswith(_NO_RIGHT):
            raise Misconfigured(
                f"Redis does not let our user do what our scripts do ({error}): give it the rights of docs/redis.md"
            ) from error
        raise Unavailable(
            f"Redis does not answer as it should ({type(error).__name__}: {error}):"
            " see that it runs and that SLOWWAVE_REDIS_URL names it"
        ) from error


#: Working off needs no memory that Redis would refuse, Celery's messages do.
FULL = (
    "Redis is full (it has reached its maxmemory) and takes nothing new, Celery's messages neither:"
    " empty it with `slowwave drain --all`, which needs none, or raise its maxmemory"
)
