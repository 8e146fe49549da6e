"""What a store has made of a stream is counted: right, stale, lost, wrongly retired, leaked."""

from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bench.quality.held import Held, Kept, Past
from bench.quality.marks import Marks, marked
from bench.quality.stream import Slot, Thing, Truth

WHEN = datetime(2025, 1, 1, tzinfo=UTC)
HOME = Slot("home", ("Ana",), "Lyon", ("Graz",))
MOVED = ("Ana lives in Graz", "Ana lives in Lyon")
COUNTED = frozenset({"facts", "live", "past", "slots", "things", "slots_heard", "things_heard"})


def kept(*texts: str) -> tuple[Kept, ...]:
    return tuple(Kept(f"k{at}", text) for at, text in enumerate(texts))


def past(text: str, heir: str | None = "k0", day: int = 0, id: str = "") -> Past:
    return Past(id or f"p {text}", text, WHEN + timedelta(days=day), heir)


def told(marks: Marks) -> dict[str, Any]:
    """What is not 0, but for what there is to count."""
    return {name: n for name, n in asdict(marks).items() if n and name not in COUNTED}


GRAZ = past("Ana lives in Graz")


@pytest.mark.parametrize(
    ("live", "history", "expected"),
    [
        pytest.param(["Ana lives in Lyon"], [GRAZ], {"slots_right": 1}, id="right"),
        pytest.param(
            ["Ana moved from Graz to Lyon"], [GRAZ], {"slots_right": 1}, id="tells what was"
        ),
        pytest.param(MOVED, [], {"stale": 1, "history_missing": 1}, id="both live"),
        pytest.param(
            ["Ana lives in Graz; Ana lives in Lyon"], [GRAZ], {"stale": 1}, id="both in one text"
        ),
        pytest.param(
            ["Ana lives in Lyon", "Ana's home is Lyon"], [GRAZ], {"duplicates": 1}, id="twice"
        ),
        pytest.param(["Ana lives in Lyon"], [], {"history_missing": 1}, id="no history"),
        pytest.param(
            ["Ana lives in Lyon"],
            [past("Ana lives in Graz", None)],
            {"history_missing": 1},
            id="history that leads nowhere",
        ),
        pytest.param(
            ["Ana has a dog", "Ana lives in Lyon"],
            [GRAZ],
            {"history_missing": 1},
            id="history that leads elsewhere",
        ),
        pytest.param([], [], {"lost": 1, "history_missing": 1}, id="nothing"),
        pytest.param(
            ["Ana lives in Graz"],
            [past("Ana lives in Lyon")],
            {"lost": 1, "wrongly_retired": 1, "stale": 1, "history_missing": 1},
            id="the older stands",
        ),
        pytest.param(
            ["Bo lives in Lyon"], [GRAZ], {"lost": 1, "history_missing": 1}, id="somebody else's"
        ),
    ],
)
def test_of_a_slot_it_is_told_what_is_wrong(
    live: list[str], history: list[Past], expected: dict[str, int]
) -> None:
    marks = marked(Truth((HOME,)), Held(kept(*live), tuple(history)), MOVED)

    assert told(marks) == expected


def test_what_extraction_did_not_find_counts_against_nobody() -> None:
    marks = marked(Truth((HOME,), (Thing("cat", ("Miso",)),)), Held(), ["Ana lives in Graz"])

    assert (marks.slots, marks.slots_heard, marks.things, marks.things_heard) == (1, 0, 1, 0)
    assert told(marks) == {"history_missing": 1}
    assert told(marked(Truth((HOME,)), Held(), [])) == {}


def test_what_was_for_a_while_needs_nothing_in_its_place() -> None:
    slot = Slot("home", ("Ana",), "Graz", ("Lyon",), passing=("Lyon",))
    held = Held(kept("Ana lives in Graz"), (past("Ana lives in Lyon", None),))

    assert marked(Truth((slot,)), held, MOVED).slots_right == 1
    assert marked(Truth((replace(slot, passing=()),)), held, MOVED).slots_right == 0


@pytest.mark.parametrize(("days", "unordered"), [((0, 5, 9), 0), ((0, 9, 5), 1), ((5, 0, 9), 1)])
def test_a_history_stands_in_the_order_of_its_time(days: tuple[int, ...], unordered: int) -> None:
    homes = ("Graz", "Perth", "Cadiz")
    history = [past(f"Ana lives in {home}", day=n) for home, n in zip(homes, days, strict=True)]
    slot = Slot("home", ("Ana",), "Lyon", homes)
    facts = [f"Ana lives in {home}" for home in (*homes, "Lyon")]

    marks = marked(Truth((slot,)), Held(kept("Ana lives in Lyon"), tuple(history)), facts)

    assert (marks.history_unordered, marks.slots_right) == (unordered, 1 - unordered)


