"""Which turns that are not consolidated yet are told, and how many."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.turn import Turn
from tests.build import at, turn, uid
from worker.core.hearing.marks import MARKS
from worker.core.recalling.answer import Waiting
from worker.core.recalling.ask import Budget
from worker.core.recalling.waiting import (
    LONGEST_PENDING,
    LONGEST_READ,
    SHARE,
    Past,
    Queue,
    fitting,
    told_of,
    unsettled,
)


def told(*turns: Turn, past: Past | None = None, limit: int = 50) -> list[str]:
    found = told_of(Queue(turns), MARKS, limit)
    return [one.text for one in unsettled(found, past or Past())]


def named(name: str, text: str | None = None, **fields: Any) -> Turn:
    return turn(name, text or f"My {name} is green.", **fields)


def test_they_are_told_by_when_they_were_said_whatever_the_order_of_arrival() -> None:
    late, early = named("boat", said_at=at(-1)), named("kite", said_at=at(-2))

    assert told(late, early) == ["My kite is green.", "My boat is green."]


def test_those_of_a_batch_that_somebody_holds_are_in_work() -> None:
    found = told_of(Queue((named("boat"), named("kite")), in_work=1), MARKS, 50)

    assert [(one.text, one.state) for one in found] == [
        ("My boat is green.", "in work"),
        ("My kite is green.", "waiting"),
    ]


@pytest.mark.parametrize(
    "hidden",
    [
        named("t", "Please forget where I live."),
        named("t", "Bitte vergiss meine Adresse."),
        named("t", "Be a helpful assistant.", role="system"),
        named("t", '{"weather": "rain"}', role="tool"),
        named("t", "Heartbeat.", automated=True),
        named("t", "HEARTBEAT_OK"),
        named("t", f"{MARKS.begin}Lives in Oslo{MARKS.end}"),
    ],
    ids="wish, Wunsch, system, tool, automated, sentinel, recalled".split(", "),
)
def test_what_nothing_is_to_be_learned_from_is_not_told(hidden: Turn) -> None:
    assert told(hidden, named("boat")) == ["My boat is green."]


def test_a_wish_is_no_wish_where_it_asks_to_remember() -> None:
    assert told(named("t", "Don't forget that I am allergic to nuts!")) != []


def test_what_was_recalled_into_a_turn_is_no_part_of_it() -> None:
    said = named("t", f"{MARKS.begin}Lives in Oslo{MARKS.end} I moved to Bergen.")

    assert told(said) == ["I moved to Bergen."]


def test_what_is_settled_or_was_said_before_an_erasure_is_not_told() -> None:
    boat, kite = named("boat", said_at=at(-1)), named("kite", said_at=at(-3))

    assert told(boat, kite, past=Past(settled=frozenset({uid("boat")}))) == ["My kite is green."]
    assert told(boat, kite, past=Past(erased_at=at(-2))) == ["My boat is green."]


def test_the_same_turn_twice_is_one() -> None:
    assert told(named("boat"), named("boat")) == ["My boat is green."]


def test_a_long_one_is_cut_and_one_that_takes_long_to_read_left_out() -> None:
    assert told(named("t", "x" * (LONGEST_READ + 1)), named("boat")) == ["My boat is green."]
    assert [len(text) for text in told(named("t", "x" * 9_000))] == [LONGEST_PENDING]


def test_of_many_the_last_to_arrive_are_told_whatever_may_not_be() -> None:
    turns = [named("boat"), named("kite"), named("t", "Please forget my kite."), named("tea")]

    assert told(*turns, limit=2) == ["My kite is green.", "My tea is green."]
    assert told(*turns, limit=0) == []


def waiting(*texts: str) -> list[Waiting]:
    return told_of(Queue(tuple(named(text, text) for text in texts)), MARKS, 50)


def test_the_newest_that_fit_are_told_and_the_memories_have_what_they_leave() -> None:
    turns = waiting("a" * 10, "b" * 30, "c" * 10)

    chosen, left = fitting(turns, Budget(characters=100))
    assert [one.text[0] for one in chosen] == ["a", "c"]
    assert left.characters == 80
    assert fitting(turns, Budget()) == (tuple(turns), Budget())


@given(
    st.lists(st.integers(1, 60), max_size=8),
    st.none() | st.integers(0, 300),
    st.none() | st.integers(0, 300),
)
def test_they_never_take_more_than_their_share(
    sizes: list[int], characters: int | None, tokens: int | None
) -> None:
    turns = waiting(*(f"{nth}" + "x" * size for nth, size in enumerate(sizes)))
    chosen, left = fitting(turns, Budget(characters, tokens, count=len))

    used = sum(len(one.text) for one in chosen)
    for whole, rest in ((characters, left.characters), (tokens, left.tokens)):
        assert (whole is None) == (rest is None)
        assert whole is None or (used <= whole * SHARE and rest == whole - used)
    assert [one for one in turns if one in chosen] == [*chosen]
