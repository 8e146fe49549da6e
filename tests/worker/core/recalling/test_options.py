"""What a program says, and what is asked because of it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.build import NOW, SCOPE, uid
from worker.core.recalling.ask import Ask, Budget, Filters, Weights
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
        ({"conversation": 42}, "conversation: Input should be a valid string"),
        ({"conversation": ""}, "conversation is empty"),
        ({"limit": "many"}, "limit: Input should be a valid integer"),
        ({"limit": 2.5}, "limit: Input should be a valid integer"),
        ({"fusion": "sum"}, "fusion: Input should be 'weighted' or 'rrf'"),
        ({"shown": {"a note": 1}}, "shown.a note"),
        ({"filters": Filters(kinds="place")}, "filters.kinds"),  # type: ignore[arg-type]
        ({"filters": {"metadata": 3}}, "filters.metadata"),
        ({"weights": {"bm25": -1}}, "weights: the weight of bm25 is -1.0: give 0 or more"),
        ({"as_of": "2026-01-01"}, "as_of is 2026-01-01 00:00:00: give its offset"),
    ],
)
def test_what_cannot_be_is_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        asked("Where?", **options)


def test_what_came_as_json_is_taken() -> None:
    id = uid("m")
    options = {
        "shown": {str(id): 2},
        "limit": "3",
        "as_of": None,
        "filters": {"tags": ["work"], "said_from": "2026-01-01T00:00:00Z"},
        "weights": {"use": 0},
    }
    found = asked("Where?", **options).ask

    assert (found.shown, found.limit, found.weights) == ({id: 2}, 3, Weights(use=0))
    said_from = datetime(2026, 1, 1, tzinfo=UTC)
    assert found.filters == Filters(tags=frozenset({"work"}), said_from=said_from)


def test_a_query_is_text() -> None:
    with pytest.raises(ValueError, match="a query is no text"):
        asked(7)
