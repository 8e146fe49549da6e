"""Leases without a Redis, for tests that write to a store."""

from dataclasses import dataclass
from typing import NoReturn

from worker.errors import LeaseLost


@dataclass(frozen=True)
class Holding:
    """A lease that is never lost of itself."""

    fence: int = 1

    def check(self) -> None:
        pass

    def overtaken(self, fence: int) -> NoReturn:
        raise LeaseLost(f"fence {self.fence} was overtaken by {fence}")


HELD = Holding()
