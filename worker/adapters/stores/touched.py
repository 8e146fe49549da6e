"""Which scopes a process has lately worked with."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

from worker.core.failing.resting import untouched

#: Scopes that are remembered; about the others nothing is known.
MOST_KNOWN = 100_000


class Touched:
    """When each tenant was last touched, the longest untouched first; shared by threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = MOST_KNOWN) -> None:
        self._clock = clock
        self._most = most
        self._lock = threading.Lock()
        self._when: OrderedDict[str, float] = OrderedDict()

    def touch(self, key: str) -> None:
        with self._lock:
            self._when[key] = self._clock()
            self._when.move_to_end(key)
            if len(self._when) > self._most:
                self._when.popitem(last=False)

    def untouched(self, seconds: float, most: int) -> dict[str, float]:
        with self._lock:
            return untouched(self._when, self._clock(), seconds, most)

    def forget(self, rested: Mapping[str, float]) -> None:
        """Those that were touched meanwhile are awake again."""
        with self._lock:
            for key, when in rested.items():
                if self._when.get(key) == when:
                    del self._when[key]

    def known(self) -> set[str]:
        with self._lock:
            return set(self._when)
