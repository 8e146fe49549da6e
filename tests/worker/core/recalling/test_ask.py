"""What cannot be asked is said before anything is read."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from tests.build import NOW, uid
from worker.core.recalling.ask import Ask, Budget, Filters, Weights


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 201}, "limit"),
        ({"pool": 0}, "pool"),
        ({"pool": 1_001}, "pool is 1001: give 1 to 1000"),
        ({"queries": ("tea",) * 17}, "17 queries"),
        ({"floor": 1.5}, "floor"),
        ({"floor": float("nan")}, "floor"),
        ({"unrelated": 1.0}, "unrelated"),
        ({"mmr": -0.1}, "mmr"),
        ({"half_life_days": 0.0}, "half_life_days"),
        ({"group_size": 0}, "group_size"),
        ({"budget": Budget(tokens=-1)}, "tokens"),
        ({"as_of": datetime(2026, 6, 1)}, "as_of"),  # noqa: DTZ001 - the point of it
        ({"filters": Filters(said_from=datetime(2026, 6, 1))}, "said_from"),  # noqa: DTZ001
        ({"with_history": True, "as_of": NOW}, "with_history"),
        ({"shown": {uid("a"): 1}, "valid_at": NOW}, "shown"),
        ({"shown": {uid("a"): 1}, "with_history": True}, "shown"),
    ],
)
def test_what_cannot_be_asked_is_named(wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Ask(**wrong)


@pytest.mark.parametrize(
    "wrong", [{"use": -1.0}, {"cosine": float("inf")}, {"bm25": float("nan")}, {"linked": 1.1}]
)
def test_a_weight_that_cannot_be_is_named(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Weights(**wrong)


def test_relevance_has_to_weigh_something() -> None:
    with pytest.raises(ValueError, match="all weigh 0"):
        Weights(cosine=0, bm25=0, codes=0)


def test_an_embedders_own_cosines_stand_where_none_are_given() -> None:
    ask = Ask(near_copy=0.5)

    assert ask.settled(0.2, 0.9) == replace(ask, unrelated=0.2, near_copy=0.5)
    assert Ask(unrelated=0.0).settled(0.2, 0.9) == Ask(unrelated=0.0, near_copy=0.9)
