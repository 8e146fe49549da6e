"""What was believed, and what was true, at any moment."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.memory import Archive, Memory
from tests.build import NOW, at, memory, uid
from tests.snapshots import filed, revised, snapshot
from worker.core.current import current
from worker.core.forgetting.hidden import hidden
from worker.core.views import standing, viewed, with_history


def one(text: str, since: float, name: str = "m", version: int = 1, **fields: Any) -> Memory:
    """First said so many days before now, and written down at once."""
    times = {"since": at(since), "said_at": at(since), "updated_at": at(since)}
    return memory(text, id=uid(name), version=version, **times | {"created_at": at(since)} | fields)


def texts(found: Iterable[Memory]) -> set[str]:
    return {memory.text for memory in found}


def true(archives: list[Archive], live: list[Memory], day: float) -> set[str]:
    return texts(viewed(archives, live, NOW, valid_at=at(day)))


def believed(archives: list[Archive], live: list[Memory], day: float) -> set[str]:
    return texts(viewed(archives, live, NOW, as_of=at(day)))


#: Oslo since 90 days, as was learned at once; Bergen since 50, as was learned 40 days ago.
MOVED = [revised(one("Oslo", -90), at(-40))]
LIVES = [one("Bergen", -50, version=2, updated_at=at(-40))]


@pytest.mark.parametrize(
    ("day", "known_then", "true_then"),
    [
        (-91, set(), set()),
        (-90, {"Oslo"}, {"Oslo"}),
        (-51, {"Oslo"}, {"Oslo"}),
        (-50, {"Oslo"}, {"Bergen"}),
        (-41, {"Oslo"}, {"Bergen"}),
        (-40, {"Bergen"}, {"Bergen"}),
        (0, {"Bergen"}, {"Bergen"}),
        (9, {"Bergen"}, {"Bergen"}),
    ],
)
def test_what_was_believed_is_apart_from_what_was_true(
    day: float, known_then: set[str], true_then: set[str]
) -> None:
    assert believed(MOVED, LIVES, day) == known_then
    assert true(MOVED, LIVES, day) == true_then


@pytest.mark.parametrize(
    ("as_of", "valid_at", "shown"),
    [
        (-45, -45, {"Oslo"}),
        (-40, -45, {"Bergen"}),
        (-40, -51, {"Oslo"}),
        (-100, -51, set()),
        (9, -45, {"Bergen"}),
    ],
)
def test_both_together_are_what_was_believed_then_about_another_time(
    as_of: float, valid_at: float, shown: set[str]
) -> None:
    found = viewed(MOVED, LIVES, NOW, as_of=at(as_of), valid_at=at(valid_at))

    assert texts(found) == shown


OVERLAY = one("tea for now", -30, version=2, until=at(-10), after="coffee")
BREWED = [revised(one("coffee", -90), at(-30))]


@pytest.mark.parametrize(
    ("day", "shown"),
    [(-31, {"coffee"}), (-30, {"tea for now"}), (-11, {"tea for now"}), (-10, {"coffee"})],
)
def test_what_holds_for_a_while_gives_way_for_either_question(day: float, shown: set[str]) -> None:
    assert believed(BREWED, [OVERLAY], day) == shown
    assert true(BREWED, [OVERLAY], day) == shown


def test_once_its_end_is_written_down_the_answers_are_the_same() -> None:
    lapsed = current(OVERLAY, at(-5))
    assert lapsed
    stands = lapsed.model_copy(update={"version": 3, "updated_at": at(-5)})
    archives = [*BREWED, revised(OVERLAY, at(-5), "expired")]

    for day in (-31, -30, -11, -10, -6, -5, 0):
        assert true(archives, [stands], day) == true(BREWED, [OVERLAY], day), day
        assert believed(archives, [stands], day) == believed(BREWED, [OVERLAY], day), day


def test_what_ended_is_true_up_to_its_end() -> None:
    rome = snapshot(one("in Rome", -30, until=at(-20)), "expired", None, at(-5))

    assert [true([rome], [], day) for day in (-31, -30, -21, -20, -6, 0)] == [
        *(set(), {"in Rome"}, {"in Rome"}, set(), set(), set()),
    ]


def test_what_was_let_go_without_an_end_is_true_until_then() -> None:
    old = snapshot(one("likes jazz", -300), "expired", None, at(-5))

    assert [true([old], [], day) for day in (-300, -6, -5)] == [
        {"likes jazz"},
        {"likes jazz"},
        set(),
    ]


def test_what_came_late_was_true_and_never_believed() -> None:
    late = filed(one("Kyiv", -200, "n"), uid("m"), at(-20))
    archives = [*MOVED, late]

    assert [true(archives, LIVES, day) for day in (-201, -200, -60, -45)] == [
        *(set(), {"Kyiv"}, {"Kyiv", "Oslo"}, {"Bergen"}),
    ]
    assert all("Kyiv" not in believed(archives, LIVES, day) for day in range(-250, 1))


def test_in_one_slot_what_came_late_is_true_until_the_next_that_was_said() -> None:
    home: dict[str, Any] = {"attribute": "home"}
    live = [one("Bergen", -50, version=2, updated_at=at(-40), **home)]
    archives = [
        revised(one("Oslo", -90, **home), at(-40)),
        filed(one("Kyiv", -200, "n", **home), uid("m"), at(-20)),
        filed(one("Turku", -70, "o", **home), uid("m"), at(-10)),
    ]

    shown = [true(archives, live, day) for day in (-201, -200, -91, -90, -70, -51, -50)]

    assert shown == [set(), {"Kyiv"}, {"Kyiv"}, {"Oslo"}, {"Turku"}, {"Turku"}, {"Bergen"}]


def test_what_was_said_late_of_a_time_when_the_live_one_held_does_not_shake_it() -> None:
    live = [one("Bergen", -90, said_at=at(-5), attribute="home")]
    late = filed(one("Oslo", -50, "n", attribute="home"), uid("m"), at(-2))

    assert [true([late], live, day) for day in (-60, -50, 0)] == [{"Bergen"}] * 3


def test_one_statement_may_end_two_that_were_true_together() -> None:
    live = [one("moved to Ghent", -20, version=2, attribute="home")]
    archives = [
        revised(one("lives in Oslo", -90, attribute="home"), at(-20)),
        snapshot(one("bakes in Oslo", -60, "n", attribute="job"), "superseded", uid("m"), at(-20)),
    ]

    assert true(archives, live, -30) == {"lives in Oslo", "bakes in Oslo"}
    assert true(archives, live, -20) == {"moved to Ghent"}


def test_what_was_merged_is_told_by_the_one_that_stands_for_it() -> None:
    merged = snapshot(one("drinks tea", -60, "n"), "merged", uid("m"), at(-20))
    archives = [merged, revised(one("likes tea", -40), at(-20), "merged")]
    live = [one("likes and drinks tea", -60, version=2, updated_at=at(-20))]

    for day in (-60, -30, 0):
        assert true(archives, live, day) == {"likes and drinks tea"}, day


def test_what_was_merged_into_something_new_was_true_before_it() -> None:
    merged = snapshot(one("works shifts", -60, "n"), "merged", uid("m"), at(-20))
    archives = [merged, revised(one("works at the depot", -40), at(-20))]
    live = [one("leads a shift at the depot", -20, version=2)]

    assert true(archives, live, -30) == {"works shifts", "works at the depot"}
    assert true(archives, live, -20) == {"leads a shift at the depot"}


def test_what_was_undone_was_believed_and_never_true() -> None:
    archives = [
        revised(one("Oslo", -90), at(-50)),
        revised(one("Bergen", -50, version=2), at(-40), "undone"),
        snapshot(one("a misunderstanding", -60, "n"), "undone", None, at(-40)),
    ]
    live = [one("Oslo", -90, version=3, updated_at=at(-40))]

    assert believed(archives, live, -45) == {"Bergen", "a misunderstanding"}
    assert [true(archives, live, day) for day in (-91, -90, -45, 0)] == [
        *(set(), {"Oslo"}, {"Oslo"}, {"Oslo"}),
    ]


def test_what_was_undone_makes_nothing_true_for_longer() -> None:
    archives = [
        revised(one("Oslo", -50), at(-40)),
        revised(one("Oslo, as ever", -90, version=2, updated_at=at(-40)), at(-30), "undone"),
    ]
    live = [one("Oslo", -50, version=3, updated_at=at(-30))]

    assert [true(archives, live, day) for day in (-70, -50)] == [set(), {"Oslo"}]


def test_of_two_versions_that_stood_at_once_by_two_clocks_the_later_is_shown() -> None:
    archives = [revised(one("Oslo", -90), at(-40))]
    live = [one("Bergen", -50, version=2, updated_at=at(-41))]

    assert believed(archives, live, -40.5) == {"Bergen"}


def test_of_a_memory_that_was_taken_back_nothing_was_true() -> None:
    archives = [
        revised(one("a misunderstanding", -90), at(-50)),
        revised(one("a worse one", -50, version=2), at(-40), "undone"),
        snapshot(
            one("a misunderstanding", -90, version=3, updated_at=at(-40)), "undone", None, at(-30)
        ),
    ]

    assert true(archives, [], -60) == set()


def test_what_was_forgotten_is_shown_for_no_moment() -> None:
    archives = [
        snapshot(one("has asthma", -90, "n"), "forgotten", None, at(-5)),
        revised(one("cycles, has asthma", -80), at(-5), "forgotten"),
    ]
    live = [one("cycles", -80, version=2, updated_at=at(-5))]

    assert [believed(archives, live, day) for day in (-85, -50, -6, -5)] == [
        *(set(), set(), set(), {"cycles"}),
    ]
    assert [true(archives, live, day) for day in (-85, -50, 0)] == [set(), {"cycles"}, {"cycles"}]


def test_with_history_what_was_replaced_follows_marked() -> None:
    archives = [
        *MOVED,
        snapshot(one("tea", -60, "n"), "undone", None, at(-40)),
        snapshot(one("has asthma", -90, "o"), "forgotten", None, at(-5)),
    ]
    ended = one("in Rome", -30, "p", until=at(-20))

    found = with_history(archives, [*LIVES, ended], NOW)

    assert [(shown.memory.text, shown.superseded) for shown in found] == [
        *(("Bergen", False), ("in Rome", True), ("Oslo", True)),
    ]


def test_the_latest_change_comes_first() -> None:
    live = [one("a", -9, "a"), one("b", -1, "b"), one("c", -5, "c")]

    assert [memory.text for memory in standing(live, NOW)] == ["b", "c", "a"]


def test_changes_of_one_moment_are_in_order_of_id() -> None:
    live = [one(name, -9, name) for name in "abcd"]

    assert standing(live, NOW) == standing(live[::-1], NOW)


@dataclass
class Diary:
    """A scope's history as runs write it, one change a day, with what stood after each."""

    live: dict[UUID, Memory] = field(default_factory=dict)
    archives: list[Archive] = field(default_factory=list)
    pages: list[tuple[datetime, Mapping[UUID, Memory]]] = field(default_factory=list)

    def close(self, now: datetime) -> None:
        self.pages.append((now, dict(self.live)))


