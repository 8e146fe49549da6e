"""Parts that nobody waits for longer than told: late calls are left to their threads, which are few."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from worker.adapters.stores.deadline import DeadlinePool
from worker.core.failing.circuit import Circuit, seconds_left, sent, unanswered, undecided
from worker.errors import SlowwaveError, TooSlow, Unavailable

T = TypeVar("T")

#: Calls of one part that may be under way, given up or not.
THREADS = 16


@dataclass(frozen=True)
class Deadline:
    """A moment of a clock that only goes forward."""

    until: float
    clock: Callable[[], float] = time.monotonic

    @property
    def left(self) -> float:
        """Seconds; never below 0."""
        return max(0.0, self.until - self.clock())


class Timed:
    """One part, safe from any thread. Once so many calls in a row were late, it is left alone for a moment.

    The rest begins at half a second and grows to five while single calls that try it again are late as well. What fails
    at once keeps nobody waiting and puts nothing to rest, but where nobody was there to refuse it.
    """

    def __init__(
        self,
        name: str,
        several: int = 1,
        clock: Callable[[], float] = time.monotonic,
        fair_seconds: float = 0.0,
    ) -> None:
        """A call that was waited for less than `fair_seconds` was given no chance: its lateness puts nothing to rest.

        `clock` is an argument, so that no test waits.
        """
        self._name, self._clock, self._fair = name, clock, fair_seconds
        self._lock = threading.Lock()
        self._circuit = Circuit(several=several)
        self._pool: DeadlinePool[Any] | None = None

    def call(self, work: Callable[[], T], seconds: float) -> T:
        """Raises `TooSlow` for what is late, `Unavailable` at once while the part rests, or what `work` raises."""
        was_probe = self._begin(seconds)
        try:
            result: T = self._run(work, seconds)
        except BaseException as error:
            self._note(error, seconds, was_probe=was_probe)
            raise
        self._answered()
        return result

    def close(self) -> None:
        """Each thread ends after what it is doing now."""
        with self._lock:
            if self._pool is not None:
                self._pool.close()
            self._pool = None

    def _run(self, work: Callable[[], T], seconds: float) -> T:
        with self._lock:
            if self._pool is None:
                self._pool = DeadlinePool(THREADS, f"slowwave-{self._name}")
        try:
            result: T = self._pool.run([work], seconds)[0]
        except TimeoutError as error:
            raise self._late(seconds) from error
        return result

    def _begin(self, seconds: float) -> bool:
        with self._lock:
            if resting := seconds_left(self._circuit, self._clock()):
                raise Unavailable(
                    f"{self._name} gave no answer just now: it is asked again in {resting:.1f} seconds"
                )
            if seconds <= 0:
                raise self._late(seconds)
            self._circuit = sent(self._circuit)
            return self._circuit.is_probed

    def _late(self, seconds: float) -> TooSlow:
        return TooSlow(f"{self._name} did not answer within {seconds:.2f} seconds")

    def _note(self, error: BaseException, seconds: float, *, was_probe: bool) -> None:
        is_hasty = isinstance(error, TooSlow) and seconds < self._fair
        if is_silence(error) and not is_hasty:
            with self._lock:
                self._circuit = unanswered(self._circuit, self._clock(), was_probe=was_probe)
        elif isinstance(error, SlowwaveError) and not is_hasty:
            self._answered()
        else:
            with self._lock:
                self._circuit = undecided(self._circuit, was_probe=was_probe)

    def _answered(self) -> None:
        with self._lock:
            self._circuit = Circuit(several=self._circuit.several)


def is_silence(error: BaseException) -> bool:
    return isinstance(error, TooSlow) or (isinstance(error, Unavailable) and not error.may_be_text)
