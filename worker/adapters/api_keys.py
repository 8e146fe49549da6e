"""API keys in Redis, and read from there by a server."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Protocol, cast

import structlog
from redis import Redis
from redis.exceptions import RedisError

from producers.clients import UNREACHABLE
from schemas.keys import API_KEYS
from worker.adapters.redis_server import reachable
from worker.core.access.api_key import ApiKey, Shown, opens
from worker.core.access.caller import Caller
from worker.errors import Unavailable

log = structlog.get_logger()

#: Seconds after which a key is looked up anew: as long may one that was revoked still open.
FRESH_SECONDS = 1.0
#: Seconds that a look may take: recall has a deadline of its own behind it.
LOOK_SECONDS = 1.0
#: Seconds for which a key that was good stays good while Redis does not answer: recall does without it as well.
STALE_SECONDS = 300.0


@dataclass(frozen=True)
class ApiKeys:
    """Makes and revokes them. Every method raises `Unavailable` where Redis does not answer."""

    redis: Redis

    def add(self, key: ApiKey) -> None:
        with reachable():
            self.redis.hset(API_KEYS, key.id, key.model_dump_json())

    def remove(self, id: str) -> bool:
        """Whether there was one."""
        with reachable():
            return bool(self.redis.hdel(API_KEYS, id))

    def all(self) -> list[ApiKey]:
        """The oldest first."""
        with reachable():
            kept = cast("dict[bytes, bytes]", self.redis.hgetall(API_KEYS))
        keys = [ApiKey.model_validate_json(one) for one in kept.values()]
        return sorted(keys, key=lambda one: (one.created_at, one.id))


class AsyncHash(Protocol):
    """What is asked of an asynchronous Redis client, of one server or of a cluster."""

    def hget(self, name: str, key: str) -> Awaitable[bytes | None]: ...

    def hlen(self, name: str) -> Awaitable[int]: ...


@dataclass(frozen=True)
class _Known:
    value: ApiKey | int | None
    #: When it was so.
    at: float
    #: When it was looked up last, whether or not that succeeded.
    looked: float


@dataclass
class Keyring:
    """Whom a key lets in, looked up at most once a second for each key. Belongs to one event loop."""

    redis: AsyncHash
    now: Callable[[], float] = time.monotonic
    _known: dict[str, _Known] = field(default_factory=dict)

    async def is_empty(self) -> bool:
        """Whether nobody needs a key. Raises `Unavailable`."""
        return not await self._looked("", lambda: self.redis.hlen(API_KEYS))

    async def caller(self, shown: Shown) -> Caller | None:
        """None for a key that opens nothing. Raises `Unavailable` where that cannot be known."""
        kept = cast("ApiKey | None", await self._looked(shown.id, lambda: self._kept(shown.id)))
        return Caller.of(kept) if kept and opens(shown, kept) else None

    async def _kept(self, id: str) -> ApiKey | None:
        found = await self.redis.hget(API_KEYS, id)
        return ApiKey.model_validate_json(found) if found else None

    async def _looked(
        self, id: str, look: Callable[[], Awaitable[ApiKey | int | None]]
    ) -> ApiKey | int | None:
        known, now = self._known.get(id), self.now()
        if known and now - known.looked < FRESH_SECONDS:
            return known.value
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                value = await look()
        except (RedisError, TimeoutError, *UNREACHABLE) as error:
            # What is kept is either a key that was good, or how many keys there were.
            if known and now - known.at < STALE_SECONDS:
                self._known[id] = replace(known, looked=now)
                log.warning("keys_are_not_looked_up", reason=type(error).__name__)
                return known.value
            raise Unavailable("Redis does not answer, so that no key can be looked up") from error
        self._remember(id, _Known(value, now, now))
        return value

    def _remember(self, id: str, known: _Known) -> None:
        """Guessed ids are not kept: nobody can fill the memory with them."""
        if known.value is not None:
            self._known[id] = known
        else:
            self._known.pop(id, None)
