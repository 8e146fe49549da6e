from datetime import date

import pytest

from worker.rules.moments import Tense, happened

#: A Wednesday.
SAID_ON = date(2026, 2, 4)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("ran a race yesterday", "2026-02-03"),
        ("left the day before yesterday", "2026-02-02"),
        ("flies tomorrow", "2026-02-05"),
        ("moved three weeks ago", "2026-01-14"),
        ("moved a year ago", "2025"),
        ("moved two months ago", "2025-12"),
        ("starts in ten days", "2026-02-14"),
        ("starts in 2 months", "2026-04"),
        ("bought it last month", "2026-01"),
        ("will go next year", "2027"),
        ("got it last week", None),
        ("got it this weekend", "2026-02"),
        ("left in 2019", "2019"),
        ("left on 12 March 2025", "2025-03-12"),
        ("left on March 12th, 2025", "2025-03-12"),
        ("left in March 2025", "2025-03"),
        ("left on 2025-03-12", "2025-03-12"),
        ("left last June", "2025-06"),
        ("goes next January", "2027-01"),
        ("has lived there since 2019", None),
        ("stays until May 2026", None),
        ("left on 31 February 2025", None),
        ("swims on Fridays", None),
        ("left 999 years ago", "1027"),
        ("a day in two parts", None),
        ("likes salted liquorice", None),
    ],
)
def test_a_moment_is_as_exact_as_it_was_said(text: str, expected: str | None) -> None:
    assert happened(text, SAID_ON, "other") == expected


@pytest.mark.parametrize(
    "text, tense, expected",
    [
        ("saw her on Friday", "past", "2026-01-30"),
        ("sees her on Friday", "other", "2026-02-06"),
        ("saw her last Wednesday", "past", "2026-01-28"),
        ("sees her next Wednesday", "other", "2026-02-11"),
    ],
)
def test_the_tense_settles_which_weekday_is_meant(text: str, tense: Tense, expected: str) -> None:
    assert happened(text, SAID_ON, tense) == expected


def test_a_leap_day_goes_back_to_the_last_day_of_a_shorter_month() -> None:
    assert happened("left a year ago", date(2024, 2, 29), "past") == "2023"
    assert happened("left last month", date(2024, 3, 31), "past") == "2024-02"
