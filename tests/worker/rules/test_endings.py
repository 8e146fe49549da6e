from datetime import datetime, timedelta

import pytest

from worker.rules.endings import ending

#: A Wednesday, six hours behind UTC.
SAID_AT = datetime.fromisoformat("2026-02-04T22:00:00-06:00")


@pytest.mark.parametrize(
    "text, until",
    [
        ("is away until tomorrow", "2026-02-06"),
        ("is away until Friday", "2026-02-07"),
        ("is away till next Wednesday", "2026-02-12"),
        ("is away until 14 March", "2026-03-15"),
        ("is away until March 14th", "2026-03-15"),
        ("is away until 2 January", "2027-01-03"),
        ("is away until June", "2026-06-01"),
        ("is away until the end of June", "2026-07-01"),
        ("is away until January", "2027-01-01"),
        ("is away until the end of the week", "2026-02-09"),
        ("is away until next month", "2026-03-01"),
        ("is away until 2026-05-01", "2026-05-02"),
        ("works from home this month", "2026-03-01"),
        ("works from home this week", "2026-02-09"),
        ("works from home for the next three weeks", "2026-02-25"),
        ("is staying with friends for two months", "2026-04-04"),
    ],
)
def test_a_named_end_is_a_midnight_where_it_was_said(text: str, until: str) -> None:
    found = ending(text, SAID_AT, 14, is_past=False)

    assert found is not None
    assert found.until.isoformat() == f"{until}T00:00:00-06:00"
    assert not found.assumed


@pytest.mark.parametrize(
    "text",
    [
        "While the machine is in repair User drinks tea",
        "User drinks tea while User's kettle is broken",
        "User sleeps on the sofa for now",
        "User takes the bus temporarily",
        "User takes the bus until the bike is back",
        "User eats out while I'm in Rome",
        "is away until 31 February",
        "is away until 2020-01-01",
    ],
)
def test_without_a_usable_end_it_is_assumed(text: str) -> None:
    found = ending(text, SAID_AT, 14, is_past=False)

    assert found is not None
    assert (found.until, found.assumed) == (SAID_AT + timedelta(days=14), True)


@pytest.mark.parametrize(
    "text",
    [
        "User listens to music while they work",
        "User has lived there for over three years",
        "User works from home",
        "User likes now and then a nap",
    ],
)
def test_what_is_meant_to_last_has_no_end(text: str) -> None:
    assert ending(text, SAID_AT, 14, is_past=False) is None


def test_what_is_over_has_no_end_to_come() -> None:
    assert ending("User lived there until 2019", SAID_AT, 14, is_past=True) is None
