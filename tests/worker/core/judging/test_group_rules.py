"""The rules that groups have to keep, one by one."""

from datetime import timedelta
from typing import Any

import pytest

from tests.build import NOW, at, candidacy, fact, record
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.groups.setting import Resolver
from worker.core.judging.group_rules import complaints

OPERA = candidacy(
    [fact("Loves opera now"), fact("Reads on the tram")],
    [record("Dislikes opera"), record("Subscribes to a printed newspaper")],
    {"f1": ("c1", "c2"), "f2": ("c2", "f1")},
)


def group(*members: str, **fields: Any) -> Group:
    return Group(**{"why": "", "members": members, "relation": "update", **fields})


def wrong(
    case: Candidacy,
    *groups: Group,
    new: tuple[str, ...] = (),
    most: int = 8,
    resolver: Resolver = "rewrite",
) -> list[str]:
    return complaints(case, Groups(groups=groups, new=new), most, resolver)


def test_a_finding_that_keeps_every_rule_is_not_complained_about() -> None:
    assert wrong(OPERA, group("f1", "c1", relation="contradict"), new=("f2",)) == []
    assert wrong(OPERA, new=("f1", "f2")) == []


@pytest.mark.parametrize(
    "groups, new, expected",
    [
        ([], ("f1",), "f2 is missing"),
        ([group("f1", "c1")], ("f1", "f2"), "f1 stands 2 times"),
        ([group("f1", "c2"), group("f2", "c2")], (), "c2 is in 2 groups"),
        ([group("f1", "c9")], ("f2",), "c9 is not among the labels"),
        ([group("f1", "t1")], ("f2",), "t1 is not among the labels"),
        ([group("f2", "c1")], ("f1",), "c1 was not offered to f2"),
        ([group("c1", "c2")], ("f1", "f2"), "has no fact"),
        ([group("f1", "c1", relation="forget")], ("f2",), 'no fact of kind "forget"'),
        (
            [group("f1", "c1", relation="same", drops=("opera",))],
            ("f2",),
            '"drops" have to be empty',
        ),
        ([group("f1", "c1", drops=("ballet",))], ("f2",), "no literal piece"),
        ([group("f1", "c1", drops=("Loves",))], ("f2",), "no literal piece"),
        ([group("f1", "c1", text="Dislikes opera")], ("f2",), "does not say what is new in f1"),
        ([group("f1", "c2")], ("f2",), 'loses all of "Subscribes'),
        ([group("f1", "c1", text="Loves opera since 1999")], ("f2",), "adds the number 1999"),
    ],
)
def test_each_broken_rule_is_told_in_words(
    groups: list[Group], new: tuple[str, ...], expected: str
) -> None:
    found = wrong(OPERA, *groups, new=new)

    assert any(expected in one for one in found), found


