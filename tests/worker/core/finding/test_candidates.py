"""Which memories and twins are offered to which fact."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from schemas.base import Vector
from schemas.memory import Fact, MemoryRecord
from schemas.tokens import estimate
from tests.build import NOW, at, fact, memory
from worker.core.finding.candidates import Reach, candidacy, queries
from worker.core.groups.judgment import Candidacy
from worker.core.ports import Nominated, Nominations
from worker.core.texts.words import terms


def towards(cosine: float, axis: int = 1, size: int = 40) -> Vector:
    """A unit vector at this cosine to the first axis, leaning towards another."""
    numbers = np.zeros(size)
    numbers[0], numbers[axis] = cosine, (1 - cosine**2) ** 0.5
    return numbers.astype("<f4").tobytes()


ALONE = towards(0.0, 39)


def known(text: str, cosine: float = 0.0, axis: int = 2, **fields: Any) -> MemoryRecord:
    return MemoryRecord(memory=memory(text, **fields), vector=towards(cosine, axis))


def offer(
    facts: Sequence[Fact],
    records: Sequence[MemoryRecord],
    vectors: Sequence[Vector] | None = None,
    **reach: Any,
) -> Candidacy:
    pool = {record.memory.id: record for record in records}
    nominations = Nominations(tuple(Nominated() for _ in facts), pool)
    vectors = vectors or [towards(1.0)] * len(facts)
    return candidacy(facts, vectors, nominations, Reach(**{"floor": 0.5, **reach}), NOW)


def texts(case: Candidacy, at: int = 0) -> list[str]:
    """Texts of the memories that were offered to a fact."""
    return [case.candidate(one).memory.text for one in case.offered[at] if one[0] == "c"]


def test_each_ranking_nominates() -> None:
    found = offer(
        [fact("Commutes on QX-118", attribute="commute")],
        [
            known("Goes there by tram", attribute="commute"),
            known("Rides a bicycle", 0.9),
            known("Commutes are long"),
            known("Line qx-118 is late"),
            known("Has a cat", 0.49),
        ],
    )

    assert set(texts(found)) == {
        "Goes there by tram",
        "Rides a bicycle",
        "Commutes are long",
        "Line qx-118 is late",
    }


def test_the_first_of_each_ranking_is_in_however_many_are_better_in_another() -> None:
    gardens = [known(f"Garden note {n} on tomatoes", 0.0) for n in range(30)]
    twin = known("Waters them at six every morning", 0.9)

    found = offer([fact("Garden tomatoes get water at dawn")], [*gardens, twin], top_k=2)

    assert "Waters them at six every morning" in texts(found)
    assert len(texts(found)) == 2


def test_the_cap_and_the_budget_of_tokens_bound_the_rest() -> None:
    many = [known(f"Tomato bed {n} " + "is watered daily " * 20, 0.9 - n / 100) for n in range(20)]
    facts = [fact("The tomato beds get water")]

    assert len(texts(offer(facts, many, top_k=7))) == 7
    within = texts(offer(facts, many, top_k=20, tokens=400))
    assert 1 < len(within) < 7
    assert sum(map(estimate, within)) <= 400


def test_to_forget_a_thing_more_memories_are_looked_at_than_to_learn_one() -> None:
    many = [known(f"Tomato bed {n}", 0.9 - n / 100) for n in range(20)]
    request = fact("Forget the tomato beds", kind="forget")

    assert len(texts(offer([request], many, top_k=5))) == 15
    assert len(texts(offer([fact("The tomato beds get water")], many, top_k=5))) == 5


def test_tokens_are_counted_as_one_is_told_to() -> None:
    many = [known(f"Tomato bed {n} is watered", 0.9 - n / 100) for n in range(20)]
    facts = [fact("The tomato beds get water")]

    assert len(texts(offer(facts, many, top_k=20, tokens=11, count=lambda text: 1))) == 10


def test_facts_that_share_no_call_have_its_tokens_each_for_itself() -> None:
    many = [known(f"Tomato bed {n} is watered", 0.9 - n / 100) for n in range(20)]
    facts = [fact("The tomato beds get water"), fact("Beds of tomatoes get water")]

    def offered(**reach: Any) -> list[int]:
        found = offer(facts, many, top_k=20, tokens=11, count=lambda text: 1, **reach)
        return [len([one for one in of if one.startswith("c")]) for of in found.offered]

    assert offered(is_shared=False) == [10, 10]
    assert sum(offered()) < 20


def test_facts_and_memories_about_different_people_are_never_offered_to_each_other() -> None:
    ines, moss = fact("Free on Fridays", subject="Ines"), fact("Free on Fridays", subject="Moss")
    records = [known("Fridays are free", 0.99, subject="ines"), known("Free", 0.99, subject="user")]

    found = offer([ines, moss], records)

    assert found.offered == (("c1",), ())
    assert texts(found) == ["Fridays are free"]


def test_to_forget_memories_about_anybody_are_looked_at_by_vector_words_and_codes() -> None:
    wish = fact("Forget Mia's illness and QX-118", kind="forget", subject="Ann")
    records = [
        known("Is in hospital", 0.9, subject="Mia"),
        known("Her illness is over", subject="Mia"),
        known("Moved to room qx-118", subject="Rosa"),
        known("Ann sails", subject="Ann"),
    ]

    (query,) = queries([wish], [ALONE])

    assert query.subject is None
    assert set(texts(offer([wish], records))) == {
        "Is in hospital",
        "Her illness is over",
        "Moved to room qx-118",
    }


def test_to_forget_a_person_their_name_is_looked_for() -> None:
    wish = fact("Forget Bruno", kind="forget", subject="Bruno")

    assert texts(offer([wish], [known("Met Bruno here", subject="Ann")])) == ["Met Bruno here"]


def test_the_subjects_name_and_grammar_nominate_nothing() -> None:
    found = offer(
        [fact("Ines is in the choir", subject="Ines")],
        [known("Ines is on the board of the bank", subject="Ines")],
    )

    assert found.offered == ((),)


def test_what_has_lapsed_is_no_candidate_unless_something_stands_again() -> None:
    found = offer(
        [fact("Drinks coffee")],
        [
            known("Coffee at work", 0.9, until=at(-1)),
            known("Coffee at home", 0.8, until=at(-1), after="Coffee from the pot"),
            known("Coffee in bed", 0.7, until=at(1)),
        ],
    )

    assert set(texts(found)) == {"Coffee at home", "Coffee in bed"}
    assert {found.shown("c1").text, found.shown("c2").text} == {
        "Coffee from the pot",
        "Coffee in bed",
    }


def test_near_facts_and_facts_with_a_common_candidate_are_twins() -> None:
    facts = [
        fact("Has two cats"),
        fact("Owns a pair of felines"),
        fact("Plays chess"),
        fact("Sails"),
    ]
    vectors = [towards(0.9), towards(0.8), towards(0.0, 5), ALONE]

    found = offer(facts, [known("Chess with cats", 0.9, 1)], vectors)

    assert found.offered == (("c1", "f2", "f3"), ("c1", "f1", "f3"), ("c1", "f1", "f2"), ())


def test_cosines_are_kept_for_what_is_offered() -> None:
    found = offer([fact("Has cats"), fact("Has cats, too")], [known("Cats", 0.9, 1)])

    assert set(found.cosines) == {
        (f, o) for f, o in [("f1", "c1"), ("f1", "f2"), ("f2", "c1"), ("f2", "f1")]
    }
    assert abs(found.cosines["f1", "c1"] - 0.9) < 1e-6


def test_queries_ask_for_what_tells_memories_apart() -> None:
    (query,) = queries(
        [fact("Ines moved to QX-118 in the harbour", subject="Ines", attribute="home")], [ALONE]
    )

    assert query.vector == ALONE
    assert query.terms == ("moved", "qx", "118", "harbour", "qx-118")
    assert query.identifiers == ("qx-118",)
    assert query.slot == ("Ines", "home")
    assert query.subject == "ines"


def test_terms_that_the_store_hands_out_are_what_is_ranked() -> None:
    facts, record = [fact("Plays chess")], known("Likes draughts")
    rankings = (Nominated(),)
    pool = {record.memory.id: record}

    def offered(terms: dict[UUID, tuple[str, ...]]) -> tuple[str, ...]:
        nominations = Nominations(rankings, pool, terms)
        return candidacy(facts, [towards(1.0)], nominations, Reach(floor=0.5), NOW).offered[0]

    assert offered({}) == ()
    assert offered({record.memory.id: ("chess",)}) == ("c1",)


def test_the_terms_of_a_text_that_no_longer_stands_are_not_ranked() -> None:
    ended = known("Plays chess", until=at(-1), after="Plays draughts")
    nominations = Nominations(
        (Nominated(),), {ended.memory.id: ended}, {ended.memory.id: ("chess",)}
    )

    found = candidacy([fact("Chess")], [towards(1.0)], nominations, Reach(floor=0.5), NOW)

    assert found.offered == ((),)


words = st.lists(st.sampled_from(["cat", "dog", "tea", "7443", "the", "in"]), min_size=1).map(
    " ".join
)
people = st.sampled_from(["user", "Ines", "INES"])
slots = st.sampled_from([None, "home"])
facts = st.lists(
    st.builds(lambda t, s, a: fact(t, subject=s, attribute=a), words, people, slots), max_size=4
)
records = st.lists(
    st.builds(
        lambda t, s, a, c: known(t, c, subject=s, attribute=a),
        words,
        people,
        slots,
        st.floats(0, 1),
    ),
    max_size=6,
)


@given(facts, records)
def test_terms_handed_out_or_not_the_same_is_offered(
    given: list[Fact], stored: list[MemoryRecord]
) -> None:
    pool = {record.memory.id: record for record in stored}
    split = {id: terms(record.memory.text) for id, record in pool.items()}
    rankings = tuple(Nominated() for _ in given)
    vectors, reach = [towards(1.0)] * len(given), Reach(floor=0.5)

    without, handed = (
        candidacy(given, vectors, Nominations(rankings, pool, known), reach, NOW)
        for known in ({}, split)
    )

    assert handed == without


@given(facts, records, st.integers(1, 4), st.integers(0, 200))
def test_whatever_is_offered_is_of_one_subject_mutual_among_facts_and_named_once(
    given: list[Fact], stored: list[MemoryRecord], top_k: int, tokens: int
) -> None:
    found = offer(given, stored, top_k=top_k, tokens=tokens)

    ids = [record.memory.id for record in found.candidates]
    assert len(set(ids)) == len(ids)
    assert {one for o in found.offered for one in o if one[0] == "c"} == {
        f"c{n + 1}" for n in range(len(ids))
    }
    for n, offered in enumerate(found.offered):
        assert len(set(offered)) == len(offered)
        assert len([one for one in offered if one[0] == "c"]) <= max(top_k, 4)
        for one in offered:
            assert found.shown(one).subject.casefold() == given[n].subject.casefold()
            assert one[0] == "c" or f"f{n + 1}" in found.offered[int(one[1:]) - 1]
