"""What needs no judge."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.memory import Fact
from tests.build import at, candidacy, fact, record, uid
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.judging.gate import SAID_AGAIN, gate

GHENT = "Lives in Ghent"


def again(text: str = "lives in Ghent.", turn: str = "t9") -> Fact:
    return fact(text, turn_ids=(uid(turn),))


def same(*members: str) -> Group:
    return Group(why=SAID_AGAIN, members=members, relation="same")


def test_the_same_words_as_one_memory_need_no_judge() -> None:
    found = gate(candidacy([again()], [record(GHENT), record("Has two cats")]))

    assert found.settled == Groups(groups=(same("f1", "c1"),), new=())
    assert found.rest.facts == ()


def test_other_words_go_to_the_judge() -> None:
    found = gate(candidacy([again("Moved to Ghent")], [record(GHENT)]))

    assert found.settled == Groups(groups=(), new=())
    assert [one.text for one in found.rest.facts] == ["Moved to Ghent"]


def test_two_memories_of_the_same_words_go_to_the_judge() -> None:
    found = gate(candidacy([again()], [record(GHENT), record("Lives in  Ghent")]))

    assert found.settled.groups == ()
    assert len(found.rest.facts) == 1


def test_without_candidates_a_fact_is_new() -> None:
    found = gate(candidacy([again()]))

    assert found.settled == Groups(groups=(), new=("f1",))
    assert found.rest.facts == ()


def test_words_that_differ_only_in_a_negation_or_number_are_not_the_same() -> None:
    for text in ("Takes no sugar in tea", "Takes sugar in tea 2", "左利きです"):
        assert gate(candidacy([again(text)], [record("Takes sugar in tea")])).rest.facts


@pytest.mark.parametrize(
    "said, known",
    [
        ({"happened_at": "2025-05"}, {"happened_at": "2024-05"}),
        ({"kind": "instruction"}, {}),
        ({"until": at(5)}, {}),
        ({}, {"until": at(5)}),
        ({"until": at(5)}, {"until": at(50)}),
    ],
)
def test_the_same_words_for_another_time_kind_or_end_go_to_the_judge(
    said: dict[str, Any], known: dict[str, Any]
) -> None:
    one, other = fact(GHENT, **said), fact(GHENT, **known)

    assert gate(candidacy([one], [record(GHENT, **known)])).settled.groups == ()
    assert len(gate(candidacy([one, other])).rest.facts) == 2


def test_an_end_that_nobody_named_makes_no_difference() -> None:
    one = fact(GHENT, until=at(5), until_assumed=True)
    known = record(GHENT, until=at(2), until_assumed=True)

    assert gate(candidacy([one], [known])).settled.groups == (same("f1", "c1"),)


def test_two_facts_of_the_same_words_as_a_memory_are_left_to_the_judge() -> None:
    found = gate(candidacy([again(), again(GHENT, "t8")], [record(GHENT)]))

    assert (found.settled.groups, len(found.rest.facts)) == ((), 2)


def test_equal_facts_about_different_people_stay_apart() -> None:
    ines, moss = fact(GHENT, subject="Ines"), fact(GHENT, subject="Moss")

    assert gate(candidacy([ines, moss], offered={"f1": (), "f2": ()})).settled.new == ("f1", "f2")


def test_a_memory_that_another_fact_may_change_is_left_to_the_judge() -> None:
    contested = candidacy([again(), again("Moved to Porto")], [record(GHENT)])

    found = gate(contested)

    assert found.settled == Groups(groups=(), new=())
    assert len(found.rest.facts) == 2


def test_a_request_to_forget_is_never_a_repetition() -> None:
    asked = [fact(GHENT, kind="forget"), fact(GHENT, kind="forget")]

    assert gate(candidacy(asked, [record(GHENT)])).settled.groups == ()
    assert gate(candidacy(asked, offered={"f1": (), "f2": ()})).settled.new == ("f1", "f2")


def test_the_judges_finding_comes_back_under_the_old_labels() -> None:
    case = candidacy(
        [again(), fact("Has three cats")],
        [record(GHENT), record("Has two cats")],
        {"f1": ("c1",), "f2": ("c2",)},
    )
    gated = gate(case)
    assert gated.rest.offered == (("c1",),)
    judged = Group(why="w", members=("f1", "c1"), relation="update")

    found = gated.joined(Groups(groups=(judged,), new=()))

    assert [group.members for group in found.groups] == [("f1", "c1"), ("f2", "c2")]


texts = st.sampled_from(["a cat", "A cat.", "two cats", "a dog", "no dog"])
kinds = st.sampled_from(["fact", "fact", "forget"])
facts = st.lists(st.builds(lambda text, kind: fact(text, kind=kind), texts, kinds), max_size=4)
cases = st.builds(candidacy, facts, st.lists(texts.map(record), max_size=3))


@given(cases)
def test_every_fact_is_settled_or_asked_about_once_and_no_memory_twice(case: Candidacy) -> None:
    gated = gate(case)
    found = gated.joined(
        Groups(groups=(), new=tuple(f"f{n + 1}" for n in range(len(gated.rest.facts))))
    )

    named = [one for group in found.groups for one in group.members]
    left = set(gated.labels.values())
    assert sorted([*(one for one in named if one[0] == "f"), *found.new]) == sorted(
        f"f{n + 1}" for n in range(len(case.facts))
    )
    assert len(set(named)) == len(named)
    assert not left & set(named)
