"""Who is judged together, and when a pair is asked about."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.memory import MemoryRecord
from tests.build import NOW, SCOPE, at, memory, uid
from worker.core.sleeping.company import are_near, merged_before
from worker.core.sleeping.flags import Flags
from worker.core.sleeping.night import Bounds, Due, Glance, Night, Pass, Sight, Slice, place_of
from worker.core.sleeping.note import reached
from worker.core.sleeping.tidy import Tidy

FLOOR = 0.5
SLEEP = uid("a run of sleep")
BOUNDS = Bounds(FLOOR)


def remembered(name: str, *parts: float, day: float = 0, **fields: Any) -> MemoryRecord:
    """Pointing so far into each direction; changed on this day."""
    vector = np.zeros(8)
    vector[: len(parts)] = parts
    unit = vector / np.linalg.norm(vector)
    one = memory(name, **({"updated_at": at(day - 50)} | fields))
    return MemoryRecord(memory=one, vector=unit.astype("<f4").tobytes())


#: A is near B, B near C; A and C are not.
A, B, C = remembered("A", 1), remembered("B", 1, 1, day=1), remembered("C", 0, 1, day=2)


def night(records: Sequence[MemoryRecord], **fields: Any) -> Night:
    live = {one.memory.id: Glance.of(one.memory) for one in records}
    given: dict[str, Any] = {"scope": SCOPE, "now": NOW, "bounds": BOUNDS, "live": live}
    return Night(**(given | fields))


def seen(one: Pass, records: Sequence[MemoryRecord], **fields: Any) -> tuple[Sight, list[Due]]:
    tonight = night(records, own=frozenset({SLEEP}), **fields)
    by_id = {record.memory.id: record for record in records}
    due = one.due(tonight)
    return Sight(tonight, [(one, by_id[one.id]) for one in due], by_id), due


def all_groups(one: Pass, records: Sequence[MemoryRecord], **fields: Any) -> list[list[str]]:
    """Of all slices, as names."""
    sight, _ = seen(one, records, **fields)
    groups: list[list[str]] = []
    while sight.due:
        cut = one.first_slice(sight)
        assert cut.done > 0
        groups += [names(some) for some in cut.groups]
        sight = replace(sight, due=sight.due[cut.done :])
    return groups


def names(records: Sequence[MemoryRecord]) -> list[str]:
    return [one.memory.text for one in records]


@pytest.mark.parametrize(
    ("mine", "theirs", "near"),
    [
        ({}, {}, False),
        ({"attribute": "Home"}, {"attribute": "home"}, True),
        ({"attribute": "home"}, {"attribute": "work"}, False),
        ({"identifiers": ("E-42", "x")}, {"identifiers": ("e-42",)}, True),
        ({"attribute": "home"}, {"attribute": "home", "subject": "Ben"}, False),
        ({"attribute": "home", "subject": "ANN"}, {"attribute": "home", "subject": "ann"}, True),
        ({"attribute": "home"}, {"attribute": "home", "authority": "assistant"}, False),
        (
            {"attribute": "h", "happened_at": "2024"},
            {"attribute": "h", "happened_at": "2025"},
            False,
        ),
        (
            {"attribute": "h", "happened_at": "2024"},
            {"attribute": "h", "happened_at": "2024-05"},
            True,
        ),
        ({"attribute": "h", "happened_at": "2024"}, {"attribute": "h"}, True),
    ],
)
def test_memories_are_near_by_slot_or_code_unless_they_cannot_be_one(
    mine: dict[str, Any], theirs: dict[str, Any], near: bool
) -> None:
    one, other = remembered("A", 1, **mine), remembered("C", 0, 1, **theirs)

    assert are_near(one, other, FLOOR) is are_near(other, one, FLOOR) is near


def test_what_is_near_by_vector_is_near_from_the_floor_on() -> None:
    assert are_near(A, B, 0.7)
    assert not are_near(A, B, 0.71)


def test_no_chain_is_judged_as_one() -> None:
    assert all_groups(Tidy(), [A, B, C]) == [["B", "A"], ["C", "B"]]


def test_the_later_of_two_asks() -> None:
    late = remembered("A", 1, day=9)

    assert all_groups(Tidy(), [late, B, C]) == [["C", "B"], ["A", "B"]]


@pytest.mark.parametrize(
    ("fields", "groups"),
    [
        ({"pinned": True}, []),
        ({"until": at(-1)}, []),
        ({"until": at(1)}, [["B", "A"]]),
        ({"last_run": SLEEP, "updated_at": at(0)}, [["B", "A"]]),
        ({"updated_at": at(1)}, []),
    ],
    ids=["pinned", "lapsed", "will lapse", "settled", "of the future"],
)
def test_who_may_be_joined(fields: dict[str, Any], groups: list[list[str]]) -> None:
    assert all_groups(Tidy(), [remembered("A", 1, **fields), B]) == groups


def test_what_sleep_wrote_itself_does_not_ask() -> None:
    settled = remembered("B", 1, 1, day=1, last_run=SLEEP)

    assert all_groups(Tidy(), [A, settled], marks={"tidy": place_of(A.memory)}) == []


def test_only_what_was_changed_since_asks() -> None:
    assert all_groups(Tidy(), [A, B, C], marks={"tidy": place_of(B.memory)}) == [["C", "B"]]
    assert all_groups(Tidy(), [A, B, C], marks={"tidy": place_of(C.memory)}) == []


def test_the_nearest_come_first_and_no_more_than_may() -> None:
    others = [remembered(str(n), 1, n / 10, day=1) for n in range(6)]
    asks = remembered("Q", 1, day=2)

    groups = all_groups(Tidy(), [*others, asks], bounds=replace(BOUNDS, max_group=4))
    assert groups[-1] == ["Q", "0", "1", "2"]


def test_a_slice_ends_before_the_first_that_overlaps_or_is_one_too_many() -> None:
    apart = [remembered(n, *([0.0] * at), 1, day=3) for at, n in enumerate("XYZ", start=2)]
    twins = [remembered(n * 2, *([0.0] * at), 1, day=4) for at, n in enumerate("XYZ", start=2)]
    sight, due = seen(Tidy(), [A, B, C, *apart, *twins])
    order = [str(one.id) for one in due]

    first = Tidy().first_slice(sight)
    rest = Tidy().first_slice(replace(sight, due=sight.due[first.done :]))
    few = replace(sight, night=replace(sight.night, bounds=replace(BOUNDS, groups=2)))

    assert (first.done, [names(one) for one in first.groups]) == (2, [["B", "A"]])
    assert order[2] == str(C.memory.id)
    assert len(rest.groups) == 4
    assert len(Tidy().first_slice(replace(few, due=few.due[2:])).groups) == 2


def test_what_was_joined_takes_in_only_what_was_near_all_its_parts() -> None:
    """The text of a record that was made of A and B is near C; A itself is not."""
    joined = remembered("AB", 1, 1, version=2, last_run=SLEEP)
    sight, _ = seen(Tidy(), [joined, C])
    assert merged_before(sight) == [joined.memory.id]

    knowing = replace(sight, parents={joined.memory.id: [A, B]})
    unknowing = replace(sight, parents={})

    assert Tidy().first_slice(knowing).groups == ()
    assert names(Tidy().first_slice(unknowing).groups[0]) == ["C", "AB"]


FLAGGED = remembered("F", 0, 0, 1, day=5, flagged="not judged", links=(A.memory.id,))


def test_a_flag_is_judged_with_its_links_by_its_own_pass_alone() -> None:
    late = remembered("A", 1, day=9)

    assert all_groups(Flags(), [A, B, FLAGGED]) == [["F", "A"]]
    assert all_groups(Tidy(), [late, FLAGGED]) == []
    assert all_groups(Flags(), [late, FLAGGED]) == [["F", "A"]]


def test_where_flags_have_no_pass_they_are_tidied_like_others() -> None:
    near = remembered("F", 1, day=5, flagged="not judged")

    assert all_groups(Tidy(), [A, near]) == []
    assert all_groups(Tidy(leaves_flags=False), [A, near]) == [["F", "A"]]


@pytest.mark.parametrize(
    "fields", [{"pinned": True}, {"subject": "Ben"}, {"authority": "assistant"}]
)
def test_a_flag_is_not_judged_with_what_it_may_not_join(fields: dict[str, Any]) -> None:
    assert all_groups(Flags(), [remembered("A", 1, **fields), FLAGGED]) == []


def test_a_flag_is_due_again_when_what_it_links_to_was_changed() -> None:
    mark = {"flags": place_of(FLAGGED.memory)}

    assert Flags().due(night([A, FLAGGED], marks=mark)) == []
    late = remembered("A", 1, day=9)
    assert [one.id for one in Flags().due(night([late, FLAGGED], marks=mark))] == [
        FLAGGED.memory.id
    ]


def test_what_stands_at_one_place_is_done_together() -> None:
    dues = [Due(place_of(one.memory), place_of(one.memory)) for one in (A, B, B, C)]

    assert [reached(dues, done) for done in range(6)] == [
        None,
        dues[0].place,
        dues[0].place,
        dues[1].place,
        dues[3].place,
        dues[3].place,
    ]


@st.composite
def scopes(draw: st.DrawFn) -> list[MemoryRecord]:
    """Up to a dozen memories, near or not, pinned or not, in any order."""
    count = draw(st.integers(2, 12))
    numbers = st.integers(-2, 2)
    return [
        remembered(
            f"M{n}",
            *draw(st.lists(numbers, min_size=3, max_size=3).filter(any)),
            day=draw(st.integers(0, 5)),
            pinned=draw(st.booleans()),
            attribute=draw(st.sampled_from([None, "home"])),
            flagged=draw(st.sampled_from([None, "not judged"])),
        )
        for n in range(count)
    ]


@given(scopes(), st.integers(2, 5), st.integers(1, 3))
def test_groups_are_cliques_without_what_is_pinned_and_a_pair_is_asked_about_once(
    records: list[MemoryRecord], most: int, per_slice: int
) -> None:
    bounds = Bounds(FLOOR, max_group=most, groups=per_slice)
    by_name = {one.memory.text: one for one in records}
    asked = [
        *all_groups(Tidy(), records, bounds=bounds),
        *all_groups(Flags(), records, bounds=bounds),
    ]

    for some in asked:
        together = [by_name[name] for name in some]
        assert 2 <= len(some) <= most
        assert not any(one.memory.pinned for one in together)
        assert all(are_near(one, other, FLOOR) for one, other in combinations(together, 2))
    pairs = [frozenset((some[0], other)) for some in asked for other in some[1:]]
    assert len(pairs) == len(set(pairs))
    assert len(asked) <= len(records)


def test_a_slice_without_anything_due_is_nothing() -> None:
    empty: Mapping[Any, MemoryRecord] = {}

    assert Tidy().first_slice(Sight(night([]), [], empty)) == Slice(0)
