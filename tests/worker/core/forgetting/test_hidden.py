"""What was forgotten is in no read."""

from datetime import datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.memory import Archive, Memory, Reason
from schemas.plan import Changed, Run
from tests.build import RUN, SCOPE, at, memory, uid
from tests.snapshots import filed, revised, snapshot
from worker.core.forgetting.hidden import Veil, hidden, veil

HEART, BIKE = "Has a heart condition", "Cycles to work"
BOTH = f"{HEART} and cycles to work"


def one(text: str, name: str = "m", version: int = 1, **fields: object) -> Memory:
    return memory(text, id=uid(name), version=version, **fields)


def unshown(archives: list[Archive], *live: Memory) -> set[str]:
    """Names and versions of what is hidden."""
    found = hidden(archives, live)
    names = {uid(name): name for name in ("m", "n", "o", "p")}
    return {f"{names[id]}{version}" for id, version in found}


def whole(text: str = BOTH, version: int = 3, by: str | None = None) -> Archive:
    return snapshot(one(text, version=version), "forgotten", uid(by) if by else None, at(-1))


def part(version: int = 3) -> Archive:
    return revised(one(BOTH, version=version), at(-1), "forgotten")


HEART_PARENT = snapshot(one(HEART, "n"), "merged", uid("m"), at(-5))
BIKE_PARENT = snapshot(one(BIKE, "o"), "merged", uid("m"), at(-5))
LIVE = one(BIKE, version=4)


def test_where_nothing_was_forgotten_nothing_is_hidden() -> None:
    archives = [revised(one(BIKE), at(-9)), HEART_PARENT]

    assert veil(archives, [one(BOTH, version=2)]) == Veil()


def test_what_was_forgotten_whole_takes_its_versions_and_what_it_replaced_with_it() -> None:
    archives = [
        whole(),
        revised(one("Walks to work", version=1), at(-9)),
        revised(one(BIKE, version=2), at(-5)),
        HEART_PARENT,
        snapshot(one("Was told so in May", "p"), "superseded", uid("n"), at(-8)),
        filed(one("Has a bad heart", "o"), uid("m"), at(-3)),
    ]

    assert unshown(archives) == {"m1", "m2", "m3", "n1", "o1", "p1"}


def test_what_merely_follows_or_stands_beside_stays() -> None:
    archives = [
        whole(by="o"),
        revised(one("Drinks tea", "n"), at(-9)),
        revised(one(BIKE, "o"), at(-1)),
    ]

    assert unshown(archives, one(BIKE, "o", 2), one("Drinks milk", "n", 2)) == {"m3"}


def test_of_what_was_forgotten_in_part_only_what_mentions_the_part_is_hidden() -> None:
    archives = [part(), HEART_PARENT, BIKE_PARENT, revised(one(BIKE, version=2), at(-5))]

    assert unshown(archives, LIVE) == {"m3", "n1"}


def test_what_stands_again_is_looked_at_too() -> None:
    overlay = one("On leave", "n", until=at(-4), after=HEART)
    archives = [part(), snapshot(overlay, "merged", uid("m"), at(-5))]

    assert unshown(archives, LIVE) == {"m3", "n1"}


def test_a_part_that_was_only_to_stand_again_is_forgotten_too() -> None:
    before = one("On leave", version=3, until=at(9), after=HEART)
    archives = [revised(before, at(-1), "forgotten"), HEART_PARENT, BIKE_PARENT]

    assert unshown(archives, one("On leave", version=4, until=at(9))) == {"m3", "n1"}


@pytest.mark.parametrize(
    "after", [LIVE, one(BIKE, version=5)], ids=["the next stands", "a later one stands"]
)
def test_a_later_version_shows_what_was_left(after: Memory) -> None:
    archives = [part(), HEART_PARENT, BIKE_PARENT]
    if after.version == 5:
        archives.append(revised(one("Cycles to work daily", version=4), at(-0.5)))

    assert unshown(archives, after) == {"m3", "n1"}


def test_where_no_later_version_is_known_it_counts_as_forgotten_whole() -> None:
    assert unshown([part(), BIKE_PARENT], one(BOTH, version=3)) == {"m3", "o1"}


def test_what_was_said_anew_and_merged_later_is_shown() -> None:
    anew = snapshot(one(HEART, "n", said_at=at(-0.5)), "merged", uid("m"), at(-0.2))

    assert unshown([part(), anew], one(BIKE, version=5)) == {"m3"}


def test_what_an_undo_has_brought_back_is_shown() -> None:
    archives = [
        snapshot(one(BOTH, version=3), "undone", None, at(-1)),
        revised(one(BIKE, version=2), at(-5)),
    ]

    assert unshown(archives, one(BOTH, version=4)) == set()


def test_what_was_forgotten_whole_stays_hidden_when_its_memory_is_there_again() -> None:
    archives = [whole(), revised(one(BIKE, version=2), at(-5))]

    assert unshown(archives, one(BOTH, version=4)) == {"m2", "m3"}


def test_a_merge_that_was_undone_ties_nothing_to_what_is_forgotten_later() -> None:
    parted = snapshot(one("Drinks tea", "n"), "merged", uid("m"), at(-5))

    assert unshown([whole(), parted], one("Drinks tea", "n", 2)) == {"m3"}


