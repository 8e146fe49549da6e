"""Fact by fact, where the judge of a whole batch keeps answering badly."""

from tests.build import candidacy, fact, record
from worker.core.judgment import Group, Groups
from worker.core.singly import gathered, singly

CASE = candidacy(
    [fact("Lives in Ghent"), fact("Has a cat"), fact("Moved to Ghent")],
    [record("Lives in Porto"), record("Has a dog")],
    {"f1": ("c1", "f3"), "f2": ("c2",), "f3": ("c1", "f1")},
)


def finding(*members: str) -> Groups:
    if len(members) == 1:
        return Groups(groups=(), new=members)
    return Groups(groups=(Group(why="w", members=members, relation="update"),), new=())


def test_each_fact_comes_with_its_own_memories_only() -> None:
    singles = singly(CASE)

    assert [one.candidacy.offered for one in singles] == [(("c1",),)] * 3
    assert [one.candidacy.candidates[0].memory.text for one in singles] == [
        "Lives in Porto",
        "Has a dog",
        "Lives in Porto",
    ]


def test_findings_come_back_under_the_labels_of_the_whole() -> None:
    found = gathered(singly(CASE), [finding("f1", "c1"), finding("f1", "c1"), finding("f1")])

    assert [group.members for group in found.groups] == [("f1", "c1"), ("f2", "c2")]
    assert found.new == ("f3",)
    assert found.flagged == {}


def test_what_still_fails_is_new_and_says_why() -> None:
    found = gathered(singly(CASE), ["c9 is not there", finding("f1", "c1"), finding("f1")])

    assert found.new == ("f1", "f3")
    assert found.flagged == {"f1": "its judgment failed: c9 is not there"}


def test_a_memory_is_changed_by_one_fact_only() -> None:
    found = gathered(singly(CASE), [finding("f1", "c1"), finding("f1"), finding("f1", "c1")])

    assert [group.members for group in found.groups] == [("f1", "c1")]
    assert found.new == ("f2", "f3")
    assert list(found.flagged) == ["f3"]
