"""Times as people write them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from worker.interfaces.moments import moment_of

NEXT = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-01", NEXT - timedelta(microseconds=1)),
        ("2026-03-02T00:00:00", NEXT),
        ("2026-03-02T00:00:00Z", NEXT),
        ("2026-03-02T01:00:00+01:00", datetime(2026, 3, 2, 1, tzinfo=timezone(timedelta(hours=1)))),
    ],
)
def test_a_date_is_its_end_and_a_time_without_an_offset_is_utc(text: str, moment: datetime) -> None:
    assert moment_of(text) == moment


@pytest.mark.parametrize("text", ["", "yesterday", "2026-02-30", "2026-01-01T25:00", "1"])
def test_what_is_no_time_says_what_to_write_and_is_not_repeated(text: str) -> None:
    with pytest.raises(ValueError, match=r"^is no time: write 2026-03-01"):
        moment_of(text)
