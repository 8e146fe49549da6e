"""What a group comes to, before anything is written."""

from dataclasses import replace
from typing import Any

import pytest

from schemas.memory import Fact, MemoryRecord
from tests.build import NOW, at, candidacy, fact, record
from worker.core.judgment import Group
from worker.core.outcome import NO_UPDATE, PINNED, UNFAITHFUL, Outcome, outcome


def come(facts: list[Fact], memories: list[MemoryRecord], relation: str, **fields: Any) -> Outcome:
    """What all of them in one group come to."""
    case = replace(candidacy(facts, memories), asked_at=NOW)
    members = (*case.fact_labels, *case.memory_labels)
    given = {"why": "w", "members": members, "relation": relation, **fields}
    return outcome(case, Group.model_validate(given))


def names(members: tuple[Any, ...]) -> list[str]:
    return [one.label for one in members]


# -- the same

MEAT, NO_MEAT = "User eats meat", "User does not eat meat"
BARKS_NOT = "User has a dog that does not bark"
DOGS, NAMED = "User has two dogs", "User has two dogs, Biscuit and Olive"


@pytest.mark.parametrize(
    ("said", "known", "text", "stands"),
    [
        (DOGS, DOGS, None, DOGS),
        ("The user owns 2 dogs", DOGS, "User owns both dogs", DOGS),
        (DOGS, NAMED, None, NAMED),
        (NAMED, DOGS, None, NAMED),
        ("User has two dogs, Olive", "User has two dogs, Biscuit", NAMED, NAMED),
        ("User has two dogs, Olive", "User has two dogs, Biscuit", None, None),
        ("User has two dogs, Olive", "User has two dogs, Biscuit", f"{NAMED} and Rex", None),
        ("Code QX-181: lid open", "Code QX-118: lid open", None, None),
        ("User pays 40 dollars", "User pays 30 dollars", "User pays dollars", None),
        (NO_MEAT, MEAT, None, None),
        (MEAT, NO_MEAT, None, None),
        (NO_MEAT, MEAT, NO_MEAT, None),
        ("User lives in Ghent", "User no longer lives in Ghent", None, None),
        ("肉を食べる", "肉を食べない", None, None),
        ("User has a dog", BARKS_NOT, None, BARKS_NOT),
        ("User eats no meat", NO_MEAT, None, NO_MEAT),
    ],
)
def test_what_was_said_again_stands_in_words_that_keep_all_or_not_at_all(
    said: str, known: str, text: str | None, stands: str | None
) -> None:
    found = come([fact(said)], [record(known)], "same", text=text)

    assert found.text == stands
    assert (found.kind, found.flag) == (("same", None) if stands else ("beside", UNFAITHFUL))


def test_a_pinned_memory_is_confirmed_in_its_own_words_and_takes_in_no_other() -> None:
    rosa = record("Contact is Rosa", pinned=True)
    again = come([fact("Contact is Rosa")], [rosa, record("Contact is Rosa!")], "same")
    richer = come([fact("Contact is Rosa, 555-0199")], [rosa], "same")

    assert (again.kind, names(again.members), again.replaced) == ("same", ["f1", "c1"], ())
    assert (richer.kind, richer.flag) == ("beside", PINNED)


# -- what stands again

POUR_OVER, ESPRESSO = "User drinks pour-over", "User drinks espresso"


@pytest.mark.parametrize(
    ("facts", "memories", "after", "expected"),
    [
        ([], [record(POUR_OVER)], None, POUR_OVER),
        ([], [record(POUR_OVER)], ESPRESSO, ESPRESSO),
        ([fact(POUR_OVER, said_at=at(-1))], [], None, POUR_OVER),
        ([fact(POUR_OVER, said_at=at(-1))], [record(ESPRESSO)], None, POUR_OVER),
        ([], [record("User drinks tea", until=at(5), after=POUR_OVER)], None, POUR_OVER),
        ([], [record("User drinks tea", until=at(5))], None, None),
        ([], [record("User drinks tea", until=at(5)), record(POUR_OVER)], None, POUR_OVER),
        ([], [record("User drinks tea", until=at(-1), after=POUR_OVER)], None, POUR_OVER),
    ],
)
def test_after_something_temporary_the_last_lasting_thing_stands_again(
    facts: list[Fact], memories: list[MemoryRecord], after: str | None, expected: str | None
) -> None:
    newest = fact("User drinks Americano", until=at(9))

    assert come([newest, *facts], memories, "update", after=after).after == expected