def test_what_was_undone_and_learned_anew_from_the_same_turns_is_hidden_with_it() -> None:
    turns = (uid("said"),)
    undone = snapshot(one(HEART, "n", turn_ids=turns), "undone", None, at(-5))
    beside = snapshot(one("Drinks tea", "o", turn_ids=turns), "undone", None, at(-5))
    other = snapshot(one(HEART, "p", turn_ids=(uid("else"),)), "undone", None, at(-5))
    root = snapshot(one(HEART, turn_ids=turns), "forgotten", None, at(-1))

    assert unshown([root, undone, beside, other]) == {"m1", "n1"}


def test_so_is_what_was_undone_and_learned_anew_as_an_earlier_version() -> None:
    turns = (uid("t"),)
    undone = snapshot(one("Limps badly", "n", turn_ids=turns), "undone", None, at(-5))
    earlier = snapshot(one("Limps badly", turn_ids=turns), "superseded", uid("m"), at(-3))
    root = snapshot(one("Coughs nightly", version=2), "forgotten", None, at(-1))

    assert unshown([undone, earlier, root]) == {"n1", "m1", "m2"}


def test_memories_that_replaced_each_other_in_turn_end_the_search() -> None:
    archives = [
        whole(by="n"),
        snapshot(one(HEART, "n"), "merged", uid("m"), at(-5)),
    ]

    assert unshown(archives) == {"m3", "n1"}


SHOWN = "Moved to Ghent"


@pytest.mark.parametrize(
    ("why", "written", "shown"),
    [
        ("the heart condition is new", at(-9), ""),
        ("the heart condition is new", at(-1), ""),
        (
            "she says again that her heart is weak",
            at(-0.5),
            "she says again that her heart is weak",
        ),
        ("cycles and moves", at(-9), "cycles and moves"),
        ("moved", at(-9), "moved"),
    ],
)
def test_a_reason_that_tells_what_was_forgotten_is_not_told(
    why: str, written: datetime, shown: str
) -> None:
    archives = [part(), snapshot(one(SHOWN, "p"), "superseded", None, written, why)]

    found = veil(archives, [LIVE]).archives(archives)

    assert [(archive.memory.text, archive.why) for archive in found] == [(SHOWN, shown)]


def test_the_subject_s_name_tells_nothing() -> None:
    root = snapshot(one("Ann has asthma", subject="Ann"), "forgotten", None, at(-1))
    other = snapshot(one(SHOWN, "p"), "superseded", None, at(-9), "Ann moved")

    assert veil([root], []).archives([other]) == [other]


def change(name: str, version: int, **fields: object) -> Changed:
    given = {"kind": "confirm", "relation": "same", "why": "one", "said": ("Rides a bike",)}
    return Changed.model_validate({"memory_id": uid(name), "version": version, **given, **fields})


def run(*changes: Changed) -> Run:
    return Run(
        id=RUN,
        kind="batch",
        scope=SCOPE,
        state="applied",
        turn_ids=(),
        started_at=at(-9),
        changes=changes,
    )


def test_a_run_keeps_what_does_not_tell_of_it() -> None:
    told = run(
        change("m", 3),
        change("p", 1, why="a weak heart", said=("Has a weak heart", "Rides a bike")),
    )

    found = veil([part()], [LIVE]).run(told)

    assert [(one.why, one.said) for one in found.changes] == [("", ()), ("", ("Rides a bike",))]


def test_a_run_is_told_as_it_is_where_nothing_was_forgotten() -> None:
    told = run(change("m", 3))

    assert veil([], [LIVE]).run(told) is told


WORDS = ["Drinks tea", "Has asthma", "Cycles to work", "Has asthma and drinks tea", "猫がいる"]
REASONS: list[Reason] = [
    *("superseded", "merged", "expired", "forgotten", "late", "undone", "faded"),
]


@st.composite
def annals(draw: st.DrawFn) -> tuple[list[Archive], list[Memory]]:
    """Any snapshots and live memories of a few ids, also such as no run would leave."""
    archives = []
    for name in "mnop":
        for version in range(1, draw(st.integers(1, 4))):
            by = draw(st.sampled_from([None, *map(uid, "mnop")]))
            old = one(draw(st.sampled_from(WORDS)), name, version)
            reason = draw(st.sampled_from(REASONS))
            archives.append(snapshot(old, reason, by, at(draw(st.integers(-9, 0)))))
    live = [
        one(draw(st.sampled_from(WORDS)), name, 5)
        for name in draw(st.sets(st.sampled_from("mnop")))
    ]
    return archives, live


@given(annals(), st.randoms(use_true_random=False))
def test_no_order_of_records_changes_what_is_hidden(
    found: tuple[list[Archive], list[Memory]], random: Random
) -> None:
    archives, live = found
    shuffled = random.sample(archives, len(archives))

    assert veil(shuffled, live[::-1]) == veil(archives, live)


@given(annals())
def test_only_snapshots_are_hidden_and_only_where_something_was_forgotten(
    found: tuple[list[Archive], list[Memory]],
) -> None:
    archives, live = found
    roots = {(a.memory.id, a.memory.version) for a in archives if a.reason == "forgotten"}

    found_hidden = hidden(archives, live)

    assert roots <= found_hidden <= {(a.memory.id, a.memory.version) for a in archives}
    assert bool(found_hidden) == bool(roots)
