"""Records in hand are ranked as a store ranks its own."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.memory import MemoryRecord
from tests.build import memory, record, uid, vector
from worker.core.finding.ranked import ranked
from worker.core.ports import Nominated, Query
from worker.core.texts.identifiers import identifiers
from worker.core.texts.words import terms

TEXTS = ["Drinks tea", "Drinks green tea", "Order QX-181", "Orders QX-181 and QX-182", "猫がいる"]


def ask(text: str, seed: str | None = None) -> Query:
    return Query(vector(seed) if seed else None, terms(text), identifiers(text))


def names(found: Nominated) -> list[list[str]]:
    texts = {uid(text): text for text in TEXTS}
    rankings = (found.by_vector, found.by_words, found.by_identifier)
    return [[texts[id] for id in ranking] for ranking in rankings]


RECORDS = [record(text) for text in TEXTS]


def test_the_nearest_comes_first_and_all_are_near_to_some_degree() -> None:
    near, _, _ = names(ranked(ask("", TEXTS[2]), RECORDS, 50))

    assert near[0] == TEXTS[2]
    assert sorted(near) == sorted(TEXTS)


@pytest.mark.parametrize(
    ("query", "by_words", "by_identifier"),
    [
        ("green tea", ["Drinks green tea", "Drinks tea"], []),
        ("cat", [], []),
        ("qx-182 or QX-181", TEXTS[3:1:-1], TEXTS[3:1:-1]),
        ("猫が", ["猫がいる"], []),
    ],
)
def test_words_and_identifiers_find_what_has_them(
    query: str, by_words: list[str], by_identifier: list[str]
) -> None:
    _, words, codes = names(ranked(ask(query), RECORDS, 50))

    assert (words[:2], codes) == (by_words, by_identifier)


@pytest.mark.parametrize("given_vector", [b"", b"\0\0\0\0"], ids=["none", "of another size"])
def test_a_record_without_a_vector_of_this_size_is_found_by_its_words(given_vector: bytes) -> None:
    bare = MemoryRecord(memory=memory("Drinks tea"), vector=given_vector)

    near, words, _ = names(ranked(ask("tea", "Drinks tea"), [bare, *RECORDS[2:]], 50))

    assert "Drinks tea" not in near
    assert words == ["Drinks tea"]


def test_there_may_be_nothing_to_rank() -> None:
    assert ranked(ask("tea", "tea"), [], 50) == Nominated()


@given(st.sampled_from(TEXTS), st.integers(0, 5), st.randoms(use_true_random=False))
def test_the_order_of_the_records_does_not_matter_and_the_pool_is_cut(
    query: str, pool: int, random: Random
) -> None:
    shuffled = random.sample(RECORDS, len(RECORDS))

    found = ranked(ask(query, query), shuffled, pool)

    assert found == ranked(ask(query, query), RECORDS, pool)
    assert max(map(len, (found.by_vector, found.by_words, found.by_identifier))) <= pool
