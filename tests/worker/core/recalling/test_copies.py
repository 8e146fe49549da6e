"""What says nothing that a better answer does not say."""

from typing import Any

import pytest

from tests.build import at, uid
from tests.worker.core.recalling.values import after, entry, reasons, towards
from worker.core.recalling.copies import without_copies

NEAR = towards(0.99)
STAGE = without_copies(0.95)


def two(first: str, second: str, **fields: Any) -> list[str]:
    """Of two that are near each other, the second worse, those that stay."""
    return after(
        STAGE,
        entry(first, score=0.9, vector=NEAR),
        entry(second, score=0.5, vector=NEAR, **fields),
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Prefers dark mode", "Prefers dark mode."),
        ("Ann drinks tea with milk", "Ann is drinking tea with milk"),
    ],
)
def test_the_worse_of_two_that_say_the_same_is_left_out(first: str, second: str) -> None:
    assert two(first, second) == [first]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Production listens on port 7443", "Production listens on port 7444"),
        ("ERR_MEM_4412 means full", "ERR_MEM_4413 means full"),
        ("Likes the opera", "Does not like the opera"),
        ("Flies to Lisbon in May", "Flies to Porto in May"),
        ("Ann lent Ben a book", "Ben lent Ann a book"),
        ("Moves on 3 May 2026", "Moves on 4 May 2026"),
    ],
)
def test_another_number_name_date_or_not_is_no_copy(first: str, second: str) -> None:
    assert two(first, second) == [first, second]


@pytest.mark.parametrize(
    "fields",
    [
        {"subject": "Ben"},
        {"kind": "plan"},
        {"happened_at": "2026"},
        {"until": at(5)},
        {"authority": "assistant"},
        {"links": (uid("Drinks tea"),)},
        {"correction": True},
    ],
)
def test_what_is_about_another_thing_or_corrects_is_no_copy(fields: dict[str, Any]) -> None:
    assert len(two("Drinks tea", "Drinks tea!", **fields)) == 2


def test_of_history_and_what_stands_the_latter_stays_however_well_the_former_answers() -> None:
    pair = (
        entry("Drinks tea", score=0.9, vector=NEAR, superseded=True),
        entry("Drinks tea.", score=0.1, vector=NEAR),
    )

    assert after(STAGE, *pair) == ["Drinks tea."]


def test_what_is_far_or_has_no_vector_is_no_copy() -> None:
    pair = entry("Drinks tea", score=0.9, vector=NEAR), entry("Drinks tea!", vector=towards(0.5))
    blind = entry("Drinks tea", score=0.9), entry("Drinks tea!")

    assert len(after(STAGE, *pair)) == len(after(STAGE, *blind)) == 2
    assert len(after(without_copies(None), pair[0], entry("Drinks tea!", vector=NEAR))) == 2


def test_a_crowd_of_copies_leaves_one_and_each_says_of_what_it_is_one() -> None:
    crowd = [
        entry("Drinks tea" + "!" * n, score=0.5, vector=NEAR, id=uid(str(n))) for n in range(9)
    ]

    found = reasons(STAGE, *crowd)
    (kept,) = after(STAGE, *crowd)
    assert len(found) == 8
    best = next(one.memory.id for one in crowd if one.memory.text == kept)
    assert set(found.values()) == {f"it says what {best} says"}


def test_a_copy_of_what_is_no_more_told_stays() -> None:
    """The second is a copy of the first, and the third only one of the second."""
    chain = (
        entry("Drinks tea", score=0.9, vector=towards(1)),
        entry("Drinks tea.", score=0.5, vector=towards(0.96)),
        entry("Drinks tea!", score=0.1, vector=towards(0.85)),
    )

    assert after(STAGE, *chain) == ["Drinks tea", "Drinks tea!"]


def test_there_may_be_nothing() -> None:
    assert after(STAGE) == []
