"""BM25 over a pool."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.core.finding.bm25 import pool, scores


def test_the_formula_holds_on_a_case_worked_by_hand() -> None:
    """Two of three texts have the term, lengths 2, 4 and 3, so the mean is 3."""
    texts = (["cat", "dog"], ["cat", "cat", "bee", "ant"], ["ant", "bee", "fox"])
    idf = log(1 + (3 - 2 + 0.5) / (2 + 0.5))

    found = scores(["cat", "gnu"], pool(texts, ["cat", "gnu"]))

    assert found.tolist() == pytest.approx(
        [
            idf * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 3)),
            idf * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 3)),
            0,
        ]
    )


def test_a_rare_term_weighs_more_than_a_common_one() -> None:
    texts = pool([["tea", "rare"], ["tea", "milk"], ["tea", "cup"]], {"tea", "rare"})

    assert scores(["rare"], texts)[0] > scores(["tea"], texts)[0] > 0


@pytest.mark.parametrize("texts", [[], [[]], [[], ["tea"]]])
def test_empty_texts_score_nothing(texts: list[list[str]]) -> None:
    assert not scores(["coffee"], pool(texts, ["coffee"])).any()


words = st.lists(st.sampled_from("abcd"), max_size=6)


@given(words, st.lists(words, max_size=5))
def test_a_text_has_a_positive_score_exactly_where_a_term_is_shared(
    query: list[str], texts: list[list[str]]
) -> None:
    found = scores(query, pool(texts, query))

    assert [score > 0 for score in found] == [bool(set(query) & set(text)) for text in texts]


@given(words, st.lists(words, max_size=5), words)
def test_what_others_ask_changes_no_score(
    query: list[str], texts: list[list[str]], others: list[str]
) -> None:
    alone, together = pool(texts, query), pool(texts, [*others, *query])

    assert scores(query, alone).tolist() == scores(query, together).tolist()
