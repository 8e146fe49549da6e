"""Not ten times the same."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import at, uid
from tests.worker.core.recalling.values import after, entry, texts, towards
from worker.core.recalling.diversity import diversified
from worker.core.recalling.pool import Entry, Pool, best_first

TEA = entry("tea", score=1.0, vector=towards(0.99, 1))
TEAS = entry("tea, again", score=0.9, vector=towards(0.98, 1))
BOAT = entry("boat", score=0.7, vector=towards(0.2, 2))


def test_what_differs_comes_before_what_repeats_a_better_one() -> None:
    assert after(diversified(0.5, 0.0), TEAS, BOAT, TEA) == ["tea", "boat", "tea, again"]


@pytest.mark.parametrize("balance", [None, 1.0])
def test_relevance_alone_is_the_order_of_the_scores(balance: float | None) -> None:
    assert after(diversified(balance, 0.0), BOAT, TEAS, TEA) == ["tea", "tea, again", "boat"]


def test_the_best_comes_first_even_where_only_difference_counts() -> None:
    assert after(diversified(0.0, 0.0), BOAT, TEAS, TEA)[:2] == ["tea", "boat"]


def test_what_an_embedder_gives_unrelated_texts_is_no_likeness() -> None:
    """Where all cosines are high, those between unrelated texts must not count as repetition."""
    first = entry("a", score=1.0, vector=towards(1.0))
    second = entry("b", score=0.9, vector=towards(0.85, 1))
    third = entry("c", score=0.5, vector=towards(0.0, 2))

    assert after(diversified(0.5, 0.0), first, second, third) == ["a", "c", "b"]
    assert after(diversified(0.5, 0.86), first, second, third) == ["a", "b", "c"]


def test_a_correction_is_not_passed_over_for_its_likeness_to_what_it_corrects() -> None:
    old = entry("Uses TypeScript", score=1.0, vector=towards(0.99), said_at=at(-500))
    new = entry(
        "Uses Go", score=0.9, vector=towards(0.99), said_at=at(-5), links=(uid("Uses TypeScript"),)
    )
    history = entry("Used C", score=0.95, vector=towards(0.99), superseded=True)

    assert after(diversified(0.5, 0.0), old, new, BOAT) == ["Uses TypeScript", "Uses Go", "boat"]
    unlinked = entry("Uses Go", score=0.9, vector=towards(0.99), said_at=at(-5))
    assert after(diversified(0.5, 0.0), old, unlinked, BOAT)[1] == "boat"
    assert after(diversified(0.5, 0.0), history, unlinked, BOAT)[:2] == ["Used C", "Uses Go"]


CROWD = st.lists(
    st.builds(
        lambda text, score, cosine, axis: entry(
            str(text), score=score, vector=towards(cosine, axis)
        ),
        st.integers(0, 10**6),
        st.floats(0.01, 1).map(lambda score: round(score, 3)),
        st.floats(-1, 1),
        st.integers(1, 7),
    ),
    max_size=9,
    unique_by=lambda one: one.memory.id,
)


@given(CROWD, st.floats(0, 1), st.floats(-1, 0.99), st.randoms(use_true_random=False))
def test_everything_stays_the_best_comes_first_and_their_order_before_does_not_matter(
    crowd: list[Entry], balance: float, unrelated: float, random: Random
) -> None:
    stage = diversified(balance, unrelated)
    shuffled = random.sample(crowd, len(crowd))

    found = stage(Pool(tuple(crowd))).entries
    assert found == stage(Pool(tuple(shuffled))).entries
    assert sorted(texts(found)) == sorted(texts(crowd))
    assert texts(found[:1]) == texts(best_first(crowd)[:1])
