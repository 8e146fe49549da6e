"""Which earlier versions may go for good, and that nothing comes to light, or out of reach, because they are gone."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.memory import Archive, ArchiveRecord, Memory, MemoryRecord, Reason
from schemas.plan import Changed, Held, Plan, Retire, Run
from tests.build import NOW, RUN, SCOPE, at, memory, uid
from worker.core.forgetting.descent import Known
from worker.core.forgetting.hidden import hidden, version_of
from worker.core.groups.merging import archived
from worker.core.sleeping.retention import Retention, outdated, with_gaps, without_words

KEEP = Retention(timedelta(days=365))
UNTIL = KEEP.until(NOW)
OLD, YOUNG = -400, -100


def one(name: str, version: int = 1, text: str | None = None, **fields: Any) -> Memory:
    return memory(text or f"About {name}", id=uid(name), version=version, **fields)


def snapshot(
    name: str,
    version: int = 1,
    days: float = OLD,
    by: str | None = None,
    reason: Reason = "superseded",
    **fields: Any,
) -> Archive:
    return Archive(
        memory=one(name, version, **fields),
        replaced_by=uid(by) if by else None,
        archived_at=at(days),
        reason=reason,
        why="w",
        run=RUN,
    )


def known(*found: Archive | Memory) -> Known:
    live = [one for one in found if isinstance(one, Memory)]
    archives = [one for one in found if isinstance(one, Archive)]
    return Known.of(
        (MemoryRecord(memory=one, vector=b"") for one in live),
        (ArchiveRecord(archive=one, vector=b"") for one in archives),
    )


def going(*found: Archive | Memory) -> list[str]:
    names = {uid(name): name for name in "abcdefg"}
    return [f"{names[id]}{version}" for id, version in outdated(known(*found), UNTIL)]


@pytest.mark.parametrize(
    ("found", "gone"),
    [
        ([], []),
        ([snapshot("a", days=-365)], ["a1"]),
        ([snapshot("a", days=-364)], []),
        ([snapshot("a"), one("a", 2)], ["a1"]),
        # Its earlier versions first, whatever the clocks said.
        ([snapshot("a", 1), snapshot("a", 2, YOUNG), snapshot("a", 3)], ["a1"]),
        ([snapshot("a", 1, YOUNG), snapshot("a", 2)], []),
        # What leads to an earlier memory stays with it.
        ([snapshot("b", 1, YOUNG, by="a"), snapshot("a", 1, by="c"), one("c")], []),
        ([snapshot("b", 1, by="a"), snapshot("a", 1, by="c"), one("c")], ["a1", "b1"]),
        ([snapshot("b", 1, YOUNG, by="a"), snapshot("a", 1), one("a", 2)], ["a1"]),
        ([snapshot("a", 1, by="b"), snapshot("b", 1, by="a")], ["a1", "b1"]),
        ([snapshot("a", 1, by="b"), snapshot("b", 1, YOUNG, by="a")], []),
        # What was forgotten, and whatever is found through it, is left to the purge.
        ([snapshot("a", 1, reason="forgotten")], []),
        ([snapshot("a", 1), snapshot("a", 2, YOUNG, reason="forgotten"), snapshot("b")], ["b1"]),
        ([snapshot("b", 1, by="a"), snapshot("a", 1, YOUNG, reason="forgotten")], []),
        # Nor does evidence go before what was derived from it.
        ([snapshot("a"), one("b", derived={uid("a"): 1})], []),
        ([snapshot("a"), snapshot("b", 1, YOUNG, derived={uid("a"): 1})], []),
        ([snapshot("a"), snapshot("b", 1, OLD, derived={uid("a"): 1})], ["a1", "b1"]),
    ],
)
def test_only_what_is_old_goes_and_nothing_that_something_else_hangs_on(
    found: list[Archive | Memory], gone: list[str]
) -> None:
    assert sorted(going(*found)) == gone


def test_the_earliest_go_first() -> None:
    assert going(snapshot("a", 1, -500), snapshot("b", 1, -700), snapshot("a", 2, -400)) == [
        *("b1", "a1", "a2")
    ]


REASONS: list[Reason] = [
    *("superseded", "merged", "expired", "forgotten", "late", "undone", "faded"),
]
WORDS = ["Drinks tea", "Has asthma", "Cycles to work", "Has asthma and drinks tea"]


@st.composite
def annals(draw: st.DrawFn) -> list[Archive | Memory]:
    """Any snapshots and live memories of a few ids, also such as no run would leave."""
    found: list[Archive | Memory] = []
    for name in "abcde":
        versions = draw(st.integers(0, 3))
        found += [
            snapshot(
                *(name, version, draw(st.sampled_from([-500, -400, YOUNG, YOUNG]))),
                draw(st.sampled_from([None, *"abcde"])),
                draw(st.sampled_from(REASONS)),
                text=draw(st.sampled_from(WORDS)),
                derived=draw(st.sampled_from([{}, {}, {}, {uid("a"): 1}, {uid("b"): 2}])),
            )
            for version in range(1, versions + 1)
        ]
        if draw(st.booleans()):
            found.append(one(name, versions + 1, draw(st.sampled_from(WORDS))))
    return found


def unshown(it: Known) -> frozenset[tuple[UUID, int]]:
    live = (one.memory for one in it.live.values())
    return hidden((one.archive for one in it.archives), live)


@given(annals())
def test_whatever_went_the_same_stays_hidden_and_all_that_is_left_is_still_found(
    found: list[Archive | Memory],
) -> None:
    before = known(*found)
    gone = {*outdated(before, UNTIL)}
    after = known(*(one for one in found if isinstance(one, Memory) or version_of(one) not in gone))

    assert unshown(after) == unshown(before)
    for id in {one.memory.id if isinstance(one, Archive) else one.id for one in found}:
        led_to = {version_of(one.archive) for one in before.before(id)}
        is_left = id in after.live or any(one.archive.memory.id == id for one in after.archives)
        if is_left:
            assert {version_of(one.archive) for one in after.before(id)} == led_to - gone
    again = outdated(after, UNTIL)
    assert not {*again} & gone


@given(annals())
def test_done_again_at_once_nothing_is_left_to_do(found: list[Archive | Memory]) -> None:
    gone = {*outdated(known(*found), UNTIL)}
    left = [one for one in found if isinstance(one, Memory) or version_of(one) not in gone]

    assert outdated(known(*left), UNTIL) == []


def changed(kind: Any, name: str, version: int, **fields: Any) -> Changed:
    given = {"relation": "update", "why": f"of {name}", "said": ("words",)}
    return Changed(**({"kind": kind, "memory_id": uid(name), "version": version} | given | fields))


def run(*changes: Changed, **fields: Any) -> Run:
    given = {"kind": "batch", "state": "applied", "turn_ids": (), "started_at": at(OLD)}
    return Run(**({"id": RUN, "scope": SCOPE, "changes": changes} | given | fields))


GONE = frozenset({(uid("a"), 1)})


@pytest.mark.parametrize(
    ("change", "loses_words"),
    [
        (changed("add", "a", 1), True),
        (changed("confirm", "a", 1), True),
        (changed("revise", "a", 2), True),
        (changed("retire", "a", 1), True),
        (changed("file", "a", 1), True),
        (changed("confirm", "a", 2), False),
        (changed("revise", "a", 3), False),
        (changed("retire", "a", 2), False),
        (changed("add", "b", 1), False),
    ],
)
def test_a_run_says_nothing_more_of_a_version_that_is_gone(
    change: Changed, loses_words: bool
) -> None:
    (left,) = without_words(run(change), GONE).changes

    assert (left.why, left.said) == (("", ()) if loses_words else (change.why, change.said))
    assert left.model_copy(update={"why": change.why, "said": change.said}) == change


def retiring(name: str, version: int) -> Retire:
    fields: dict[str, Any] = {"by": None, "reason": "merged", "why": "w", "run": RUN, "now": NOW}
    return Retire(archive=archived(one(name, version), b"", **fields), relation="same")


def waiting(*changes: Retire, **fields: Any) -> Plan:
    given = {"run": RUN, "kind": "sleep", "scope": SCOPE, "turn_ids": (), "base": {}}
    return Plan(**(given | {"changes": changes, "planned_at": NOW} | fields))


@pytest.mark.parametrize(("version", "stays"), [(1, False), (2, True)])
def test_a_plan_that_waits_goes_with_the_version_that_it_was_decided_on(
    version: int, stays: bool
) -> None:
    proposal = (retiring("a", version),)
    held = Held(turn_id=uid("t"), reason="r", proposal=proposal)
    for plan in (waiting(*proposal), waiting(held=(held,))):
        left = without_words(run(state="parked", plan=plan, held=(held,)), GONE)

        assert left.plan == (plan if stays else None)
        assert left.held == ((held,) if stays else (held.model_copy(update={"proposal": ()}),))


def test_a_run_that_is_not_about_it_stays_as_it_is() -> None:
    told = run(changed("add", "b", 1), changed("revise", "a", 3))
    assert without_words(told, GONE) == told


@pytest.mark.parametrize(
    ("archives", "gaps"),
    [
        ([], "a"),
        ([snapshot("a", 1)], ""),
        ([snapshot("a", 2)], "a"),
        ([snapshot("a", 1), snapshot("a", 2), snapshot("b", 1, by="a")], ""),
        ([snapshot("a", 1), snapshot("b", 2, by="a")], "b"),
    ],
)
def test_a_gap_in_the_versions_is_seen(archives: list[Archive], gaps: str) -> None:
    assert with_gaps(uid("a"), archives) == {uid(name) for name in gaps}