SLOTS = st.sampled_from([None, "home"])
KINDS = ["add", "add", "revise", "merge", "supersede", "late", "expire", "undo"]
FORGETTING = [*KINDS, "forget"]


@st.composite
def diaries(draw: st.DrawFn, kinds: list[str]) -> Diary:
    diary = Diary()
    for number in range(draw(st.integers(1, 10))):
        now = at(number - 20)
        _write(draw, diary, draw(st.sampled_from(kinds)), now, number)
        diary.close(now)
    return diary


def _write(draw: st.DrawFn, diary: Diary, kind: str, now: datetime, number: int) -> None:
    since = at(draw(st.integers(-60, number - 20)))
    until = draw(st.sampled_from([None, None, at(number - 15)]))
    said: dict[str, Any] = {
        "since": since,
        "said_at": since,
        "updated_at": now,
        "until": until,
    }
    said["after"] = draw(st.sampled_from([None, f"again {number}"])) if until else None
    fresh = memory(
        f"says {number}",
        **said | {"id": uid(str(number)), "created_at": now, "attribute": draw(SLOTS)},
    )
    if kind == "add" or not diary.live:
        diary.live[fresh.id] = fresh
        return
    old = diary.live[draw(st.sampled_from(sorted(diary.live)))]
    following = old.model_copy(update={"version": old.version + 1, "text": fresh.text, **said})
    match kind:
        case "revise" | "undo":
            reason = "undone" if kind == "undo" else "superseded"
            diary.archives.append(revised(old, now, reason))  # type: ignore[arg-type]
            diary.live[old.id] = following
        case "late":
            late = fresh.model_copy(update={"since": min(since, old.since or now)})
            diary.archives.append(filed(late, old.id, now))
        case "expire" | "forget":
            reason = "expired" if kind == "expire" else "forgotten"
            diary.archives.append(snapshot(diary.live.pop(old.id), reason, None, now))  # type: ignore[arg-type]
        case _:
            _replace(diary, old, following, kind, now)


