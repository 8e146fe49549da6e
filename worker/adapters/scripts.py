"""The Lua scripts, and what Redis's errors mean to a worker."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

from redis import Redis
from redis.exceptions import (
    AuthenticationError,
    NoPermissionError,
    RedisClusterException,
    RedisError,
)

from worker.errors import Misconfigured, Unavailable

_NAMES = (
    "claim",
    "commit",
    "fail",
    "flush",
    "flush_all",
    "ready",
    "renew",
    "ring",
    "save_plan",
    "status",
)


@contextmanager
def reachable() -> Iterator[None]:
    """Errors of redis-py become `Misconfigured` or `Unavailable`."""
    try:
        yield
    except (AuthenticationError, NoPermissionError) as error:
        raise Misconfigured(
            f"Redis refuses us ({error}): check user and password in SLOWWAVE_REDIS_URL"
        ) from error
    except (RedisError, RedisClusterException) as error:
        raise Unavailable(
            f"Redis does not answer as it should ({type(error).__name__}: {error}):"
            " see that it runs and that SLOWWAVE_REDIS_URL names it"
        ) from error


class Scripts:
    """Each script is one text file beside; Redis learns it again by itself after a restart."""

    def __init__(self, client: Redis) -> None:
        folder = files("worker").joinpath("adapters", "lua")
        self._scripts = {
            name: client.register_script(folder.joinpath(f"{name}.lua").read_text())
            for name in _NAMES
        }

    def run(self, name: str, keys: Sequence[str], arguments: Sequence[str | int]) -> Any:
        """What the script gives, in bytes and numbers."""
        with reachable():
            return self._scripts[name](keys=keys, args=arguments)
