"""Who sleeps in this process: how many threads, and for whom."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from worker.adapters.abed import Abed
from worker.core.sleeping.again import AT_ONCE
from worker.errors import SlowwaveError
from worker.parts import Parts


def most_asleep(concurrency: int) -> int:
    """Threads of a process that may sleep at once: the others are for batches."""
    return max(1, concurrency // 2)


class Beds:
    """Shared by the threads of a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken = 0
        self._abed: dict[Abed, Parts] = {}

    def has_room(self, most: int) -> bool:
        with self._lock:
            return self._taken < most

    @contextmanager
    def taken(self, most: int) -> Iterator[bool]:
        """Whether there was one."""
        with self._lock:
            found = self._taken < most
            self._taken += found
        try:
            yield found
        finally:
            with self._lock:
                self._taken -= found

    @contextmanager
    def holding(self, these: Parts, abed: Abed) -> Iterator[None]:
        with self._lock:
            self._abed[abed] = these
        try:
            yield
        finally:
            with self._lock:
                self._abed.pop(abed, None)

    def let_go(self) -> None:
        """Others may go on with these nights at once."""
        with self._lock:
            held = dict(self._abed)
        for abed, these in held.items():
            with suppress(SlowwaveError):
                these.inbox.sleepers.end(abed.sleeper, AT_ONCE)
