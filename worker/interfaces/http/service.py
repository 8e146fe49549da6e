"""What the routes need from the house: made once per server, opened when first asked for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ParamSpec, TypeVar, cast

from producers.clients import async_client
from producers.producer import AsyncProducer
from schemas.redis_address import redis_address
from worker import wiring
from worker.adapters.api_keys import AsyncHash, Keyring
from worker.interfaces.blocking import Blocking
from worker.interfaces.http.limits import Rate
from worker.parts import Parts
from worker.recaller import Recaller
from worker.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")

#: Seconds that one call of Redis may take.
TIMEOUT_SECONDS = 5.0


@dataclass
class Service:
    """Belongs to one event loop. What blocks runs in threads of its own, so many at once as the settings allow."""

    settings: Settings
    producer: AsyncProducer
    keyring: Keyring
    recaller: Recaller
    #: The asynchronous Redis client, for streams of events.
    redis: Any
    #: Opens store, model and embedder; raises `Unavailable` or `Misconfigured`.
    open_parts: Callable[[], Parts] = wiring.parts
    blocking: Blocking = field(init=False)
    rate: Rate = field(init=False)

    def __post_init__(self) -> None:
        self.rate = Rate(self.settings.http_rate_per_minute)
        self.blocking = Blocking(self.settings.http_threads, "slowwave-http")

    @classmethod
    def of(cls, settings: Settings) -> "Service":
        """On the settings' Redis, or the embedded one. Raises `Misconfigured`."""
        url = wiring.redis_url(settings)
        redis = async_client(redis_address(url), TIMEOUT_SECONDS)
        return cls(
            settings,
            AsyncProducer(redis),
            Keyring(cast("AsyncHash", redis)),
            Recaller(settings),
            redis,
        )

    async def run(self, work: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
        """In a thread of ours. A caller that goes away does not undo what is under way."""
        return await self.blocking.run(work, *arguments, **options)

    async def with_parts(self, work: Callable[[Parts], T]) -> T:
        """The same, for what needs store, model or queue."""
        return await self.blocking.with_parts(self.open_parts, work)

    @staticmethod
    def now() -> datetime:
        return datetime.now(UTC)

    async def close(self) -> None:
        self.blocking.close()
        self.recaller.close()
        await self.redis.aclose()
