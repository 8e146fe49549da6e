"""One score, and what it is made of."""

from math import fsum, isclose
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import NOW, at
from tests.worker.core.recalling.values import entry, fits
from worker.core.recalling.ask import Ask, Weights
from worker.core.recalling.pool import Entry, Pool
from worker.core.recalling.scoring import recency, scored


def scores(ask: Ask, *entries: Entry) -> list[float]:
    return [one.score for one in scored(ask, NOW)(Pool(entries)).entries]


ONLY = {"recency": 0.0, "use": 0.0}


@pytest.mark.parametrize(
    ("days", "volatile", "share"),
    [(0, True, 1.0), (30, True, 0.5), (60, True, 0.25), (-5, True, 1.0), (3_000, False, 1.0)],
)
def test_what_is_volatile_fades_by_half_with_each_half_life(
    days: int, volatile: bool, share: float
) -> None:
    aged = entry("tea", said_at=at(-days), volatile=volatile)

    assert isclose(recency(aged, 30.0, NOW), share)


def test_the_newer_of_two_that_fade_wins_where_all_else_is_equal() -> None:
    old, new = (
        entry("a", fits(0.8), volatile=True, said_at=at(-300)),
        entry("b", fits(0.8), volatile=True, said_at=at(-3)),
    )

    first, second = scores(Ask(), old, new)
    assert second > first


def test_use_counts_for_less_and_less() -> None:
    none, five, fifty, more = scores(
        Ask(), *(entry(str(uses), fits(0.8), uses=uses) for uses in (0, 5, 50, 5_000))
    )

    assert none < five < fifty < more <= 1
    assert five - none > more - five > more - fifty


def test_history_pays_for_being_history() -> None:
    now, then = scores(Ask(), entry("a", fits(0.8)), entry("b", fits(0.8), superseded=True))

    assert now - then == pytest.approx(0.3 / 1.35, abs=1e-5)


@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
def test_the_best_in_everything_has_all_of_it_and_the_worst_nothing(fusion: Any) -> None:
    ask = Ask(fusion=fusion, weights=Weights(**ONLY))

    best, worst = scores(ask, entry("a", fits(0.9, 1.0, 1.0)), entry("b", fits(0.7)))
    assert best == 1
    assert worst < (0.01 if fusion == "weighted" else 0.7)


def test_what_no_query_has_takes_no_share_from_the_rest() -> None:
    ask = Ask(weights=Weights(**ONLY))

    assert scores(ask, entry("a", fits(0.9)), entry("b", fits(0.7))) == [1, 0]
    assert scores(ask, entry("a", fits(None, 1.0)), entry("b", fits(None, 0.5))) == [1, 0.5]


def test_with_ranks_alone_a_clear_lead_is_worth_no_more_than_a_narrow_one() -> None:
    ask = Ask(fusion="rrf", weights=Weights(**ONLY))

    clear = scores(ask, entry("a", fits(0.9)), entry("b", fits(0.1)))
    narrow = scores(ask, entry("a", fits(0.9)), entry("b", fits(0.899)))
    assert clear == narrow == [1, pytest.approx(61 / 62, abs=1e-6)]


def test_equal_ranks_are_worth_the_same() -> None:
    ask = Ask(fusion="rrf")

    first, second, _ = scores(
        ask, entry("a", fits(0.5, 0, 1.0)), entry("b", fits(0.5, 0, 1.0)), entry("c", fits(0.4))
    )
    assert first == second


def test_of_several_queries_each_has_its_answer() -> None:
    ask = Ask(weights=Weights(**ONLY))
    tea = entry("tea", fits(0.9), fits(0.1))
    boat = entry("boat", fits(0.1), fits(0.9))
    both = entry("some of both", fits(0.6), fits(0.6))

    tea_score, boat_score, between = scores(ask, tea, boat, both)
    assert tea_score == boat_score == 1 > between
    fitting = scored(ask, NOW)(Pool((tea, boat))).entries
    assert [one.fits for one in fitting] == [0, 1]


SIGNALS = st.builds(
    fits,
    st.none() | st.floats(-1, 1),
    st.floats(0, 1),
    st.sampled_from([0.0, 0.5, 1.0]),
)
ENTRIES = st.lists(
    st.builds(
        lambda text, signals, uses, volatile, superseded: entry(
            str(text), *signals, uses=uses, volatile=volatile, superseded=superseded
        ),
        st.integers(0, 10**6),
        st.lists(SIGNALS, min_size=2, max_size=2),
        st.integers(0, 100),
        st.booleans(),
        st.booleans(),
    ),
    max_size=8,
    unique_by=lambda one: one.memory.id,
)


@given(ENTRIES, st.sampled_from(["weighted", "rrf"]))
def test_a_score_is_the_sum_of_its_parts_and_at_most_1(entries: list[Entry], fusion: Any) -> None:
    for one in scored(Ask(fusion=fusion), NOW)(Pool(tuple(entries))).entries:
        assert isclose(one.score, fsum(one.parts.values()), abs_tol=1e-5)
        assert -0.3 < one.score <= 1
