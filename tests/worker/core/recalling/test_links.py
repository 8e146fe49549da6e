"""What memories that stand beside one another say about each other."""

from typing import Any

import pytest

from tests.build import at, uid
from tests.worker.core.recalling.values import entry, texts
from worker.core.recalling.links import later_first, lifted_by_links, wanted
from worker.core.recalling.pool import Entry, Pool, best_first

OLD: dict[str, Any] = {"said_at": at(-500)}
NEW: dict[str, Any] = {"said_at": at(-5), "links": (uid("TypeScript"),)}


def told(*entries: Entry) -> list[str]:
    return texts(best_first(later_first(Pool(entries)).entries))


def test_the_later_of_two_that_stand_beside_each_other_never_comes_behind() -> None:
    pair = entry("TypeScript", score=0.9, **OLD), entry("Go", score=0.4, **NEW)

    assert told(*pair, entry("else", score=0.8)) == ["Go", "TypeScript", "else"]
    assert told(*reversed(pair)) == ["Go", "TypeScript"]


def test_it_does_not_matter_which_of_the_two_has_the_link() -> None:
    old = entry("TypeScript", score=0.9, links=(uid("Go"),), **OLD)

    assert told(old, entry("Go", score=0.4, said_at=at(-5))) == ["Go", "TypeScript"]


def test_what_was_said_earlier_or_is_not_linked_stays_behind() -> None:
    assert told(entry("TypeScript", score=0.9, **OLD), entry("Go", score=0.4, said_at=at(-5))) == [
        "TypeScript",
        "Go",
    ]
    late = entry("Go", score=0.4, links=(uid("TypeScript"),), said_at=at(-600))
    assert told(entry("TypeScript", score=0.9, **OLD), late) == ["TypeScript", "Go"]


def test_a_row_of_them_comes_latest_first() -> None:
    row = [
        entry("1", score=0.9, said_at=at(-9)),
        entry("2", score=0.2, said_at=at(-8), links=(uid("1"),)),
        entry("3", score=0.1, said_at=at(-7), links=(uid("2"),)),
    ]

    assert told(*row) == ["3", "2", "1"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"pinned": True}, {}),
        ({"authority": "user"}, {"authority": "assistant"}),
        ({"authority": "assistant"}, {"authority": "tool"}),
        ({}, {"derived": {uid("TypeScript"): 1}}),
    ],
)
def test_nothing_overtakes_what_it_may_not_change(old: Any, new: Any) -> None:
    pair = entry("TypeScript", score=0.9, **OLD, **old), entry("Go", score=0.4, **NEW, **new)

    assert told(*pair) == ["TypeScript", "Go"]


def test_history_overtakes_nothing() -> None:
    pair = (
        entry("TypeScript", score=0.9, **OLD),
        entry("Go", score=0.4, superseded=True, **NEW),
    )

    assert told(*pair) == ["TypeScript", "Go"]


def test_what_a_good_answer_links_to_is_lifted_and_that_is_a_part_of_its_score() -> None:
    pool = Pool((entry("a", score=0.8, links=(uid("b"),)), entry("b", score=0.1), entry("c")))

    _, lifted, other = lifted_by_links(0.5)(pool).entries
    assert (lifted.score, other.score) == (0.4, 0)
    assert lifted.parts["linked"] == pytest.approx(0.3)


def test_nothing_is_lowered_by_a_link() -> None:
    pool = Pool((entry("a", score=0.2, links=(uid("b"),)), entry("b", score=0.9)))

    assert [one.score for one in lifted_by_links(0.5)(pool).entries] == [0.2, 0.9]


def test_links_to_what_is_not_there_are_wanted_once_in_order_of_id() -> None:
    ids = sorted([uid("x"), uid("y")], key=lambda one: one.int)
    entries = [entry("a", links=(*ids, uid("b"))), entry("b", links=(ids[0], uid("a")))]

    assert wanted(entries) == ids