def test_without_an_end_nothing_stands_again() -> None:
    found = come([fact("User drinks Americano")], [record(POUR_OVER)], "update", after=ESPRESSO)

    assert found.after is None


# -- by whom, and when


def test_memories_alone_are_merged_under_the_newest() -> None:
    found = come([], [record("User has a dog"), record(NAMED, said_at=at(-1))], "update")

    assert (found.kind, found.text, found.replaced) == ("update", NAMED, ("c2", "c1"))


def test_what_arrives_late_changes_nothing() -> None:
    found = come(
        [fact("User lives in Oslo", said_at=at(-60))], [record("User lives in Rome")], "update"
    )

    assert (found.kind, found.text, found.replaced) == ("late", None, ())


@pytest.mark.parametrize(
    ("given", "memory", "relation", "flag"),
    [
        ({"kind": "forget"}, {}, "update", NO_UPDATE),
        ({"authority": "assistant"}, {}, "same", None),
        ({}, {"pinned": True}, "contradict", PINNED),
        ({"kind": "forget", "authority": "tool"}, {}, "forget", None),
    ],
)
def test_what_may_not_change_a_memory_stays_beside_it(
    given: dict[str, Any], memory: dict[str, Any], relation: str, flag: str | None
) -> None:
    found = come(
        [fact("User drinks tea", **given)], [record("User drinks tea", **memory)], relation
    )

    assert (found.kind, names(found.beside), found.flag) == ("beside", ["f1"], flag)


# -- please forget

REQUEST = fact("forget the pills", kind="forget")


def test_a_request_concerns_only_what_was_said_before_it() -> None:
    earlier = REQUEST.model_copy(update={"said_at": at(-10)})
    since = fact("my number is 99887")
    known = [record("Number is 123", said_at=at(-20)), record("Number is 456", said_at=at(-1))]

    found = come([earlier, since], known, "forget")

    assert names(found.members) == ["f1", "c1"]
    assert names(found.beside) == ["f2"]


def test_a_machines_request_beside_a_persons_does_not_stop_it() -> None:
    echo = fact("forget the pills, please", kind="forget", authority="assistant")

    found = come([REQUEST, echo], [record("User takes pills")], "forget")

    assert (found.kind, found.replaced, names(found.beside)) == ("forget", ("c1",), ["f2"])


@pytest.mark.parametrize(
    ("memory", "text", "after", "keeps_end", "stands_again"),
    [
        ({"until": at(5), "after": "Cycles"}, "Takes the tram", None, True, None),
        ({"until": at(5), "after": "Cycles"}, "Takes the tram", "Cycles", True, "Cycles"),
        ({"until": at(5), "after": "Takes pills and cycles"}, "Cycles", None, False, None),
        ({"until": at(-5), "after": "Takes pills and cycles"}, "Cycles", None, False, None),
        ({}, "Takes the tram", "Takes pills", False, None),
    ],
)
def test_what_remains_ends_when_it_was_to_end_and_nothing_unsaid_comes_back(
    memory: dict[str, Any],
    text: str,
    after: str | None,
    keeps_end: bool,
    stands_again: str | None,
) -> None:
    known = record("Takes pills and the tram", **memory)

    found = come([REQUEST], [known], "forget", text=text, after=after)

    assert (found.text, found.keeps_end, found.after) == (text, keeps_end, stands_again)
