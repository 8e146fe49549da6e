"""Times of the calendar at which scopes are called to sleep."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from worker.calendar import cron_of, slot_of
from worker.errors import Misconfigured

OSLO = ZoneInfo("Europe/Oslo")


def oslo(text: str, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=OSLO, fold=fold).astimezone(UTC)


@pytest.mark.parametrize(
    "cron, heard_at, slot",
    [
        ("0 3 * * *", oslo("2026-11-02T03:00:00"), "2026-11-02T03:00"),
        ("0 3 * * *", oslo("2026-11-02T02:59:58"), "2026-11-02T03:00"),
        ("0 3 * * *", oslo("2026-11-02T03:59:00"), "2026-11-02T03:00"),
        ("*/30 22-23 * * *", oslo("2026-11-02T22:31:10"), "2026-11-02T22:30"),
        ("0 3 * * 1", oslo("2026-11-02T03:00:10"), "2026-11-02T03:00"),
        ("0 3 1,15 11 *", oslo("2026-11-15T03:05:10"), "2026-11-15T03:00"),
        # The hour that comes twice is one slot.
        ("30 2 * * *", oslo("2026-10-25T02:30:01", fold=0), "2026-10-25T02:30"),
        ("30 2 * * *", oslo("2026-10-25T02:30:01", fold=1), "2026-10-25T02:30"),
        # Of what has been changed since, or of an hour that did not come, there is no slot.
        ("30 2 * * *", oslo("2026-03-29T03:30:01"), "2026-03-29T03:30"),
        ("0 3 * * *", oslo("2026-11-02T12:34:56"), "2026-11-02T12:34"),
    ],
)
def test_a_message_is_about_the_time_that_was_rung_for_whenever_it_is_heard(
    cron: str, heard_at: datetime, slot: str
) -> None:
    assert slot_of(cron_of(cron), heard_at, OSLO) == slot


def test_two_beats_whose_clocks_differ_ring_for_one_slot() -> None:
    cron, three = cron_of("  0  3 * * * "), oslo("2026-11-02T03:00:00")

    slots = {slot_of(cron, three + timedelta(seconds=late), OSLO) for late in (-50, -1, 0, 1, 90)}

    assert slots == {"2026-11-02T03:00"}


@pytest.mark.parametrize(
    "text", ["", "3", "0 3 * *", "0 3 * * * *", "61 3 * * *", "at three", "@daily"]
)
def test_what_is_no_time_of_the_calendar_is_refused_by_name(text: str) -> None:
    with pytest.raises(Misconfigured, match="SLOWWAVE_SLEEP_AT"):
        cron_of(text)
