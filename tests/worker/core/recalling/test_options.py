"""What a program says, and what is asked because of it."""

from typing import Any

import pytest

from tests.build import NOW, SCOPE
from worker.core.recalling.ask import Ask, Budget
from worker.core.recalling.options import KNOWN, PENDING, Asking, asking

USUAL = Ask(limit=7, mmr=0.5, budget=Budget(tokens=900, count=len))


def asked(*queries: Any, **options: Any) -> Asking:
    return asking(SCOPE, queries, options, USUAL, 1.0)  # type: ignore[arg-type]


def test_what_is_not_named_is_as_the_settings_say() -> None:
    assert asked("Where?") == Asking(
        SCOPE, Ask(("Where?",), limit=7, mmr=0.5, budget=USUAL.budget), 1.0
    )


def test_what_is_named_wins() -> None:
    found = asked("Where?", limit=3, max_characters=50, max_tokens=None, deadline_seconds=0.2)

    assert (found.ask.limit, found.ask.mmr, found.deadline_seconds) == (3, 0.5, 0.2)
    assert found.ask.budget == Budget(characters=50, count=len)


def test_every_field_of_an_ask_can_be_named() -> None:
    assert {*vars(Ask())} - {"queries", "budget", "unrelated"} <= KNOWN


def test_turns_that_wait_are_told_where_that_is_asked_for() -> None:
    assert (asked().pending, asked(include_pending=True).pending) == (0, PENDING)
    assert asked(include_pending=True, pending_limit=3).pending == 3
    assert asked(pending_limit=3).pending == 0


@pytest.mark.parametrize("times", [{"as_of": NOW}, {"valid_at": NOW}, {"with_history": True}])
def test_of_another_time_all_is_told_whatever_was_shown(times: dict[str, Any]) -> None:
    assert asked("Where?", conversation="c").conversation == "c"
    assert asked("Where?", conversation="c", **times).conversation is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"lmit": 3}, "lmit is no option of recall"),
        ({"limit": 0}, "limit is 0"),
        ({"deadline_seconds": 0}, "deadline_seconds is 0"),
        ({"deadline_seconds": float("nan")}, "deadline_seconds is nan"),
        ({"pending_limit": 0}, "pending_limit is 0"),
        ({"pending_limit": 51}, "pending_limit is 51"),
        ({"max_tokens": -1}, "budget of -1 tokens"),
    ],
)
def test_what_cannot_be_is_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        asked("Where?", **options)


def test_a_query_is_text() -> None:
    with pytest.raises(ValueError, match="a query is no text"):
        asked(7)
