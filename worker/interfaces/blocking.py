"""Work that blocks, asked for by an event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock
from typing import ParamSpec, TypeVar

from worker.parts import Parts

P = ParamSpec("P")
T = TypeVar("T")


class Blocking:
    """Threads of its own, so that no more work is under way at once than there are; the rest waits."""

    def __init__(self, threads: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(threads, name)
        self._opening, self._is_configured = Lock(), False

    async def run(self, work: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
        """A caller that goes away does not undo what is under way."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(work, *arguments, **options))

    async def with_parts(self, opening: Callable[[], Parts], work: Callable[[Parts], T]) -> T:
        """The same, for what needs store, model or queue, which are opened when first asked for."""
        return await self.run(lambda: work(self._opened(opening)))

    def _opened(self, opening: Callable[[], Parts]) -> Parts:
        """Limits that workers have stored stay theirs."""
        with self._opening:
            parts = opening()
            if not self._is_configured:
                parts.inbox.configure(parts.settings.limits, replace=False)
                self._is_configured = True
        return parts

    def close(self) -> None:
        """What is under way is waited for, what waits is not begun."""
        self._threads.shutdown(wait=True, cancel_futures=True)
