"""A user of whom eight things are known, and ten turns with four facts that overturn some of them."""

from datetime import UTC, datetime, timedelta

from tests.cases.talk import found
from tests.cases.verdicts import Judge, Thing
from tests.desk import Desk, scripted
from tests.similarity import GivenSimilarities

#: What was said first → what takes its place.
CHANGES = {
    "Lives in a flat in Oslo": "Lives in a house in Bergen",
    "Works as a nurse at the harbour clinic": "Works as a teacher at the village school",
    "Drinks green tea after lunch": "Drinks black coffee after lunch",
    "Drives an old Volvo to work": "Rides a new bicycle to work",
}
#: Near to what was said first, and true beside both.
BESIDE = {
    "Lives in a flat in Oslo": "Rents a storeroom in Oslo",
    "Works as a nurse at the harbour clinic": "Sings in the choir of the harbour clinic",
    "Drinks green tea after lunch": "Eats an apple after lunch",
    "Drives an old Volvo to work": "Listens to podcasts on the way to work",
}
KNOWN = (*CHANGES, *BESIDE.values())
CHAT = (
    "Good morning!",
    "Thank you.",
    "That sounds right.",
    "How are you?",
    "See you.",
    "One moment.",
)
SLOTS = ("home", "work", "drink", "commute")
#: Two more facts, near to nothing.
ALONE = ("Has a cousin who paints lighthouses", "Speaks Dutch with the neighbours")
#: One more that is near to two of those that are known: enough for something to follow from them.
THIRD = "Keeps a rowing boat in Oslo"
WISH = "Please forget that I drink green tea"

#: After all that is said.
NOW = datetime(2025, 12, 1, tzinfo=UTC)
_BEGAN = datetime(2025, 10, 1, 10, tzinfo=UTC)
_NEAR = {
    **{beside: (first, 0.8) for first, beside in BESIDE.items()},
    **{later: (first, 0.9) for first, later in CHANGES.items()},
    THIRD: ("Lives in a flat in Oslo", 0.8),
    WISH: ("Drinks green tea after lunch", 0.9),
}

_FACTS = {
    **{one: [found(one, attribute=slot)] for one, slot in zip(CHANGES, SLOTS, strict=True)},
    **{
        one: [found(one, attribute=slot)] for one, slot in zip(CHANGES.values(), SLOTS, strict=True)
    },
    **{one: [found(one)] for one in BESIDE.values()},
    **{one: [found(one)] for one in (*ALONE, THIRD)},
    WISH: [found("Green tea after lunch", kind="forget")],
}
_THINGS = [Thing((later, first), "contradict", later, (first,)) for first, later in CHANGES.items()]
JUDGE = Judge(_FACTS, _THINGS)


def embedder() -> GivenSimilarities:
    """A new one: it keeps what it has seen."""
    return GivenSimilarities(_NEAR)


def say(table: Desk, *texts: str, days: float = 0) -> None:
    """A minute apart, so many days after the beginning."""
    for minute, text in enumerate(texts):
        said_at = _BEGAN + timedelta(days=days, minutes=minute)
        answer = table.say(text, said_at.isoformat(), id=f"{days} {minute}", conversation="c")
        assert answer.status == "accepted", answer


def say_what_is_known(table: Desk, *more: str) -> None:
    """Nothing of it is judged."""
    with scripted(table, JUDGE, detector="add_only"):
        say(table, *KNOWN, *more)
        table.settle()
    assert {*table.live()} == {*KNOWN, *more}


def among_chat(*facts: str) -> tuple[str, ...]:
    """Four facts among ten turns."""
    return (*CHAT[:2], facts[0], CHAT[2], *facts[1:3], CHAT[3], facts[3], *CHAT[4:])


TEN_TURNS = among_chat(*CHANGES.values())

#: Two turns that do not fit into one small call.
LONG = tuple(f"{said} " * 60 for said in ("I watered the garden.", "I swept the yard."))