@pytest.mark.parametrize(
    ("known", "said", "text", "is_fine"),
    [
        (
            "Keeps geese in the orchard",
            "Breeds two rare alpacas in the meadow",
            "Keeps two geese in the orchard",
            False,
        ),
        (
            "Keeps geese in the orchard",
            "Breeds two rare alpacas in the meadow",
            "Keeps geese in the orchard, two rare alpacas in the meadow",
            True,
        ),
        (
            "Takes the stairs",
            "Has to use the lift because of a sprained ankle",
            "Uses the lift, no longer the stairs, because of an ankle",
            True,
        ),
        ("Takes the stairs", "Has to use the lift with a sprained ankle", "Uses the stairs", False),
        (
            "Ajaa bussilla",
            "Osti käytetyn polkupyörän",
            "Ajaa käytetyllä polkupyörällä, ei enää bussilla",
            True,
        ),
        ("在银行工作", "辞掉了银行的工作，开了一家面包店", "开面包店，以前在银行工作", True),
        ("在银行工作", "辞掉了银行的工作，开了一家面包店", "在银行工作，开门", False),
        ("電車で通勤", "自転車を買って会社に行く", "自転車で通勤、以前は電車", True),
        ("電車で通勤", "自転車を買って会社に行く", "電車で通勤、社員", False),
        (
            "서울에서 산다",
            "부산으로 이사해서 혼자 살고 있다",
            "부산에서 혼자 산다, 전에는 서울에서",
            True,
        ),
        ("서울에서 산다", "부산으로 이사해서 혼자 살고 있다", "서울에서 혼자 산다", False),
        ("ดื่มกาแฟทุกเช้า", "เลิกกาแฟแล้วหันมาดื่มชาเขียว", "ดื่มชาเขียวทุกเช้าแทนกาแฟ", True),
        ("ดื่มกาแฟทุกเช้า", "เลิกกาแฟแล้วหันมาดื่มชาเขียว", "ดื่มกาแฟเขียวทุกเช้า", False),
    ],
)
def test_one_word_of_what_is_new_does_not_stand_for_all_of_it(
    known: str, said: str, text: str, *, is_fine: bool
) -> None:
    case = candidacy([fact(said)], [record(known)])

    found = wrong(case, group("f1", "c1", drops=(known,), text=text))

    assert any("does not say what is new" in one for one in found) is not is_fine, found


def test_members_must_all_have_been_offered_to_the_newest_fact() -> None:
    twins = candidacy(
        [fact("Has two cats"), fact("Has two cats, Mia and Tom")],
        [record("Has a cat"), record("Has pets")],
        {"f1": ("c1", "c2", "f2"), "f2": ("c1", "f1")},
    )

    assert wrong(twins, group("f1", "f2", "c1")) == []
    assert "c2 was not offered to f2" in wrong(twins, group("f1", "f2", "c2"))[0]


def test_a_group_has_no_more_members_than_allowed() -> None:
    case = candidacy([fact("a dog")], [record(f"dog {name}") for name in "xyz"])

    assert wrong(case, group("f1", "c1", "c2", "c3", relation="same"), most=3) == [
        "the group of f1, c1, c2, c3 has 4 members; at most 3 may be joined"
    ]


def test_what_is_to_be_forgotten_may_stand_in_more_memories_than_are_one_thing() -> None:
    request = fact("Forget the dogs", kind="forget")
    case = candidacy([request], [record(f"dog {name}") for name in "abcdefghijk"])
    labels = [f"c{at}" for at in range(1, 12)]

    assert wrong(case, group("f1", *labels[:8], relation="forget"), most=3) == []
    assert (
        "at most 9 may be joined" in wrong(case, group("f1", *labels, relation="forget"), most=3)[0]
    )


def test_a_drop_may_not_take_more_than_a_clause() -> None:
    case = candidacy(
        [fact("Moved to Ghent")],
        [record("Lives in Porto by the river. Works at the library there.")],
    )
    whole = group("f1", "c1", drops=("Lives in Porto by the river. Works at the library there.",))
    pieces = group("f1", "c1", drops=("Lives in Porto by the river", "works at the library there"))

    assert any("longer than a clause" in one for one in wrong(case, whole))
    assert wrong(case, pieces) == []


def test_what_is_dropped_need_not_be_kept() -> None:
    case = candidacy([fact("Drinks tea in the morning")], [record("Drinks two coffees with Rosa")])

    assert wrong(case, group("f1", "c1")) != []
    assert wrong(case, group("f1", "c1", drops=("two coffees with Rosa",))) == []


def test_a_temporary_state_loses_nothing_because_the_old_one_stands_again() -> None:
    old = [record("Drinks pour-over from Rosa's cup at 6 am")]
    for_a_while = candidacy([fact("Drinks an Americano", until=at(14))], old)
    for_good = candidacy([fact("Drinks an Americano")], old)

    assert wrong(for_a_while, group("f1", "c1")) == []
    assert wrong(for_good, group("f1", "c1")) != []
    assert wrong(for_a_while, group("f1", "c1", after="Drinks pour-over in Rome")) != []
    assert (
        wrong(for_a_while, group("f1", "c1", after="Drinks stolen pour-over from Rosa's cup, 6 am"))
        != []
    )
    assert wrong(for_a_while, group("f1", "c1", after="Drinks pour-over, 6 am, Rosa's cup")) == []


