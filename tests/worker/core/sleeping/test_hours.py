"""When a scope that is due may sleep."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.core.sleeping.hours import Habits, hours_of, may_sleep_from

OSLO = ZoneInfo("Europe/Oslo")
QUIET = timedelta(minutes=15)
NIGHT = hours_of("22:00-06:00")


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def oslo(text: str, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=OSLO, fold=fold).astimezone(UTC)


@pytest.mark.parametrize(
    "last_turn, minutes",
    [(None, 0), (-60, 0), (-15, 0), (-14, 1), (0, 15), (600, 15)],
    ids=["none is known", "long ago", "just enough", "a moment ago", "now", "of the future"],
)
def test_it_waits_until_nobody_has_spoken_for_so_long(last_turn: int | None, minutes: int) -> None:
    now = moment("2026-11-01T12:00:00Z")
    last = None if last_turn is None else now + timedelta(minutes=last_turn)

    start = may_sleep_from(now, last, Habits(QUIET))

    assert start == now + timedelta(minutes=minutes)


@pytest.mark.parametrize(
    "hours, now, start",
    [
        ("22:00-06:00", "2026-11-01T21:59", "2026-11-01T22:00"),
        ("22:00-06:00", "2026-11-01T22:00", "2026-11-01T22:00"),
        ("22:00-06:00", "2026-11-02T00:30", "2026-11-02T00:30"),
        ("22:00-06:00", "2026-11-02T06:00", "2026-11-02T22:00"),
        ("01:00-05:00", "2026-11-01T12:00", "2026-11-02T01:00"),
        ("01:00-05:00", "2026-11-01T04:59", "2026-11-01T04:59"),
        ("01:00-05:00", "2026-12-31T05:00", "2027-01-01T01:00"),
    ],
)
def test_it_waits_for_its_hours_by_the_clock_on_its_wall(hours: str, now: str, start: str) -> None:
    habits = Habits(QUIET, hours_of(hours), OSLO)

    assert may_sleep_from(oslo(now), None, habits) == oslo(start)


@pytest.mark.parametrize(
    "hours, now, start",
    [
        # Clocks go from 02:00 to 03:00 in the night of 29 March.
        ("02:30-05:00", oslo("2026-03-29T01:50"), oslo("2026-03-29T03:30")),
        ("02:10-02:50", oslo("2026-03-29T01:50"), oslo("2026-03-30T02:10")),
        ("23:00-04:00", oslo("2026-03-29T03:10"), oslo("2026-03-29T03:10")),
        # And from 03:00 to 02:00 in the night of 25 October: that hour comes twice.
        ("02:30-05:00", oslo("2026-10-25T01:50"), oslo("2026-10-25T02:30", fold=0)),
        ("02:30-05:00", oslo("2026-10-25T02:10", fold=1), oslo("2026-10-25T02:30", fold=1)),
        ("02:10-02:20", oslo("2026-10-25T02:30", fold=0), oslo("2026-10-25T02:10", fold=1)),
    ],
    ids=["no begin", "no hours", "over the gap", "first", "second", "a second time"],
)
def test_clocks_that_are_set_forward_or_back_cost_at_most_an_hour(
    hours: str, now: datetime, start: datetime
) -> None:
    assert may_sleep_from(now, None, Habits(QUIET, hours_of(hours), OSLO)) == start


def test_a_turn_late_in_its_hours_makes_it_wait_for_the_next() -> None:
    habits = Habits(QUIET, NIGHT, OSLO)
    now = oslo("2026-11-02T05:50")

    assert may_sleep_from(now, now, habits) == oslo("2026-11-02T22:00")


@pytest.mark.parametrize(
    ("changed", "start"),
    [
        (None, "2026-11-02T12:10"),
        ("2026-11-02T11:59", "2026-11-02T12:10"),
        ("2026-10-31T12:05", "2026-11-02T12:05"),
        ("2026-10-31T12:00", "2026-11-02T12:00"),
        ("2026-09-01T12:00", "2026-11-02T12:00"),
    ],
    ids=["nothing changed", "just now", "almost too long ago", "too long ago", "far too long ago"],
)
def test_who_never_stops_speaking_is_not_left_alone_for_ever(
    changed: str | None, start: str
) -> None:
    now = oslo("2026-11-02T12:00")
    at = oslo(changed) if changed else None

    found = may_sleep_from(now, now, Habits(timedelta(minutes=10), longest=timedelta(days=2)), at)

    assert found == oslo(start)


def test_however_long_it_has_waited_its_hours_come_first() -> None:
    habits = Habits(QUIET, NIGHT, OSLO, longest=timedelta(days=2))
    now = oslo("2026-11-02T12:00")

    assert may_sleep_from(now, now, habits, now - timedelta(days=9)) == oslo("2026-11-02T22:00")


ZONES = st.sampled_from(
    "UTC Europe/Oslo America/St_Johns Australia/Lord_Howe Asia/Kathmandu Pacific/Apia".split()
)
CLOCK = st.times().map(lambda at: f"{at:%H:%M}")


#: From 2010 to 2040.
MOMENTS = st.integers(1_262_304_000, 2_208_988_800).map(lambda at: datetime.fromtimestamp(at, UTC))


@given(MOMENTS, ZONES, CLOCK, CLOCK)
def test_whenever_it_is_asked_the_answer_is_never_past_and_among_the_hours(
    now: datetime, name: str, begin: str, end: str
) -> None:
    if begin == end:
        return
    zone, hours = ZoneInfo(name), hours_of(f"{begin}-{end}")

    start = may_sleep_from(now, None, Habits(QUIET, hours, zone))

    assert start >= now
    assert hours.hold(start.astimezone(zone))
    assert may_sleep_from(start, None, Habits(QUIET, hours, zone)) == start


@pytest.mark.parametrize(
    "text",
    [
        "",
        "22-06",
        "22:00",
        "22:00-24:00",
        "9:00-17:00",
        "08:00-08:00",
        "22:00–06:00",
        "٢٢:٠٠-06:00",
    ],
)
def test_what_are_no_hours_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"write the hours|the same"):
        hours_of(text)
