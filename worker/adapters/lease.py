"""A claim that is kept alive while its batch is worked on."""

import time
from threading import Event, Thread
from types import TracebackType
from typing import Self

from worker.adapters.inbox import Claim, Inbox
from worker.errors import LeaseLost, Unavailable


class Lease:
    """Keeps a claim alive from a thread while it is entered; asked before every write."""

    def __init__(self, inbox: Inbox, claim: Claim) -> None:
        self._inbox = inbox
        self._claim = claim
        self._renewed_at = time.monotonic()
        self._lost: LeaseLost | None = None
        self._over = Event()
        self._thread = Thread(target=self._keep, name="lease", daemon=True)

    def check(self) -> None:
        """Raises `LeaseLost` if it is lost, or if the last good renewal is older than half a lease."""
        if self._lost:
            raise self._lost
        age = time.monotonic() - self._renewed_at
        if age > self._inbox.lease_seconds / 2:
            raise LeaseLost(
                f"the lease on scope {self._claim.scope_key} was not renewed for {age:.1f} s:"
                " Redis is out of reach or this process stood still"
            )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def _keep(self) -> None:
        while not self._over.wait(self._inbox.lease_seconds / 3):
            asked_at = time.monotonic()
            try:
                self._inbox.renew(self._claim)
                self._renewed_at = asked_at
            except LeaseLost as error:
                self._lost = error
                return
            except Unavailable:
                continue  # `check` notices by the age
