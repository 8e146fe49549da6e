"""A server's circuit breaker, shared by the threads of a process.

None of a library: pybreaker holds its lock while a call runs, so that calls would go one by one, and its rests do not
grow.
"""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from worker.adapters.stores.weaviate_errors import NoTenant, resting
from worker.core.failing.circuit import Circuit, seconds_left, sent, unanswered, undecided
from worker.errors import SlowwaveError, Unavailable, Unprocessable

T = TypeVar("T")


class CircuitBreaker:
    """`clock` is an argument, so that no test waits."""

    def __init__(self, server: object, clock: Callable[[], float] = time.monotonic) -> None:
        self._server = server
        self._clock = clock
        self._lock = threading.Lock()
        self._circuit = Circuit()

    def call(self, work: Callable[[], T]) -> T:
        """Raises `Unavailable` at once while the server rests, or what `work` raises."""
        was_probe = self._begin()
        try:
            result = work()
        except BaseException as error:
            self._note(error, was_probe=was_probe)
            raise
        self._answered()
        return result

    def _begin(self) -> bool:
        with self._lock:
            if seconds := seconds_left(self._circuit, self._clock()):
                raise resting(self._server, seconds)
            self._circuit = sent(self._circuit)
            return self._circuit.is_probed

    def _note(self, error: BaseException, *, was_probe: bool) -> None:
        if is_silence(error):
            with self._lock:
                self._circuit = unanswered(self._circuit, self._clock(), was_probe=was_probe)
        elif is_answer(error):
            self._answered()
        else:
            with self._lock:
                self._circuit = undecided(self._circuit, was_probe=was_probe)

    def _answered(self) -> None:
        with self._lock:
            self._circuit = Circuit()


def is_silence(error: BaseException) -> bool:
    """Nothing came back; what one text may be the reason of says nothing about the server."""
    return isinstance(error, Unavailable) and error.part == "store" and not error.may_be_text


def is_answer(error: BaseException) -> bool:
    """Not what stopped a call before it was sent, such as a lost lease."""
    return isinstance(error, NoTenant | Unprocessable) or (
        isinstance(error, SlowwaveError) and error.part == "store"
    )
