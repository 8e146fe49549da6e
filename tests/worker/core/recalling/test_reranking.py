"""What a reranker may change of an order, and what it may not."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import at, uid
from tests.worker.core.recalling.values import entry, fits, texts
from worker.core.recalling.pool import Entry, Pool, best_first
from worker.core.recalling.reranking import LONGEST_DOCUMENT, TOP, to_rerank


def pool(*entries: Entry) -> Pool:
    return Pool(entries)


def ordered(named: list[int], *entries: Entry) -> list[str]:
    reranking = to_rerank(pool(*entries))
    assert reranking is not None
    return texts(best_first(reranking.ordered(named).entries))


TEA, BOAT, KITE = (
    entry("tea", fits(0.9), score=0.9),
    entry("boat", fits(0.8), score=0.8),
    entry("kite", fits(0.7), score=0.7),
)


@pytest.mark.parametrize(
    ("named", "order"),
    [
        ([2, 1, 0], ["kite", "boat", "tea"]),
        ([1], ["boat", "tea", "kite"]),
        ([], ["tea", "boat", "kite"]),
        ([2, 2, 1, 2], ["kite", "boat", "tea"]),
        ([7, -1, 2], ["kite", "tea", "boat"]),
    ],
    ids=["all", "some", "none", "doubled", "invented"],
)
def test_what_is_named_comes_first_and_the_rest_behind_in_our_order(
    named: list[int], order: list[str]
) -> None:
    assert ordered(named, KITE, TEA, BOAT) == order


def test_the_scores_stay_and_go_to_others_and_each_is_the_sum_of_its_parts() -> None:
    reranking = to_rerank(pool(TEA, BOAT))
    assert reranking is not None
    boat, tea = best_first(reranking.ordered([1, 0]).entries)

    assert (boat.score, tea.score) == (0.9, 0.8)
    assert boat.parts == {"cosine": 0.8, "rerank": pytest.approx(0.1)}
    assert tea.parts == {"cosine": 0.9, "rerank": pytest.approx(-0.1)}


def test_equals_are_told_apart() -> None:
    equal = [entry(name, fits(0.5), score=0.5) for name in "abc"]

    assert sorted(ordered([2, 0, 1], *equal)) == ["a", "b", "c"]
    first = to_rerank(pool(*equal))
    assert first is not None
    wanted = [first.top[place].memory.text for place in (2, 0, 1)]
    assert ordered([2, 0, 1], *equal) == wanted


def test_who_has_a_code_of_the_question_stays_before_who_has_none() -> None:
    code = entry("error E-100", fits(0.2, codes=1.0), score=0.6)

    assert ordered([0, 1, 2], TEA, BOAT, code) == ["error E-100", "tea", "boat"]


def test_what_was_said_later_stays_before_what_it_stands_beside() -> None:
    oslo = entry("Lives in Oslo", fits(0.9), score=0.9, said_at=at(-9))
    bergen = entry(
        "Lives in Bergen", fits(0.8), score=0.8, said_at=at(-1), links=(uid(oslo.memory.text),)
    )

    reranking = to_rerank(pool(oslo, bergen))
    assert reranking is not None
    assert texts(best_first(reranking.ordered([0, 1]).entries)) == [
        "Lives in Bergen",
        "Lives in Oslo",
    ]


def test_history_is_not_put_to_it_and_keeps_its_score() -> None:
    old = entry("lived in Oslo", fits(0.8), score=0.85, superseded=True)
    reranking = to_rerank(pool(TEA, old, BOAT))
    assert reranking is not None

    assert reranking.documents == ["tea", "boat"]
    assert old in reranking.ordered([1, 0]).entries


def test_only_the_best_are_put_to_it_and_of_a_long_one_its_beginning() -> None:
    many = [entry(f"{nth} " + "x" * 2_000, fits(0.5), score=0.9 - nth / 1000) for nth in range(60)]
    reranking = to_rerank(pool(*many))
    assert reranking is not None

    assert len(reranking.documents) == TOP
    assert {len(text) for text in reranking.documents} == {LONGEST_DOCUMENT}
    assert reranking.documents[0].startswith("0 ")


@pytest.mark.parametrize("few", [[], [TEA]])
def test_one_memory_has_no_order(few: list[Entry]) -> None:
    assert to_rerank(pool(*few)) is None


@given(
    st.lists(st.floats(0, 1).map(lambda score: round(score, 6)), min_size=2, max_size=8),
    st.lists(st.integers(-3, 12), max_size=12),
)
def test_whatever_it_says_nothing_is_lost_or_added(scores: list[float], named: list[int]) -> None:
    entries: list[Any] = [
        entry(f"memory {nth}", fits(0.5), score=score or 0.1) for nth, score in enumerate(scores)
    ]

    assert sorted(ordered(named, *entries)) == sorted(texts(entries))
