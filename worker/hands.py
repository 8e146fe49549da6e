"""The claims that this process works on, to be let go of when it has to end."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from worker.adapters.inbox import Claim, Inbox
from worker.errors import SlowwaveError


class Hands:
    """Shared by the threads of a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[Claim, Inbox] = {}

    @contextmanager
    def holding(self, inbox: Inbox, claim: Claim) -> Iterator[None]:
        with self._lock:
            self._held[claim] = inbox
        try:
            yield
        finally:
            with self._lock:
                self._held.pop(claim, None)

    def let_go(self) -> int:
        """End the leases, so that others go on at once and no attempt is used up; how many there were.

        What their threads still do finds its lease gone before it writes.
        """
        with self._lock:
            held = dict(self._held)
        for claim, inbox in held.items():
            with suppress(SlowwaveError):
                inbox.fail(claim, 0, burn=False)
        return len(held)


#: What this process holds.
HANDS = Hands()
