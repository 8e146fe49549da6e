"""Waiting for an endpoint: a short wait is sat out where the work stands, a long one is handed on.

The waits are few lines and no library's, because they belong to the endpoint: what it asked one call to wait,
all calls of the process wait.
"""

import random
import threading
import time
from collections.abc import Callable, Sequence
from itertools import count

from worker.adapters.model import Chat, Completion, Message
from worker.core.failing.retry import LONGEST_HINT_SECONDS
from worker.core.step import Prompt
from worker.errors import Unavailable

#: First wait of a call that was not told how long to wait; each further one is twice as long.
FIRST_SECONDS = 0.5
#: Calls that waited together start again spread over this.
SPREAD_SECONDS = 0.5


class Pause:
    """Until when an endpoint wants nothing sent; one for each endpoint and process, for all its threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = clock()
        self._lock = threading.Lock()

    def ask_for(self, seconds: float) -> None:
        """Never shortens what was asked for before; at most `LONGEST_HINT_SECONDS` from now."""
        with self._lock:
            self._until = max(self._until, self._clock() + min(seconds, LONGEST_HINT_SECONDS))

    @property
    def left(self) -> float:
        """Seconds; 0 where anybody may send."""
        return max(0.0, self._until - self._clock())


class PatientChat:
    """A chat that is asked again while that takes `seconds` of one call in all, counted from its start.

    Back-off is exponential with jitter (M. Brooker, "Exponential Backoff And Jitter", AWS, 2015). `sleep`, `clock`
    and `luck` (0 to 1) are arguments, so that no test waits.
    """

    def __init__(
        self,
        chat: Chat,
        seconds: float,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        luck: Callable[[], float] = random.random,
    ) -> None:
        self._chat, self._seconds = chat, seconds
        self._sleep, self._clock, self._luck = sleep, clock, luck
        self._pause = Pause(clock)

    def complete(self, prompt: Prompt, messages: Sequence[Message]) -> Completion:
        """One answered call. Raises what the chat raises: `Unavailable` at once where the wait would be too long."""
        until = self._clock() + self._seconds
        self._wait(0, until, None)
        for tries in count():
            try:
                return self._chat.complete(prompt, messages)
            except Unavailable as error:
                if error.after_seconds is not None:
                    self._pause.ask_for(error.after_seconds)
                own = FIRST_SECONDS * 2.0**tries * (0.5 + self._luck() / 2)
                self._wait(own, until, error)
        raise AssertionError("a call returns or raises")

    def _wait(self, own: float, until: float, error: Unavailable | None) -> None:
        """As long as both the call and the endpoint want; others may have been told to wait meanwhile."""
        wait = max(own, self._spread(self._pause.left))
        while wait > 0:
            if self._clock() + wait > until:
                raise error or _told_to_wait(self._pause.left)
            self._sleep(wait)
            wait = self._spread(self._pause.left)

    def _spread(self, seconds: float) -> float:
        return seconds + self._luck() * SPREAD_SECONDS if seconds else 0.0

    def close(self) -> None:
        self._chat.close()


def _told_to_wait(seconds: float) -> Unavailable:
    return Unavailable(
        f"the model's endpoint has asked for nothing to be sent for {seconds:.0f} s more: nothing was",
        seconds,
        part="model",
    )
