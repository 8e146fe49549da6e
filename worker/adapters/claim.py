"""A leased scope."""

from typing import Any

from schemas.base import Frozen
from schemas.keys import PartitionKeys, ScopeKeys
from worker.errors import LeaseLost


class Claim(Frozen):
    """A leased scope. The names behind the key stand in its turns."""

    scope_key: str
    partition: int
    #: Fencing token: grows with every claim, at least to the microseconds since 1970 by Redis's clock.
    fence: int
    #: Claims since the scope's last commit, this one included; a crash counts.
    attempt: int
    #: Turns to take; halved with each failure, doubled with each commit.
    batch_turns: int
    #: Failures in a row that used up no attempt.
    misses: int = 0

    @property
    def own(self) -> ScopeKeys:
        return ScopeKeys(self.partition, self.scope_key)

    @property
    def shared(self) -> PartitionKeys:
        return PartitionKeys(self.partition)

    def fenced(self, done: Any) -> None:
        """Raises `LeaseLost` where a script did nothing because the scope is another's by now."""
        if not done:
            raise LeaseLost(
                f"the lease on scope {self.scope_key} (fence {self.fence}) ran out:"
                " its work goes on elsewhere"
            )
