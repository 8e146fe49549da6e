"""A sentence said ten times in one batch is one fact."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.memory import Fact
from tests.build import NOW, at, fact, uid
from worker.core.judging.equal_facts import merged

GHENT = "Lives in Ghent"


def test_equal_facts_are_one_with_the_turns_and_identifiers_of_all() -> None:
    facts = [
        fact("lives in Ghent.", turn_ids=(uid("t1"),), said_at=at(-1), identifiers=("a",)),
        fact("Has a cat"),
        fact(GHENT, turn_ids=(uid("t2"),), identifiers=("b",)),
        fact("Lives in  Ghent!", turn_ids=(uid("t3"),), said_at=at(-2), attribute="home"),
    ]

    one, other = merged(facts)

    assert (one.text, one.said_at, one.attribute) == (GHENT, NOW, "home")
    assert one.turn_ids == (uid("t1"), uid("t2"), uid("t3"))
    assert one.identifiers == ("a", "b")
    assert other == facts[1]


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "Lives in Gent"},
        {"subject": "Ines"},
        {"kind": "preference"},
        {"until": at(5)},
        {"happened_at": "2024"},
        {"authority": "assistant"},
        {"after": "Lives in Porto"},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_facts_that_differ_in_what_they_say_stay_apart(fields: dict[str, Any]) -> None:
    facts = (fact(GHENT), fact(**{"text": GHENT, **fields}))

    assert merged(facts) == facts


def test_requests_to_forget_stay_apart() -> None:
    facts = (fact(GHENT, kind="forget"), fact(GHENT, kind="forget"))

    assert merged(facts) == facts


def test_ends_that_nobody_named_are_one_and_the_latest_stands() -> None:
    facts = [fact(GHENT, until=at(14 + n), until_assumed=True, said_at=at(n)) for n in (0, 1)]

    (one,) = merged(facts)

    assert one.until == at(15)


@given(
    st.lists(
        st.builds(
            fact,
            st.sampled_from(["a cat", "A cat.", "no cat", "a dog"]),
            kind=st.sampled_from(["fact", "forget"]),
            turn_ids=st.sampled_from([(uid("t1"),), (uid("t2"),), (uid("t1"), uid("t3"))]),
            said_at=st.sampled_from([NOW, at(-1)]),
        ),
        max_size=6,
    )
)
def test_no_turn_gets_lost_and_merging_again_changes_nothing(facts: list[Fact]) -> None:
    found = merged(facts)

    assert {id for one in found for id in one.turn_ids} == {id for f in facts for id in f.turn_ids}
    assert merged(found) == found
