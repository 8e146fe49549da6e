"""Lines of stdin for an event loop that may stop before stdin ends."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from concurrent.futures import CancelledError
from contextlib import suppress
from threading import Thread
from typing import BinaryIO


class Lines:
    """One at a time, read by a thread that nobody waits for: what blocks in a read cannot be told to stop."""

    def __init__(self) -> None:
        self._loop, self._waiting = asyncio.get_running_loop(), asyncio.Queue[str | None](1)
        Thread(target=self._read, args=(_taken(),), daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self._waiting.get()) is not None:
            yield line

    def _read(self, stream: BinaryIO) -> None:
        # The loop may be gone by the time that a line comes.
        with suppress(RuntimeError, CancelledError):
            for line in stream:
                self._hand_over(line.decode(errors="replace"))
            self._hand_over(None)

    def _hand_over(self, line: str | None) -> None:
        asyncio.run_coroutine_threadsafe(self._waiting.put(line), self._loop).result()


def _taken() -> BinaryIO:
    """Stdin for us alone: whatever else reads it, such as a process that is started, finds its end."""
    own = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    return os.fdopen(own, "rb")