def test_a_late_fact_writes_nothing_so_its_text_is_no_matter() -> None:
    late = candidacy(
        [fact("Started at the bakery in Harbour Street", said_at=at(-60))],
        [record("Works at the tram depot")],
    )

    assert wrong(late, group("f1", "c1", relation="contradict", text="Works at the bakery")) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Has dogs in Rome, Biscuit and Olive", None),
        (None, None),
        ("Has dogs in Rome, Biscuit", 'it lacks the name "olive"'),
        ("Has dogs in Rome, Biscuit, Olive and Rex", 'no member says the name "rex"'),
        ("Does not have dogs in Rome, Biscuit and Olive", "the contrary"),
    ],
)
def test_new_words_for_what_was_said_again_are_looked_at_wherever_they_would_stand(
    text: str | None, expected: str | None
) -> None:
    one = candidacy([fact("Has dogs in Rome, Olive")], [record("Has dogs in Rome, Biscuit")])

    found = wrong(one, group("f1", "c1", relation="same", text=text))

    assert any(expected in told.casefold() for told in found) if expected else found == []


@pytest.mark.parametrize(
    "one, other, differ",
    [
        ("2024-05", "2025-05", True),
        ("2024", "2025-05", True),
        ("2025", "2025-05", False),
        (None, "2025-05", False),
    ],
)
def test_what_happened_at_another_time_is_not_the_same(
    one: str | None, other: str, differ: bool
) -> None:
    ran = "Ran the Oslo marathon"
    case = candidacy([fact(ran, happened_at=other)], [record(ran, happened_at=one)])

    found = wrong(case, group("f1", "c1", relation="same", text=ran))

    assert ("happened at" in str(found)) is differ


def test_without_a_person_behind_the_request_its_text_is_no_matter() -> None:
    case = candidacy([fact("Forget it", kind="forget", authority="tool")], [record("Has a dog")])

    assert wrong(case, group("f1", "c1", relation="forget", text="Has 7 cats")) == []


def test_memories_alone_are_joined_where_they_were_all_nominated() -> None:
    sleeping = candidacy([], [record("Has two dogs"), record("Has 2 dogs"), record("Has a cat")])

    assert wrong(sleeping, group("c1", "c2", relation="same")) == []
    assert any("loses" in one for one in wrong(sleeping, group("c1", "c3")))


FORGET = candidacy(
    [
        fact("Wants the heart condition forgotten", kind="forget"),
        fact("Cycles", said_at=NOW - timedelta(1)),
    ],
    [record("Has a heart condition. Cycles to work.")],
)


@pytest.mark.parametrize(
    "given, expected",
    [
        (
            group("f1", "c1", relation="forget", drops=("Has a heart condition. Cycles to work.",)),
            None,
        ),
        (
            group(
                "f1",
                "c1",
                relation="forget",
                drops=("Has a heart condition",),
                text="Cycles to work.",
            ),
            None,
        ),
        (group("f1", "c1", relation="forget", text="Cycles to work."), "loses all of"),
        (group("f1", "c1", relation="forget", text="Has asthma, cycles with Bo"), 'the name "Bo"'),
        (group("f1", "c1", relation="update"), "asks to forget"),
    ],
)
def test_forgetting_takes_what_it_names_and_leaves_the_rest(
    given: Group, expected: str | None
) -> None:
    found = wrong(FORGET, given, new=("f2",))

    assert any(expected in one for one in found) if expected else found == []