def test_a_value_that_came_back_has_to_be_in_the_history_as_well() -> None:
    slot = Slot("home", ("Ana",), "Graz", ("Graz", "Lyon"))
    both = (past("Ana lives in Graz", day=0), past("Ana lives in Lyon", day=1))

    assert marked(Truth((slot,)), Held(kept("Ana lives in Graz"), both), MOVED).slots_right == 1
    assert marked(Truth((slot,)), Held(kept("Ana lives in Graz"), both[1:]), MOVED).slots_right == 0


def test_what_came_back_and_went_again_is_in_order_at_any_of_its_times() -> None:
    slot = Slot("home", ("Ana",), "Perth", ("Graz", "Lyon", "Graz"))
    homes = ("Graz", "Lyon", "Graz")
    history = [past(f"Ana lives in {home}", day=day) for day, home in enumerate(homes)]
    held = Held(kept("Ana lives in Perth"), tuple(history))

    assert not marked(Truth((slot,)), held, MOVED).history_unordered


def test_history_is_followed_through_what_was_replaced_in_turn() -> None:
    chain = (past("Ana lives in Graz", "b", id="a"), past("Ana is on the road", "k0", id="b"))

    assert marked(Truth((HOME,)), Held(kept("Ana lives in Lyon"), chain), MOVED).slots_right == 1


def test_a_circle_of_replacements_ends() -> None:
    circle = (past("Ana lives in Graz", "b", id="a"), past("Ana has a dog", "a", id="b"))

    assert Held((), circle).heir("a") is None


BIKE = Thing("bike", ("Cube",), ("21", "basket"))
BIKES = ("Ana's Cube has 21 gears", "The Cube has a basket")


@pytest.mark.parametrize(
    ("thing", "live", "expected"),
    [
        pytest.param(
            Thing("cat", ("Miso",)), ["Ana's cat is Miso"], {"things_right": 1}, id="once"
        ),
        pytest.param(
            Thing("cat", ("Miso",)), ["Cat is Miso", "Has Miso"], {"duplicates": 1}, id="twice"
        ),
        pytest.param(Thing("cat", ("Miso",)), [], {"lost": 1}, id="lost"),
        pytest.param(BIKE, BIKES, {"things_right": 1, "details": 2}, id="in two texts"),
        pytest.param(
            BIKE,
            ["Ana's Cube has 21 gears and a basket"],
            {"things_right": 1, "details": 2},
            id="in one",
        ),
        pytest.param(
            BIKE, ["Ana has a Cube with a basket"], {"details": 2, "details_lost": 1}, id="a detail"
        ),
    ],
)
def test_of_a_thing_it_is_told_what_is_wrong(
    thing: Thing, live: list[str], expected: dict[str, int]
) -> None:
    marks = marked(Truth(things=(thing,)), Held(kept(*live)), ("Ana's cat is Miso", *BIKES))

    assert told(marks) == expected


def test_a_thing_in_the_history_alone_was_wrongly_retired() -> None:
    truth = Truth(things=(Thing("locker", ("4413",)),))
    held = Held(kept("Locker 4412 is Ana's"), (past("Locker 4413 is Ana's"),))

    assert told(marked(truth, held, ["Locker 4413 is Ana's"])) == {"lost": 1, "wrongly_retired": 1}


def test_what_was_wrongly_called_the_same_is_lost_though_an_account_has_it() -> None:
    held = Held(kept("Ana lives in Graz"), said=("Ana lives in Lyon",))

    assert told(marked(Truth((HOME,)), held, MOVED)) == {
        "stale": 1,
        "lost": 1,
        "called_same": 1,
        "history_missing": 1,
    }


def test_what_is_forbidden_may_be_history_and_what_is_forgotten_may_not() -> None:
    truth = Truth(forbidden=(("Basque",), ("Quechua",)), forgotten=(("baker",), ("florist",)))
    held = Held(kept("Ana learns Basque"), (past("Learns Quechua"), past("Ana is a baker")))

    assert told(marked(truth, held, [])) == {
        "forbidden": 2,
        "forbidden_stored": 1,
        "forgotten": 2,
        "leaks": 1,
    }


def test_what_tells_something_forbidden_tells_nothing_else() -> None:
    truth = Truth(things=(Thing("cat", ("Miso",)),), forbidden=(("hearsay",),))

    marks = marked(truth, Held(kept("Hearsay: the cat is Miso")), ["The cat is Miso"])

    assert (marks.lost, marks.things_right, marks.forbidden_stored) == (1, 0, 1)
    assert marked(truth, Held(), ["Hearsay: the cat is Miso"]).things_heard == 0


def test_marks_of_several_streams_add_up() -> None:
    assert Marks(turns=2, lost=1) + Marks(turns=3, stale=4) == Marks(turns=5, lost=1, stale=4)
