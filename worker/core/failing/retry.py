"""What follows from a failure: again later, or aside."""

from dataclasses import dataclass

from worker.errors import (
    Misconfigured,
    OverBudget,
    PlanConflict,
    Retryable,
    SlowwaveError,
    TooSlow,
    Unavailable,
)

#: First wait after a failure, and the longest, in seconds.
FIRST_SECONDS = 1.0
LONGEST_SECONDS = 300.0
#: Attempts' worth of back-off where none is used up: 64 s, so that the end of an outage is noticed soon.
LONGEST_MISSES = 7
#: A server that asks for a longer wait is asked again after this; so a budget that was raised is noticed.
LONGEST_HINT_SECONDS = 3_600.0


@dataclass(frozen=True)
class Decision:
    """Either `park`, or wait `after_seconds`; `burn` says whether it counts as an attempt."""

    park: bool = False
    after_seconds: float = 0.0
    burn: bool = True
    #: The next attempt is half as large though this one does not count.
    halve: bool = False


@dataclass(frozen=True)
class Stake:
    """What stands or falls with an attempt: so many turns, pinned to each other by a kept plan or not."""

    turns: int
    has_plan: bool = False
    #: What failed served others meanwhile (`worker.core.failing.breaker`).
    failed_alone: bool = False
    #: Failures in a row before this one that used up no attempt.
    misses: int = 0

    @property
    def is_whole(self) -> bool:
        """It cannot be made smaller."""
        return self.has_plan or self.turns <= 1


def decide(
    error: SlowwaveError, attempt: int, stake: Stake, max_attempts: int, luck: float
) -> Decision:
    """`attempt` counts this one, `stake.misses` those before that did not count; `luck` (0 to 1) spreads the waits.

    Back-off is exponential with jitter (M. Brooker, "Exponential Backoff And Jitter", AWS, 2015), never under the
    server's own hint. What can be made smaller is not parked: its next attempt is half as large.
    """
    if isinstance(error, PlanConflict):
        return Decision(park=True)
    if _may_be_everyones(error) and not stake.failed_alone:
        longest = min(3 + stake.misses, LONGEST_MISSES)
        halve = isinstance(error, TooSlow) and not stake.is_whole
        return Decision(after_seconds=_wait(error, longest, luck), burn=False, halve=halve)
    if stake.is_whole and attempt >= max_attempts:
        return Decision(park=True)
    if isinstance(error, Retryable | Misconfigured):
        return Decision(after_seconds=_wait(error, attempt, luck))
    return Decision(park=True) if stake.is_whole else Decision()


def _may_be_everyones(error: SlowwaveError) -> bool:
    return isinstance(error, Unavailable | Misconfigured | OverBudget) or error.part is not None


def _wait(error: SlowwaveError, attempt: int, luck: float) -> float:
    backoff = min(LONGEST_SECONDS, FIRST_SECONDS * 2.0 ** min(attempt - 1, 60)) * (0.5 + luck / 2)
    hint = error.after_seconds if isinstance(error, Retryable) else None
    return max(backoff, min(hint, LONGEST_HINT_SECONDS) if hint else 0.0)
