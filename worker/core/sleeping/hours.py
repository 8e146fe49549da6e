"""When a scope that is due may sleep: not among its turns, and not while its people are about."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo

_HOURS = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)", re.ASCII)


@dataclass(frozen=True)
class Hours:
    """From `begin` until just before `end` by a wall clock; over midnight where `end` is earlier."""

    begin: time
    end: time

    def hold(self, local: datetime) -> bool:
        """Whether this moment, given in the zone that they are meant in, is among them."""
        at = local.time()
        if self.begin < self.end:
            return self.begin <= at < self.end
        return at >= self.begin or at < self.end


def hours_of(text: str) -> Hours:
    """Hours written as `22:00-06:00`. Raises `ValueError` for anything else."""
    if not (found := _HOURS.fullmatch(text.strip())):
        raise ValueError("write the hours as HH:MM-HH:MM, such as 22:00-06:00")
    first, second, third, fourth = map(int, found.groups())
    hours = Hours(time(first, second), time(third, fourth))
    if hours.begin == hours.end:
        raise ValueError("begin and end are the same: leave it unset for all day")
    return hours


@dataclass(frozen=True)
class Habits:
    """When the people of a scope leave it alone."""

    #: Since the last turn.
    quiet: timedelta
    #: Null for all day.
    hours: Hours | None = None
    zone: tzinfo = UTC
    #: Since a change was made, the longest that a night waits for quiet; null: as long as it takes.
    longest: timedelta | None = None


def may_sleep_from(
    now: datetime,
    last_turn_at: datetime | None,
    habits: Habits,
    changed_at: datetime | None = None,
) -> datetime:
    """The first moment that suits: `now` itself where it does.

    A last turn that seems to be of the future (a clock jumped) was just now. `changed_at` is when the oldest change was
    made that no night has looked at.
    """
    start = now
    if last_turn_at is not None:
        start = min(last_turn_at, now) + habits.quiet
    if changed_at is not None and habits.longest is not None:
        start = min(start, changed_at + habits.longest)
    return _opening(max(now, start), habits)


def _opening(start: datetime, habits: Habits) -> datetime:
    hours, zone = habits.hours, habits.zone
    if hours is None or hours.hold(start.astimezone(zone)):
        return start
    today = start.astimezone(zone).date()
    # Where clocks go back the begin comes twice; where they go forward it may not come, and the hours may be left out.
    begins = (
        datetime.combine(today + timedelta(days=day), hours.begin, zone).replace(fold=fold)
        for day in range(4)
        for fold in (0, 1)
    )
    moments = [begin.astimezone(UTC) for begin in begins]
    return min(one for one in moments if one > start and hours.hold(one.astimezone(zone)))