def _replace(diary: Diary, old: Memory, following: Memory, kind: str, now: datetime) -> None:
    """Another memory makes way for the next version of `old`."""
    diary.archives.append(revised(old, now))
    diary.live[old.id] = following
    others = sorted(diary.live.keys() - {old.id})
    if others:
        reason = "merged" if kind == "merge" else "superseded"
        gone = diary.live.pop(others[0])
        diary.archives.append(snapshot(gone, reason, old.id, now))  # type: ignore[arg-type]


@given(diaries(KINDS))
def test_what_was_believed_at_a_moment_is_what_stood_then(diary: Diary) -> None:
    for then, stood in diary.pages:
        found = viewed(diary.archives, diary.live.values(), NOW, as_of=then)

        assert found == standing(stood.values(), then)


@given(diaries(KINDS))
def test_what_is_believed_now_and_what_is_true_now_is_what_is_current(diary: Diary) -> None:
    now = standing(diary.live.values(), NOW)

    assert viewed(diary.archives, diary.live.values(), NOW, as_of=NOW) == now
    assert viewed(diary.archives, diary.live.values(), NOW, valid_at=NOW) == now
    assert viewed(diary.archives, diary.live.values(), NOW, as_of=at(99)) == now


MOMENTS = st.one_of(st.none(), st.integers(-70, 5).map(at))


