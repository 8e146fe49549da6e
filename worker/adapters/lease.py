"""A claim that is kept alive while its batch is worked on."""

import time
from typing import NoReturn

from schemas.keys import PartitionKeys
from worker.adapters.inbox import Claim, Inbox
from worker.adapters.renewing import Renewing
from worker.errors import LeaseLost, Misconfigured


class Lease(Renewing):
    """Keeps a claim alive from a thread while it is entered; stores ask it before they write."""

    def __init__(self, inbox: Inbox, claim: Claim) -> None:
        super().__init__(inbox.lease_seconds, "lease")
        self._inbox = inbox
        self._claim = claim

    @property
    def claim(self) -> Claim:
        return self._claim

    @property
    def fence(self) -> int:
        return self._claim.fence

    def check(self) -> None:
        """Renew it. Raises `LeaseLost` if it is another's or the answer is older than half a lease; `Unavailable`.

        Redis is asked, and no clock of this machine alone: one that was suspended as a whole may not know how long.
        """
        asked_at = time.monotonic()
        self._inbox.renew(self._claim)
        age = time.monotonic() - asked_at
        if age > self._inbox.lease_seconds / 2:
            raise LeaseLost(
                f"this process stood still for {age:.1f} s while it renewed the lease on scope"
                f" {self._claim.scope_key}: its work goes on elsewhere"
            )

    def overtaken(self, fence: int) -> NoReturn:
        """Raises `LeaseLost`, or `Misconfigured` where Redis knows of no later claim than this one."""
        self.check()
        raise Misconfigured(
            f"scope {self._claim.scope_key} was written under fence {fence}, and Redis gave out {self.fence} after it:"
            " it has lost its data while its clock was behind. Nothing was written; the scope waits until that clock"
            f" has caught up, or until `redis-cli SET {PartitionKeys(self._claim.partition).fence} {fence}`"
        )

    def _is_renewed(self) -> bool:
        try:
            self._inbox.renew(self._claim)
        except LeaseLost:
            return False  # `check` will find the same
        return True