OVERLAY = record(
    "Takes heart pills and the tram", until=at(5), after="Rides a bicycle to Harbour Street"
)


@pytest.mark.parametrize(
    ("text", "after", "drops", "expected"),
    [
        ("Takes the tram", "Rides a bicycle to Harbour Street", ("heart pills",), None),
        ("Takes the tram", None, ("heart pills",), 'all of "Rides a bicycle'),
        ("Takes the tram", None, ("heart pills", "Rides a bicycle to Harbour Street"), None),
        ("Takes the tram", "Rides with Bo to Harbour Street", ("heart pills",), 'the name "Bo"'),
        (None, None, ("heart pills",), None),
    ],
)
def test_what_would_stand_again_is_forgotten_only_if_it_is_said(
    text: str | None, after: str | None, drops: tuple[str, ...], expected: str | None
) -> None:
    case = candidacy([fact("Wants the heart pills forgotten", kind="forget")], [OVERLAY])

    found = wrong(case, group("f1", "c1", relation="forget", drops=drops, text=text, after=after))

    assert any(expected in one for one in found) if expected else found == []


@pytest.mark.parametrize("resolver", ["keep", "replace"])
def test_words_that_are_not_written_are_no_fault(resolver: Resolver) -> None:
    adrift = group("f1", "c1", drops=("ballet",), text="Loves jazz since 1999", after="Hates tea")

    assert wrong(OPERA, adrift, new=("f2",))
    assert wrong(OPERA, adrift, new=("f2",), resolver=resolver) == []


@pytest.mark.parametrize("resolver", ["keep", "replace"])
def test_who_may_be_in_a_group_does_not_depend_on_what_is_written(resolver: Resolver) -> None:
    assert "was not offered" in wrong(OPERA, group("f2", "c1"), new=("f1",), resolver=resolver)[0]


HEART = record("User has a heart condition, does not eat meat and cycles to work")


@pytest.mark.parametrize(
    ("text", "drops", "expected"),
    [
        ("User does not eat meat and cycles to work", ("has a heart condition",), None),
        ("User cycles to the work, does not eat meat", ("has a heart condition",), None),
        ("User sails, eats no meat, cycles to work", ("has a heart condition",), '"sails"'),
        ("Card 4929 is stolen", (HEART.memory.text,), "number 4929"),
        ("User loves salad", (HEART.memory.text,), '"loves", "salad"'),
        ("User eats meat, cycles to work", ("has a heart condition", "not"), "into its contrary"),
    ],
)
def test_what_remains_after_a_request_to_forget_is_in_the_words_of_the_members(
    text: str, drops: tuple[str, ...], expected: str | None
) -> None:
    case = candidacy([fact("forget my heart condition", kind="forget")], [HEART])

    found = wrong(case, group("f1", "c1", relation="forget", text=text, drops=drops))

    assert (found == []) if expected is None else any(expected in one for one in found), found


@pytest.mark.parametrize(
    ("known", "text", "is_fine"),
    [
        ("猫を二匹飼っていて、薬を飲む", "猫を二匹飼っている", True),
        ("猫を二匹飼っていて、薬を飲む", "犬を二匹飼っている", False),
        ("Принимает таблетки и живёт в Казани", "Живёт в Казани", True),
        ("Принимает таблетки и живёт в Казани", "Живёт в Риме", False),
    ],
)
def test_words_of_other_scripts_are_told_apart_too(known: str, text: str, is_fine: bool) -> None:
    case = candidacy([fact("forget the pills", kind="forget")], [record(known)])

    found = wrong(case, group("f1", "c1", relation="forget", text=text, drops=(known,)))

    assert (not found) == is_fine, found


def test_a_text_is_no_longer_than_a_memory_may_be() -> None:
    text = "Loves opera now " + "and on " * 1000

    (found,) = wrong(OPERA, group("f1", "c1", text=text), new=("f2",))

    assert "at most" in found
    assert text not in found
