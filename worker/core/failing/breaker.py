"""Whose failure it is when a part fails: everyone's, so that the part rests, or one scope's own.

The rests grow as a circuit breaker's do (M. Nygard, "Release It!", 2007). What is told apart by witnesses instead of
by kinds of errors alone: a server answers with the same status when it is down and when one text breaks it.
"""

from dataclasses import dataclass

#: So many scopes that fail one after the other, while the part serves nobody, put it to rest.
SEVERAL = 3
#: First rest and the longest, in seconds. Each probe that fails doubles it.
FIRST_SECONDS = 5.0
LONGEST_SECONDS = 300.0


@dataclass(frozen=True)
class Failing:
    """One failure of a part, and what the fleet remembers of it. Moments are microseconds by Redis's clock."""

    #: When the scope was claimed for the work that failed.
    claimed_at: int
    failed_at: int
    #: When the part was first seen to serve work begun after the same scope's failure before this one; null
    #: where there was no such failure since the scope was last served, or no such work.
    vouched_at: int | None = None
    #: Different scopes that failed since the part last served anybody, this one included.
    scopes: int = 1
    #: How often the part was put to rest since then, and when it was last.
    rests: int = 0
    rested_at: int = 0


def is_own(failing: Failing) -> bool:
    """The scope failed, then the part served others, then the scope was claimed and failed again.

    No single outage, however long, looks like this.
    """
    return failing.vouched_at is not None and failing.vouched_at < failing.claimed_at


def rest_seconds(failing: Failing) -> float:
    """How long nobody is to claim anything because of it; 0 where all go on as they do.

    What was under way when the part was put to rest is no probe, and prolongs nothing.
    """
    if failing.rests == 0:
        return FIRST_SECONDS if failing.scopes >= SEVERAL else 0.0
    if failing.claimed_at <= failing.rested_at:
        return 0.0
    # An outage of days makes more rests than a float has powers of two.
    return min(LONGEST_SECONDS, FIRST_SECONDS * 2.0 ** min(failing.rests, 60))
