"""What follows from a failure: again later, or aside."""

from dataclasses import dataclass

from worker.errors import Misconfigured, PlanConflict, Retryable, SlowwaveError, Unavailable

#: First wait after a failure, and the longest, in seconds.
FIRST_SECONDS = 1.0
LONGEST_SECONDS = 300.0


@dataclass(frozen=True)
class Decision:
    """Either `park`, or wait `after_seconds`; `burn` says whether it counts as an attempt."""

    park: bool = False
    after_seconds: float = 0.0
    burn: bool = True


def decide(
    error: SlowwaveError, attempt: int, turns: int, max_attempts: int, luck: float
) -> Decision:
    """`attempt` counts this one; `turns` is the batch's size; `luck` (0 to 1) spreads the waits.

    Back-off is exponential with full jitter (M. Brooker, "Exponential Backoff And Jitter", AWS, 2015), never under
    the server's own hint. A batch of several turns is not parked: its next attempt is half as large.
    """
    if isinstance(error, PlanConflict):
        return Decision(park=True)
    if isinstance(error, Unavailable | Misconfigured):
        return Decision(after_seconds=_wait(error, 3, luck), burn=False)
    if turns <= 1 and attempt >= max_attempts:
        return Decision(park=True)
    if isinstance(error, Retryable):
        return Decision(after_seconds=_wait(error, attempt, luck))
    return Decision(park=True) if turns <= 1 else Decision()


def _wait(error: SlowwaveError, attempt: int, luck: float) -> float:
    backoff = min(LONGEST_SECONDS, FIRST_SECONDS * 2.0 ** (attempt - 1)) * (0.5 + luck / 2)
    hint = error.after_seconds if isinstance(error, Retryable) else None
    return max(backoff, hint or 0.0)