@given(diaries(FORGETTING), MOMENTS, MOMENTS, st.randoms(use_true_random=False))
def test_no_order_of_records_changes_a_view(
    diary: Diary, as_of: datetime | None, valid_at: datetime | None, random: Random
) -> None:
    archives = random.sample(diary.archives, len(diary.archives))
    live = random.sample(list(diary.live.values()), len(diary.live))

    found = viewed(archives, live, NOW, as_of=as_of, valid_at=valid_at)

    assert found == viewed(diary.archives, diary.live.values(), NOW, as_of=as_of, valid_at=valid_at)


@given(diaries(FORGETTING), MOMENTS, MOMENTS)
def test_a_view_shows_each_memory_once_as_it_was_said_and_nothing_that_was_forgotten(
    diary: Diary, as_of: datetime | None, valid_at: datetime | None
) -> None:
    live = diary.live.values()
    said = {(one.id, one.version): one for one in (*live, *(one.memory for one in diary.archives))}

    found = viewed(diary.archives, live, NOW, as_of=as_of, valid_at=valid_at)

    assert len({one.id for one in found}) == len(found)
    for shown in found:
        origin = said[shown.id, shown.version]
        assert shown.text in {origin.text, origin.after}
        assert valid_at is None or (origin.since or NOW) <= valid_at
        assert as_of is None or origin.updated_at <= as_of
    unshown = hidden(diary.archives, live)
    assert unshown.isdisjoint((one.id, one.version) for one in found)
