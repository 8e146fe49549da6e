"""What a group comes to, before anything is written."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from schemas.memory import Fact, MemoryRecord
from tests.build import NOW, at, candidacy, fact, record
from worker.core.groups.judgment import Group
from worker.core.groups.outcome import NO_UPDATE, PINNED, UNFAITHFUL, Outcome, outcome
from worker.core.groups.setting import Resolver


def come(
    facts: list[Fact],
    memories: list[MemoryRecord],
    relation: str,
    resolver: Resolver = "rewrite",
    **fields: Any,
) -> Outcome:
    """What all of them in one group come to."""
    case = replace(candidacy(facts, memories), asked_at=NOW)
    members = (*case.fact_labels, *case.memory_labels)
    given = {"why": "w", "members": members, "relation": relation, **fields}
    return outcome(case, Group.model_validate(given), resolver)


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
        ("The user has 2 dogs", DOGS, "User owns both dogs", DOGS),
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
        ("User loves opera now", "User dislikes opera", None, None),
        ("User dislikes opera", "User loves opera", None, None),
        ("User smokes", "User quit smoking", None, None),
        ("User hates opera", "User dislikes opera", None, "User hates opera"),
        ("User does not like opera", "User dislikes opera", None, "User does not like opera"),
        (
            "User hates mornings, has a dog",
            "User has a dog",
            None,
            "User hates mornings, has a dog",
        ),
        ("猫が好き", "猫が嫌い", None, None),
        ("Ama la ópera", "Odia la ópera", None, None),
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


@pytest.mark.parametrize("blank", ["", "  ", "\u200b", "..."])
def test_words_that_say_nothing_are_none(blank: str) -> None:
    drinks = fact("User drinks Americano", until=at(9))

    found = come([drinks], [record(POUR_OVER)], "update", text=blank, after=blank)

    assert (found.text, found.after) == ("User drinks Americano", POUR_OVER)


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


# -- what an update writes

RESOLVERS: tuple[Resolver, ...] = ("keep", "replace", "rewrite")
TRAM, WALKS = "User takes the tram to work", "User walks to work"


@pytest.mark.parametrize("relation", ["update", "contradict"])
@pytest.mark.parametrize("said_at", [NOW, at(-60)])
@pytest.mark.parametrize("pinned", [True, False])
def test_what_is_kept_stands_beside_what_it_would_have_replaced_and_nothing_is_open(
    relation: str, said_at: datetime, pinned: bool
) -> None:
    found = come(
        [fact(WALKS, said_at=said_at)], [record(TRAM, pinned=pinned)], relation, "keep", text="x"
    )

    assert (found.kind, names(found.beside), found.flag) == ("beside", ["f1"], None)
    assert found.replaced == ()


def test_memories_alone_are_left_alone_where_updates_are_kept() -> None:
    found = come([], [record(TRAM), record(WALKS, said_at=at(-1))], "update", "keep")

    assert (found.kind, found.beside) == ("beside", ())


@pytest.mark.parametrize(
    ("resolver", "text", "after"),
    [("replace", WALKS, TRAM), ("rewrite", "User walks", "User sails")],
)
def test_what_is_replaced_takes_the_newest_words_and_none_of_the_judges(
    resolver: Resolver, text: str, after: str
) -> None:
    walks = fact(WALKS, until=at(9))

    found = come([walks], [record(TRAM)], "update", resolver, text="User walks", after="User sails")

    assert (found.kind, found.text, found.after, found.replaced) == (
        "update",
        text,
        after,
        ("c1",),
    )


@pytest.mark.parametrize("resolver", RESOLVERS)
def test_a_repetition_and_a_request_come_to_the_same_whatever_an_update_writes(
    resolver: Resolver,
) -> None:
    again = come([fact("User has 2 dogs, Olive")], [record(DOGS)], "same", resolver)
    gone = come([REQUEST], [record("Takes pills, swims")], "forget", resolver, text="swims")

    assert (again.kind, again.text) == ("same", "User has 2 dogs, Olive")
    assert (gone.kind, gone.text, gone.replaced) == ("forget", "swims", ("c1",))


# -- whose word it is


@pytest.mark.parametrize("relation", ["same", "update"])
def test_what_a_machine_said_has_no_say_and_takes_nobodys_say_away(relation: str) -> None:
    facts = [fact("User drinks 2 teas"), fact("User drinks tea a lot", authority="assistant")]

    found = come(facts, [record("User drinks tea")], relation)

    assert (found.kind, names(found.members), found.text) == (
        relation,
        ["f1", "c1"],
        "User drinks 2 teas",
    )
    assert (names(found.beside), found.flag) == (["f2"], None)


def test_what_was_offered_to_the_machines_fact_alone_is_not_touched() -> None:
    facts = [fact("User drinks green tea"), fact("User drinks tea", authority="tool")]
    offered = {"f1": ("f2",), "f2": ("f1", "c1")}
    case = candidacy(facts, [record("User likes tea")], offered)
    group = Group(why="", members=("f1", "f2", "c1"), relation="update")

    found = outcome(case, group)

    assert (found.kind, names(found.beside)) == ("beside", ["f2", "f1"])


@pytest.mark.parametrize("facts", [[], [fact("User drinks coffee", said_at=at(-40))]])
def test_a_machines_later_memory_takes_the_place_of_nothing_that_a_person_said(
    facts: list[Fact],
) -> None:
    rumour = record("User drinks water", said_at=at(-1), authority="assistant")

    found = come(facts, [rumour, record("User drinks tea")], "update")

    assert (found.kind, found.replaced, len(found.beside)) == ("beside", (), len(facts))


def test_of_memories_called_the_same_a_persons_lives_on() -> None:
    rumour = record("User drinks tea!", authority="assistant", confirmations=9)

    found = come([fact("User drinks tea")], [rumour, record("User drinks tea")], "same")

    assert (found.survivor.label if found.survivor else None, found.replaced) == ("c2", ("c1",))


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
