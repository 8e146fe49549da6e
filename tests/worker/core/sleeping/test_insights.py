"""Which memories are put to a model for an insight, and which insights have lost their ground."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from schemas.memory import MemoryRecord
from tests.build import NOW, RUN, SCOPE, at, uid
from tests.worker.core.sleeping.test_company import BOUNDS, names, night, remembered
from worker.core.groups.setting import Account, PassName, Setting
from worker.core.judging.derive import Insight
from worker.core.sleeping.derived import derived, run_of
from worker.core.sleeping.insights import Insights
from worker.core.sleeping.night import Due, Sight, place_of
from worker.core.sleeping.unfounded import Unfounded
from worker.direct.gathering import grounded

#: B, C and D are near A; E is near none.
A, B, C = remembered("A", 1), remembered("B", 1, 0.1, day=1), remembered("C", 1, 0.2, day=2)
D, E = remembered("D", 1, 0.3, day=3), remembered("E", 0, 0, 1, day=4)
FEW = (A, B, C)


def made(name: str, *parts: float, of: Sequence[MemoryRecord] = FEW, **fields: Any) -> MemoryRecord:
    grounds = {one.memory.id: one.memory.version for one in of}
    return remembered(name, *(parts or (1,)), **({"derived": grounds} | fields))


def changed(record: MemoryRecord, **fields: Any) -> MemoryRecord:
    return record.model_copy(update={"memory": record.memory.model_copy(update=fields)})


def groups(*records: MemoryRecord, first: int = 0, **fields: Any) -> list[list[str]]:
    """Of one slice over all, in order of their days."""
    due = [Due(place_of(one.memory), place_of(one.memory)) for one in records]
    around = {one.memory.id: one for one in records}
    sight = Sight(night(records, **fields), list(zip(due, records, strict=True))[first:], around)
    return [names(group) for group in Insights().first_slice(sight).groups]


def test_near_ones_of_one_subject_are_looked_at_together_and_once() -> None:
    assert groups(A, B, C, D, E) == [["A", "B", "C", "D"]]


@pytest.mark.parametrize(
    "fields",
    [
        {"subject": "Ben"},
        {"authority": "assistant"},
        {"until": at(9)},
        {"flagged": "unfaithful"},
        {"derived": {uid("x"): 1}},
    ],
    ids=["another subject", "another voice", "ends", "disputed", "derived"],
)
def test_what_is_no_evidence_with_the_others_makes_no_third(fields: dict[str, Any]) -> None:
    assert groups(A, B, changed(C, **fields)) == []
    assert groups(A, B, C) == [["A", "B", "C"]]


def test_what_is_pinned_is_evidence_like_any_other() -> None:
    assert groups(A, B, changed(C, pinned=True)) == [["A", "B", "C"]]


def test_a_group_is_the_nearest_and_no_larger_than_it_may_be() -> None:
    small = replace(BOUNDS, max_group=3)

    assert groups(A, D, C, B, bounds=small) == [["A", "B", "C"]]


def test_a_slice_ends_before_one_group_too_many() -> None:
    others = [remembered(f"O{day}", 0, 0, 1, 0.1 * day, day=day) for day in (5, 6, 7)]
    few = replace(BOUNDS, groups=1)
    records = (*FEW, *others)
    due = [Due(place_of(one.memory), place_of(one.memory)) for one in records]
    around = {one.memory.id: one for one in records}
    sight = Sight(night(records, bounds=few), list(zip(due, records, strict=True)), around)

    cut = Insights().first_slice(sight)

    assert ([names(group) for group in cut.groups], cut.done) == ([["A", "B", "C"]], 3)


def test_what_was_derived_before_comes_with_them() -> None:
    near, far = made("near", 1, of=(E,)), made("far", 0, 0, 0, 1)
    other = made("of another", 0, 0, 0, 1, of=(E,))
    ben = made("of Ben", 1, subject="Ben")

    assert groups(*FEW, near, far, other, ben) == [["A", "B", "C", "near", "far"]]


def due(*records: MemoryRecord, most: int = 5, **fields: Any) -> list[str]:
    by_id = {one.memory.id: one.memory.text for one in records}
    return [by_id[one.id] for one in Insights(most).due(night(records, **fields))]


def test_only_what_was_changed_since_opens_a_group_and_nothing_derived_does() -> None:
    marks: dict[PassName, Any] = {"insights": place_of(B.memory)}

    assert due(C, A, B, D, made("I", day=9)) == ["A", "B", "C", "D"]
    assert due(C, A, B, D, marks=marks) == ["C", "D"]


@pytest.mark.parametrize(("hours", "is_over"), [(1, True), (11, True), (13, False)])
def test_enough_for_one_night_is_enough(hours: float, is_over: bool) -> None:
    lately = changed(made("I"), updated_at=NOW - timedelta(hours=hours))

    assert due(*FEW, lately, most=2) == ["A", "B", "C"]
    assert (due(*FEW, lately, most=1) == []) is is_over


GONE: dict[str, tuple[MemoryRecord, ...]] = {
    "stands": FEW,
    "one is gone": (A, B),
    "one has other words": (A, B, changed(C, version=2)),
    "one has ended": (A, B, changed(C, until=at(-1))),
    "one will end": (A, B, changed(C, until=at(1))),
    "one was only confirmed": (A, B, changed(C, confirmations=9, last_run=RUN)),
}


@pytest.mark.parametrize("how", [*GONE])
def test_an_insight_goes_with_any_of_its_grounds(how: str) -> None:
    insight = made("I")
    tonight = night((*GONE[how], insight))

    stays = how in {"stands", "one will end", "one was only confirmed"}
    assert [one.id for one in Unfounded().due(tonight)] == ([] if stays else [insight.memory.id])


def test_a_pinned_one_stays_and_what_was_said_needs_no_ground() -> None:
    assert Unfounded().due(night([A, changed(made("I"), pinned=True)])) == []


def test_an_insight_is_nobody_s_and_rests_on_its_evidence() -> None:
    evidence = tuple(one.memory for one in FEW)
    insight = Insight("Rows at 5:30", "w", evidence)
    run = run_of(SCOPE, insight)
    setting = Setting(run, SCOPE, (), NOW, "sleep")

    plan = derived(setting, insight, A.vector, Account(model="m", embedder="e"))

    ((change,), base) = plan.changes, plan.base
    assert change.kind == "add"
    assert base == {}
    memory = change.record.memory
    assert memory.derived == {one.id: 1 for one in evidence}
    assert not set(memory.turn_ids) & {turn for one in evidence for turn in one.turn_ids}
    assert (memory.authority, memory.said_by, memory.confirmations) == ("tool", "slowwave", 0)
    assert memory.said_at == max(one.said_at for one in evidence)
    assert memory.identifiers


def test_its_run_is_that_of_its_words_and_of_the_versions_it_rests_on() -> None:
    first = Insight("Rows a lot", "w", (A.memory, B.memory))
    again = Insight("rows a lot.", "other", (B.memory, A.memory))
    others = [
        Insight("Rows", "w", (A.memory, B.memory)),
        Insight("Rows a lot", "w", (A.memory, C.memory)),
        Insight("Rows a lot", "w", (A.memory, changed(B, version=2).memory)),
    ]

    assert run_of(SCOPE, again) == run_of(SCOPE, first)
    assert run_of(SCOPE, first) not in {run_of(SCOPE, one) for one in others}


@pytest.mark.parametrize(
    ("names_", "model", "found"),
    [
        (["expire", "tidy"], "m", ["expire", "tidy"]),
        (["tidy", "insights"], "m", ["tidy", "unfounded", "insights"]),
        (["unfounded", "tidy", "insights"], "m", ["unfounded", "tidy", "insights"]),
        (["insights"], "rules", ["unfounded"]),
        (["unfounded"], "rules", ["unfounded"]),
    ],
)
def test_what_was_derived_is_looked_after_before_more_is(
    names_: list[PassName], model: str, found: list[PassName]
) -> None:
    assert grounded(names_, model) == found
