"""The stages together: from a pool to an answer."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import NOW, at, memory, uid, vector
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.core.ports import Query
from worker.core.recalling.answer import Answer
from worker.core.recalling.ask import Ask, Budget, Weights
from worker.core.recalling.pipeline import answer, answering, moment, profiling, run
from worker.core.recalling.pool import Entry, Pool
from worker.core.recalling.questions import asked
from worker.core.recalling.signals import nominated, with_signals
from worker.core.recalling.unseen import marked

EMBEDDER = HashedEmbedder()
#: The first example loads what the others find loaded.
unhurried = settings(deadline=None, max_examples=40)
TEXTS = [
    "ERR_MEM_4412 means the memory is full",
    "ERR_MEM_4413 means the memory is torn",
    "ERR_MEM_4414 means the memory is gone",
    "Prefers dark mode in editors",
    "Prefers dark mode in editors!",
    "Lives in Lisbon since 2024",
    "Is off on Fridays",
    "猫が二匹いる",
    "Говорит по-русски",
]


def entries(texts: list[str], **fields: Any) -> list[Entry]:
    vectors = EMBEDDER.embed(texts)
    return [Entry(memory(text, **fields), one) for text, one in zip(texts, vectors, strict=True)]


def told(ask: Ask, known: list[Entry]) -> Answer:
    """As the read path does it, without a store."""
    ask, questions = ask.settled(EMBEDDER.floor, EMBEDDER.same), asked(ask.queries).questions
    if not questions:
        return answer(run(profiling(ask), Pool(tuple(known))))
    vectors = EMBEDDER.embed([question.text for question in questions])
    queries = [
        Query(one, question.terms, question.codes)
        for one, question in zip(vectors, questions, strict=True)
    ]
    signalled = with_signals(marked(known, ask.shown), queries, {})
    return answer(run(answering(ask, questions, NOW), Pool(tuple(signalled))))


def texts(found: Answer) -> list[str]:
    return [one.memory.text for one in found.items]


KNOWN = st.lists(st.sampled_from(TEXTS), unique=True, max_size=9)
ASKS = st.builds(
    lambda queries, **options: Ask(tuple(queries), **options),
    st.lists(st.sampled_from([*TEXTS, "dark mode", "ERR_MEM_4412?", " "]), max_size=3),
    limit=st.integers(1, 6),
    floor=st.none() | st.floats(-1, 1),
    fusion=st.sampled_from(["weighted", "rrf"]),
    mmr=st.none() | st.floats(0, 1),
    near_copy=st.none() | st.floats(0.3, 2),
    group_by=st.sampled_from([None, "subject", "turn", "nothing"]),
    follow_links=st.booleans(),
    exact_codes=st.booleans(),
    shown=st.dictionaries(st.sampled_from([uid(text) for text in TEXTS]), st.integers(1, 2)),
    budget=st.builds(Budget, st.none() | st.integers(0, 90), st.none() | st.integers(0, 40)),
)


@unhurried
@given(KNOWN, ASKS, st.randoms(use_true_random=False))
def test_the_same_pool_has_the_same_answer_whatever_order_it_came_in(
    known: list[str], ask: Ask, random: Random
) -> None:
    pool = entries(known)

    assert told(ask, pool) == told(ask, random.sample(pool, len(pool)))


@unhurried
@given(KNOWN, ASKS)
def test_each_of_the_pool_is_told_or_left_out_for_a_reason(known: list[str], ask: Ask) -> None:
    found = told(ask, entries(known))

    left_out = [one.memory.text for one in found.left_out]
    assert sorted([*texts(found), *left_out]) == sorted(known)
    assert all(one.why for one in found.left_out)
    assert len(found.items) <= ask.limit
    assert found.not_fitting == sum(one.stage == "budget" for one in found.left_out)


@unhurried
@given(KNOWN, ASKS)
def test_of_codes_of_one_make_only_the_asked_one_answers_where_it_is_known(
    known: list[str], ask: Ask
) -> None:
    ask = replace(ask, queries=("What does ERR_MEM_4412 mean?",), exact_codes=True, shown={})
    found = texts(told(ask, entries([TEXTS[0], *(text for text in known if text != TEXTS[0])])))

    assert not {TEXTS[1], TEXTS[2]} & set(found)


@unhurried
@given(KNOWN, ASKS)
def test_scores_fall_within_an_answer_but_for_corrections_before_them(
    known: list[str], ask: Ask
) -> None:
    found = told(ask, entries(known)).items

    assert [one.state for one in found] == sorted(one.state for one in found)
    for state in ("correction", "new"):
        scores = [one.score for one in found if one.state == state]
        assert not asked(ask.queries).questions or scores == sorted(scores, reverse=True)


def test_with_every_stage_off_the_whole_pool_is_told_by_its_scores() -> None:
    off = Ask(("dark mode",), limit=200, mmr=None, near_copy=2, exact_codes=False)

    found = told(off, entries(TEXTS))
    assert sorted(texts(found)) == sorted(TEXTS)
    assert found.left_out == ()


def test_the_answer_tells_what_each_score_is_made_of() -> None:
    first = told(Ask(("ERR_MEM_4412 is full",)), entries(TEXTS)).items[0]

    assert first.memory.text == TEXTS[0]
    assert (first.terms.bm25, first.terms.codes) == (1.0, 1.0)
    assert set(first.terms.parts) == {"cosine", "bm25", "codes", "recency"}
    assert first.terms.cosine == pytest.approx(0.6, abs=0.3)


def test_of_several_queries_the_terms_are_those_of_the_one_that_it_fits_best() -> None:
    found = told(Ask(("Is off on Fridays", "Lives in Lisbon since 2024"), limit=2), entries(TEXTS))

    assert {*texts(found)} == {"Is off on Fridays", "Lives in Lisbon since 2024"}
    assert all(one.terms.cosine == pytest.approx(1) for one in found.items)


def test_weights_move_the_answer() -> None:
    known = [
        Entry(memory("the boat", uses=0), vector("near")),
        Entry(memory("much used", uses=500), vector("far")),
    ]
    (question,) = asked(["the boat"]).questions
    query = Query(vector("near"), question.terms, question.codes)
    pool = Pool(tuple(with_signals(known, [query], {})))

    def first(weights: Weights) -> str:
        ask = Ask(mmr=None, weights=weights)
        return texts(answer(run(answering(ask, (question,), NOW), pool)))[0]

    assert first(Weights()) == "the boat"
    assert first(Weights(use=5.0)) == "much used"


def test_a_profile_has_no_scores() -> None:
    found = told(Ask((" ",), limit=2), entries(TEXTS))

    assert [one.score for one in found.items] == [0, 0]
    assert len(found.left_out) == len(TEXTS) - 2


@pytest.mark.parametrize(
    ("times", "then"),
    [
        ({}, NOW),
        ({"as_of": at(-5)}, at(-5)),
        ({"valid_at": at(-9), "as_of": at(-5)}, at(-9)),
        ({"as_of": at(5)}, NOW),
    ],
)
def test_age_is_asked_about_at_the_time_that_is_asked_about(times: Any, then: Any) -> None:
    assert moment(Ask(**times), NOW) == then


def test_of_records_in_hand_those_are_chosen_that_a_store_would_nominate() -> None:
    (question,) = asked(["dark mode ERR_MEM_4413"]).questions
    query = Query(EMBEDDER.embed([question.text])[0], question.terms, question.codes)

    found = nominated(entries(TEXTS), [query], 1)
    assert "ERR_MEM_4413 means the memory is torn" in {one.memory.text for one in found}
    assert len(found) <= 3
    assert nominated(entries(TEXTS), [], 5) == []
