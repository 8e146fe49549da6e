"""Dates as exact as they were said."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.core.texts.said_dates import end, happened, partial_date

SAID_AT = datetime.fromisoformat("2026-06-01T12:00:00+02:00")


@pytest.mark.parametrize(
    "given, expected",
    [
        ("2026", "2026"),
        ("2026-6", "2026-06"),
        ("2026-06-01", "2026-06-01"),
        ("2026-6-1", "2026-06-01"),
        ("2026-06-01T10:30", "2026-06-01T10:30"),
        ("2026-06-01 10:30:00Z", "2026-06-01T10:30:00Z"),
        ("2026-06-01T10:30+0200", "2026-06-01T10:30+02:00"),
        ("2026-13", None),
        ("2026-02-30", None),
        ("last month", None),
        ("", None),
        (None, None),
    ],
)
def test_a_date_is_iso_or_nothing(given: str | None, expected: str | None) -> None:
    assert partial_date(given) == expected


@pytest.mark.parametrize(
    "said, known, unknown",
    [
        ("I adopted Olive last month", "2026-05", "2026-05"),
        ("Ich bin gestern umgezogen", "2026-05", "2026-05"),
        ("昨日引っ越した", "2026-05", "2026-05"),
        ("I like liquorice and I have a cat", None, None),
        ("猫を飼っています", None, None),
        ("Nilihamia Mombasa mwezi uliopita", "2026-05", None),
    ],
)
def test_only_words_of_time_give_a_date_where_they_are_known(
    said: str, known: str | None, unknown: str | None
) -> None:
    assert happened("2026-05", said, SAID_AT, approximate=False) == known
    assert happened("2026-05", said, SAID_AT, approximate=True) == unknown


@pytest.mark.parametrize("date", ["2026", "2026-06", "2026-06-01"])
def test_what_is_told_without_a_time_may_be_of_the_day_it_is_told(date: str) -> None:
    assert happened(date, "I adopted a cat", SAID_AT, approximate=False) == date


@pytest.mark.parametrize(
    "given, expected",
    [
        ("2026-06-30", "2026-07-01T00:00:00+02:00"),
        ("2026-12-31", "2027-01-01T00:00:00+02:00"),
        ("2026-06", "2026-07-01T00:00:00+02:00"),
        ("2026-12", "2027-01-01T00:00:00+02:00"),
        ("2026", "2027-01-01T00:00:00+02:00"),
        ("2026-06-30T18:00", "2026-06-30T18:00:00+02:00"),
        ("2026-06-30T18:00Z", "2026-06-30T18:00:00+00:00"),
    ],
)
def test_a_named_end_is_the_end_of_what_was_named(given: str, expected: str) -> None:
    assert end(given, SAID_AT, 14) == (datetime.fromisoformat(expected), False)


@pytest.mark.parametrize("given", ["unknown", "when the repair is done", "2026-99-99"])
def test_an_end_that_nobody_named_is_assumed(given: str) -> None:
    assert end(given, SAID_AT, 14) == (SAID_AT + timedelta(days=14), True)


@pytest.mark.parametrize("given", [None, "2020", "2026-05-31"])
def test_what_lasts_or_ended_before_it_was_said_has_no_limit(given: str | None) -> None:
    assert end(given, SAID_AT, 14) == (None, False)


@given(
    st.text(alphabet="0123456789-T:Z+ ", max_size=30)
    | st.text(max_size=30)
    | st.datetimes().map(str)
)
def test_no_text_breaks_the_reading_of_dates(text: str) -> None:
    until, assumed = end(text, SAID_AT, 14)

    assert until is None or until > SAID_AT
    assert not assumed or until == SAID_AT + timedelta(days=14)
    assert partial_date(partial_date(text)) == partial_date(text)
