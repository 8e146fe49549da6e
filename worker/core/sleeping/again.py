"""When a scope is due for sleep: after a change, after a night, after one that came to nothing."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from schemas.memory import Archive, Memory
from schemas.plan import Add, Confirm, Plan, Revise
from worker.core.sleeping.fading import quiet_since
from worker.errors import LeaseLost, Retryable, SlowwaveError

#: Seconds until a night is gone on with that turns have broken off, or that could not begin.
SOON_SECONDS = 60.0
#: Seconds after what no waiting mends by itself, and the longest that a server's hint is followed.
LONG_SECONDS = 3_600.0


@dataclass(frozen=True)
class Bedtime:
    """The earlier of the two; never, where both are null."""

    #: From now on, by the clock of the queue.
    after_seconds: float | None = None
    at: datetime | None = None


NEVER = Bedtime()
AT_ONCE = Bedtime(after_seconds=0)
SOON = Bedtime(after_seconds=SOON_SECONDS)


def after_change(plan: Plan, seconds: float) -> Bedtime:
    """What a plan makes of its scope: due so many seconds later, or when the first thing that it wrote lapses."""
    if not plan.changes:
        return NEVER
    written = (one.record.memory for one in plan.changes if isinstance(one, Add | Confirm | Revise))
    ends = (memory.until for memory in written if memory.until is not None)
    return Bedtime(seconds, min(ends, default=None))


@dataclass(frozen=True)
class Ageing:
    """After how long time alone gives sleep something to do; null: never."""

    #: From when something was forgotten in a conversation until it is removed for good.
    forgotten: timedelta
    #: From when a passing memory was last heard of until it fades.
    fades: timedelta | None = None
    #: For how long earlier versions are kept.
    archives: timedelta | None = None


def after_night(
    live: Iterable[Memory], archives: Iterable[Archive], ageing: Ageing, slept_at: datetime
) -> Bedtime:
    """When something lapses, fades, or is to be removed for good, though nobody changes anything."""
    moments = [*_of_memories(live, ageing), *_of_archives(archives, ageing)]
    # What was due by then and still stands is not sleep's to change.
    return Bedtime(at=min((one for one in moments if one > slept_at), default=None))


def _of_memories(live: Iterable[Memory], ageing: Ageing) -> Iterator[datetime]:
    for memory in live:
        if memory.until is not None:
            yield memory.until
        since = quiet_since(memory) if ageing.fades is not None else None
        if since is not None and ageing.fades is not None:
            yield since + ageing.fades


def _of_archives(archives: Iterable[Archive], ageing: Ageing) -> Iterator[datetime]:
    for archive in archives:
        if archive.reason == "forgotten":
            yield archive.archived_at + ageing.forgotten
        elif ageing.archives is not None:
            yield archive.archived_at + ageing.archives


def after_failure(error: SlowwaveError, luck: float) -> Bedtime:
    """`luck` (0 to 1) spreads the waits; a server's hint is a lower bound."""
    if not isinstance(error, Retryable | LeaseLost):
        return Bedtime(after_seconds=LONG_SECONDS)
    hint = error.after_seconds if isinstance(error, Retryable) else None
    wait = SOON_SECONDS * (1 + luck)
    return Bedtime(after_seconds=max(wait, min(hint or 0.0, LONG_SECONDS)))
