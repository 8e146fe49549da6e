"""What the tools work on."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol, TypeVar

from worker import wiring
from worker.interfaces.blocking import Blocking
from worker.parts import Parts
from worker.recaller import Recaller
from worker.settings import Settings

T = TypeVar("T")

#: Calls of one client that may be at the store at once.
THREADS = 8


class House(Protocol):
    """The HTTP service is one, `Own` another."""

    @property
    def settings(self) -> Settings: ...

    @property
    def recaller(self) -> Recaller: ...

    async def with_parts(self, work: Callable[[Parts], T]) -> T:
        """Blocking work with store, model and queue, in a thread. Raises `Unavailable` and `Misconfigured`."""
        ...

    def now(self) -> datetime: ...


@dataclass(frozen=True)
class Own:
    """For one client, that started this process."""

    settings: Settings
    recaller: Recaller
    open_parts: Callable[[], Parts] = wiring.parts
    blocking: Blocking = field(default_factory=lambda: Blocking(THREADS, "slowwave-mcp"))

    async def with_parts(self, work: Callable[[Parts], T]) -> T:
        return await self.blocking.with_parts(self.open_parts, work)

    @staticmethod
    def now() -> datetime:
        return datetime.now(UTC)

    def close(self) -> None:
        self.blocking.close()
        self.recaller.close()
