"""What is told of a user to whom no question was asked yet."""

from typing import Any

from tests.build import at
from tests.worker.core.recalling.values import after, entry
from worker.core.recalling.profile import profiled


def test_what_is_pinned_comes_first_then_what_was_said_most_often_then_the_newest() -> None:
    found = after(
        profiled,
        entry("old", said_at=at(-9)),
        entry("new", said_at=at(-1)),
        entry("often", said_at=at(-50), confirmations=7),
        entry("pinned", said_at=at(-99), pinned=True),
    )

    assert found == ["pinned", "often", "new", "old"]


def test_of_each_slot_the_last_said_comes_before_others_and_no_other_slot_waits_for_those() -> None:
    home: dict[str, Any] = {"subject": "Ann", "attribute": "home"}
    found = after(
        profiled,
        entry("Oslo", said_at=at(-90), confirmations=5, **home),
        entry("Bergen", said_at=at(-9), **{**home, "subject": "ANN"}),
        entry("tea", said_at=at(-20)),
        entry("Ben in Rome", said_at=at(-30), **{**home, "subject": "Ben"}),
    )

    assert found == ["Bergen", "tea", "Ben in Rome", "Oslo"]


def test_what_is_pinned_waits_for_no_slot() -> None:
    home: dict[str, Any] = {"attribute": "home"}
    pinned = entry("Oslo", said_at=at(-90), pinned=True, **home)

    assert after(profiled, entry("Bergen", said_at=at(-9), **home), pinned) == ["Oslo", "Bergen"]


def test_nobody_has_an_empty_profile() -> None:
    assert after(profiled) == []
