"""One finding from several calls."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import at, candidacy, fact, record
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.groups.members import is_sound
from worker.core.judging.gathering import FAILED, TAKEN, gathered, without
from worker.core.judging.pieces import Piece

CASE = candidacy(
    [fact("Lives in Ghent"), fact("Has a cat"), fact("Moved to Ghent", said_at=at(1))],
    [record("Lives in Porto"), record("Has a dog")],
    {"f1": ("c1", "f3"), "f2": ("c2",), "f3": ("c1", "f1")},
)


def group(*members: str, relation: Any = "update", **fields: Any) -> Group:
    return Group(why=f"why {relation}", members=members, relation=relation, **fields)


def of(fact: str, *groups: Group, case: Candidacy = CASE) -> tuple[Piece, Groups]:
    """What the call about one fact found, under the labels of that call."""
    piece = Piece(case, (fact,))
    own = {old: new for new, old in piece.cut[1].items()}
    grouped = {one for found in groups for one in found.members}
    return piece, Groups(
        groups=tuple(
            one.model_copy(update={"members": tuple(own[m] for m in one.members)}) for one in groups
        ),
        new=() if fact in grouped else (own[fact],),
    )


def test_findings_come_back_under_the_labels_of_the_whole() -> None:
    found = gathered(CASE, [of("f1", group("f1", "c1")), of("f2", group("f2", "c2")), of("f3")], 8)

    assert [one.members for one in found.groups] == [("f1", "c1"), ("f2", "c2")]
    assert (found.new, found.flagged) == (("f3",), {})


def test_what_failed_is_new_and_says_why() -> None:
    failed = (Piece(CASE, ("f1",)), "3 rules broken")

    found = gathered(CASE, [failed, of("f2", group("f2", "c2")), of("f3")], 8)

    assert found.new == ("f1", "f3")
    assert found.flagged == {"f1": f"{FAILED}: 3 rules broken"}


@pytest.mark.parametrize(
    "verdicts, strongest",
    [
        (("same", "same"), "same"),
        (("update", "same"), "update"),
        (("same", "contradict"), "contradict"),
        (("contradict", "update"), "contradict"),
    ],
)
def test_facts_that_claim_one_memory_are_one_group_under_the_strongest_verdict(
    verdicts: tuple[Any, Any], strongest: str
) -> None:
    one, other = verdicts
    found = gathered(
        CASE,
        [
            of("f1", group("f1", "c1", relation=one, text="a text of one alone")),
            of("f2"),
            of("f3", group("f3", "c1", relation=other)),
        ],
        8,
    )

    (joined,) = found.groups
    assert sorted(joined.members) == ["c1", "f1", "f3"]
    assert (joined.relation, joined.text, joined.written) == (strongest, None, False)
    assert found.new == ("f2",)


def test_what_was_new_alone_is_not_new_once_a_later_fact_joins_it() -> None:
    found = gathered(CASE, [of("f1"), of("f2"), of("f3", group("f3", "f1", relation="same"))], 8)

    assert [one.members for one in found.groups] == [("f3", "f1")]
    assert found.new == ("f2",)


def test_without_an_offer_to_the_newest_the_later_fact_is_new_and_flagged() -> None:
    apart = candidacy(
        [fact("Is in Ghent"), fact("Moved", said_at=at(1))],
        [record("Lives in Porto"), record("Rents in Porto")],
        {"f1": ("c1", "c2"), "f2": ("c1",)},
    )

    found = gathered(
        apart,
        [of("f1", group("f1", "c1", "c2"), case=apart), of("f2", group("f2", "c1"), case=apart)],
        8,
    )

    assert [one.members for one in found.groups] == [("f1", "c1", "c2")]
    assert (found.new, found.flagged) == (("f2",), {"f2": TAKEN})


def test_a_group_never_grows_past_its_size() -> None:
    found = gathered(CASE, [of("f1", group("f1", "c1")), of("f3", group("f3", "c1"))], 2)

    assert [one.members for one in found.groups] == [("f1", "c1")]
    assert found.flagged == {"f3": TAKEN}


def test_a_request_to_forget_is_never_joined_with_another_verdict() -> None:
    found = gathered(
        CASE, [of("f1", group("f1", "c1", relation="forget")), of("f3", group("f3", "c1"))], 8
    )

    assert [one.relation for one in found.groups] == ["forget"]
    assert found.flagged == {"f3": TAKEN}


def wish(days: float, *offered: str) -> Candidacy:
    """A fact, and a request to forget that was said so many days after it."""
    return candidacy(
        [fact("Sold the Saab"), fact("Forget the Saab", kind="forget", said_at=at(days))],
        [record("Owns a Saab")],
        {"f1": ("c1",), "f2": ("c1", *offered)},
    )


@pytest.mark.parametrize("days", [1, 0, -1])
def test_a_request_to_forget_comes_before_whatever_else_claims_a_memory(days: float) -> None:
    case = wish(days)
    groups = (group("f1", "c1"), group("f2", "c1", relation="forget"))

    found = gathered(
        case, [of(f"f{n}", one, case=case) for n, one in enumerate(groups, start=1)], 8
    )

    assert found.groups == (groups[1],)
    assert (found.new, found.flagged) == (("f1",), {"f1": TAKEN})


def test_what_it_may_mean_and_was_said_before_goes_with_it() -> None:
    case = wish(1, "f1")

    found = gathered(
        case,
        [
            of("f1", group("f1", "c1"), case=case),
            of("f2", group("f2", "c1", relation="forget"), case=case),
        ],
        8,
    )

    (joined,) = found.groups
    assert (set(joined.members), joined.relation) == ({"f1", "f2", "c1"}, "forget")
    assert (joined.written, found.flagged) == (False, {})


def test_groups_without_words_are_undone_and_their_facts_flagged() -> None:
    kept, failed = group("f2", "c2"), group("f1", "c1", written=False)

    found = without(CASE, Groups(groups=(failed, kept), new=("f3",)), {failed: "2 rules broken"})

    assert found.groups == (kept,)
    assert (found.new, found.flagged) == (("f1", "f3"), {"f1": f"{FAILED}: 2 rules broken"})


@given(st.data())
def test_whatever_single_facts_claim_no_member_is_in_two_groups_and_no_fact_gets_lost(
    data: st.DataObject,
) -> None:
    count = data.draw(st.integers(1, 6))
    labels = [f"f{n}" for n in range(1, count + 1)] + ["c1", "c2", "c3"]
    offers = {
        f"f{n}": tuple(data.draw(st.lists(st.sampled_from(labels), unique=True)))
        for n in range(1, count + 1)
    }
    offers = {one: tuple(o for o in offer if o != one) for one, offer in offers.items()}
    case = candidacy(
        [fact(f"fact {n}", said_at=at(data.draw(st.integers(0, 2)))) for n in range(count)],
        [record(f"memory {n}") for n in range(3)],
        offers,
    )
    found = []
    for label in case.fact_labels:
        cut, back = Piece(case, (label,)).cut
        (own,) = cut.asked_labels
        hits = data.draw(st.lists(st.sampled_from(cut.offered_to(own) or (own,)), unique=True))
        members = tuple(back[one] for one in dict.fromkeys((own, *hits)))
        relation = data.draw(st.sampled_from(["same", "update", "contradict", "forget"]))
        found.append(
            of(
                label,
                *([group(*members, relation=relation)] if len(members) > 1 else []),
                case=case,
            )
        )

    whole = gathered(case, found, 8)

    named = [one for joined in whole.groups for one in joined.members]
    assert len(named) == len(set(named))
    assert {*named, *whole.new} >= set(case.fact_labels)
    assert not set(named) & set(whole.new)
    assert all(is_sound(case, joined.members) for joined in whole.groups)
    assert set(whole.flagged) <= set(whole.new)
