"""The Redis behind the queue: how it is reached, what its errors mean, and whether it is set right."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from redis import Redis
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.exceptions import (
    AuthenticationError,
    NoPermissionError,
    OutOfMemoryError,
    RedisClusterException,
    RedisError,
)
from redis.retry import Retry

from worker.errors import Misconfigured, Unavailable

#: Share of its memory limit from which a Redis counts as nearly full.
NEARLY_FULL = 0.8

_OLDEST_SERVER = (7, 0)
_TIMEOUT_SECONDS = 5.0
_MEGABYTE = 1_000_000


def connect(url: str, setting: str = "SLOWWAVE_REDIS_URL") -> Redis:
    """A client for workers. Nothing is retried here: the story of a batch knows what may be.

    Raises `Misconfigured` as `check_url`.
    """
    check_url(setting, url)
    return Redis.from_url(
        url,
        retry=Retry(NoBackoff(), 0),
        socket_timeout=_TIMEOUT_SECONDS,
        socket_connect_timeout=_TIMEOUT_SECONDS,
    )


def check_url(setting: str, url: str) -> None:
    """Raises `Misconfigured` for what is no address of a Redis; it is not repeated, it may hold a password."""
    try:
        parse_url(url)  # type: ignore[no-untyped-call] # redis has none here
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
        raise Unavailable(
            f"Redis does not answer as it should ({type(error).__name__}: {error}):"
            " see that it runs and that SLOWWAVE_REDIS_URL names it"
        ) from error


#: Working off needs no memory that Redis would refuse, Celery's messages do.
FULL = (
    "Redis is full (it has reached its maxmemory) and takes nothing new, Celery's messages neither:"
    " empty it with `slowwave drain --all`, which needs none, or raise its maxmemory"
)


def risks(client: Redis) -> list[str]:
    """Warnings, each `what: what to do`.

    Raises `Misconfigured` where Redis would lose turns or cannot run our scripts, and as `reachable`.
    """
    with reachable():
        server = client.info("server")
        memory = client.info("memory")
        persistence = client.info("persistence")
    _refuse_old(str(server["redis_version"]))
    _refuse_forgetful(str(memory.get("maxmemory_policy", "unknown")))
    found = [] if persistence.get("aof_enabled") else [_WITHOUT_FILE]
    return found + _nearly_full(memory)


_WITHOUT_FILE = "Redis has no append-only file: a restart loses turns; set appendonly yes"


def _refuse_old(version: str) -> None:
    if tuple(map(int, version.split(".")[:2])) < _OLDEST_SERVER:
        raise Misconfigured(f"Redis is {version}: slowwave needs Redis 7.0 or Valkey 7.2 at least")


def _refuse_forgetful(policy: str) -> None:
    if policy != "noeviction":
        raise Misconfigured(
            f"Redis has maxmemory-policy {policy}, which throws turns away when memory is short:"
            " set it to noeviction"
        )


def _nearly_full(memory: Mapping[str, int]) -> list[str]:
    used, most = memory.get("used_memory", 0), memory.get("maxmemory", 0)
    if not most or used < most * NEARLY_FULL:
        return []
    warning = (
        f"Redis uses {used / _MEGABYTE:.1f} of {most / _MEGABYTE:.1f} MB, {used / most:.0%} of its"
        " maxmemory: when full it takes neither turns nor doorbells; run more workers, empty it with"
        " `slowwave drain --all`, or raise maxmemory"
    )
    return [warning]
