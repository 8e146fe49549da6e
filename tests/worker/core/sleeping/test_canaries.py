"""Which questions a plan would leave without the answer that they had."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.memory import MemoryRecord
from schemas.plan import Add, Lost, Plan, Retire, Revise, Withheld
from tests.build import NOW, SCOPE, at, memory, uid
from tests.similarity import GivenSimilarities
from worker.core.groups.merging import archived
from worker.core.ports import Nominated
from worker.core.sleeping.canaries import Canary, Nearness, Watched, answers, lost, watched
from worker.core.sleeping.withheld import told, with_reason

BLOOD = "Blood group is 0 negative"
PRESSURE = "Blood pressure is 130 over 80"
ROSA = "Emergency contact is Aunt Rosa"
HOME, MOVED = "Lives in Seattle", "Lives in Portland"
QUERY = "Which blood group does she have?"
NEAR = Nearness(floor=0.5, same=0.95)


def record(text: str, cosine: float = 0.0, **fields: Any) -> MemoryRecord:
    given = GivenSimilarities({text: (QUERY, cosine)})
    given.embed([QUERY])
    return MemoryRecord(memory=memory(text, **fields), vector=given.embed([text])[0])


def canary(query: str = QUERY) -> Canary:
    given = GivenSimilarities()
    return Canary(query, given.embed([QUERY])[0])


def plan_of(*changes: Any) -> Plan:
    return Plan(
        run=uid("r"),
        kind="sleep",
        scope=SCOPE,
        turn_ids=(),
        base={},
        changes=changes,
        planned_at=NOW,
    )


def snapshot(one: MemoryRecord, by: MemoryRecord | None, reason: Any = "merged") -> Any:
    to = by.memory.id if by else None
    options: dict[str, Any] = {"by": to, "reason": reason, "why": "w", "run": uid("r"), "now": NOW}
    return archived(one.memory, one.vector, **options)


def retire(one: MemoryRecord, by: MemoryRecord | None, reason: Any = "merged") -> Retire:
    return Retire(archive=snapshot(one, by, reason), relation="same")


def revise(before: MemoryRecord, after: MemoryRecord) -> Revise:
    stands = after.memory.model_copy(update={"id": before.memory.id, "version": 2})
    return Revise(
        record=MemoryRecord(memory=stands, vector=after.vector),
        archive=snapshot(before, before),
        relation="same",
    )


def losses(found: Sequence[MemoryRecord], plan: Plan, *beside: MemoryRecord) -> list[str]:
    """Texts of what a question that found these would no longer find."""
    records = {one.memory.id: one for one in (*found, *beside)}
    gone = lost([Watched(canary(), tuple(found))], [plan], records, NEAR)
    assert all(one.query == QUERY for one in gone)
    return [records[one.memory_id].memory.text for one in gone]


# What a question finds


@pytest.mark.parametrize(
    ("cosines", "places"),
    [
        ([0.9, 0.8, 0.7, 0.6], [0, 1, 2]),
        ([0.9, 0.4, 0.3], [0]),
        ([0.5], [0]),
        ([0.49], []),
        ([], []),
    ],
)
def test_the_nearest_are_found_that_are_not_surely_about_something_else(
    cosines: list[float], places: list[int]
) -> None:
    records = [record(f"Memory {at}", cosine) for at, cosine in enumerate(cosines)]
    ids = tuple(one.memory.id for one in records)

    found = _watched(Nominated(by_vector=ids), records)

    assert found == [records[place] for place in places]


def _watched(names: Nominated, records: Sequence[MemoryRecord]) -> list[MemoryRecord]:
    by_id = {one.memory.id: one for one in records}
    return list(watched(canary(), names, by_id, NEAR, NOW).found)


def test_what_has_an_identifier_of_the_question_is_found_however_far_it_is() -> None:
    code, other = record("ERR-7 means disk full", 0.1), record(BLOOD, 0.9)
    names = Nominated(by_vector=(other.memory.id,), by_identifier=(code.memory.id,))

    assert _watched(names, [code, other]) == [other, code]


def test_what_has_lapsed_is_not_found() -> None:
    over, lasts = record(BLOOD, 0.9, until=at(-1)), record(ROSA, 0.8, until=at(1))
    names = Nominated(by_vector=(over.memory.id, lasts.memory.id))

    assert _watched(names, [over, lasts]) == [lasts]


def test_nothing_is_near_to_what_has_no_vector() -> None:
    bare = MemoryRecord(memory=memory(BLOOD), vector=b"")

    assert _watched(Nominated(by_vector=(bare.memory.id,)), [bare]) == []


# What answers as well


@pytest.mark.parametrize(
    ("query", "before", "after", "is_answer"),
    [
        # The words that the answer shared with the question.
        (QUERY, (BLOOD, 0.9), ("Her blood group was found to be 0 negative", 0.1), True),
        ("Where does she live?", (HOME, 0.9), (MOVED, 0.1), True),
        ("Does she live in Seattle?", (HOME, 0.9), (MOVED, 0.1), False),
        (QUERY, (BLOOD, 0.9), (PRESSURE, 0.7), False),
        (QUERY, (BLOOD, 0.9), (ROSA, 0.4), False),
        # It shared none: all of its words.
        ("Whom to call?", (ROSA, 0.9), (f"{ROSA}, phone in the kitchen", 0.1), True),
        ("Whom to call?", (ROSA, 0.9), ("Emergency contact is Uncle Joe", 0.1), False),
        # As near, in whatever words.
        (QUERY, (BLOOD, 0.9), ("Is 0 negative", 0.9), True),
        (QUERY, (BLOOD, 0.9), ("Is 0 negative", 0.86), True),
        (QUERY, (BLOOD, 0.9), ("Is 0 negative", 0.84), False),
        (QUERY, (BLOOD, 0.9), ("Is 0 negative", 0.99), True),
        # Near enough, but surely about something else.
        ("Anything at all?", (BLOOD, 0.52), (ROSA, 0.48), False),
        # Identifiers are exact.
        ("What is ERR-7?", ("ERR-7 means disk full", 0.9), ("ERR-8 means disk full", 0.9), False),
        ("What is ERR-7?", ("ERR-7 means disk full", 0.9), ("ERR-7: full disk", 0.1), True),
        # Other scripts.
        ("血液型は何ですか", ("血液型はO型です", 0.9), ("血液型はO型のマイナスです", 0.1), True),
        ("血液型は何ですか", ("血液型はO型です", 0.9), ("犬の名前はポチです", 0.1), False),
        ("Welche Blutgruppe?", ("Blutgruppe ist 0", 0.9), ("Hat Blutgruppe 0", 0.1), True),
        # Nothing but signs.
        ("?!", ("…", 0.9), ("…", 0.1), True),
    ],
)
def test_what_takes_its_place_answers_in_the_question_s_words_or_as_near(
    query: str, before: tuple[str, float], after: tuple[str, float], is_answer: bool
) -> None:
    assert answers(canary(query), record(*before), record(*after), NEAR) is is_answer


# What is lost

ANSWER, OTHER = record(BLOOD, 0.9), record(ROSA, 0.4)
REWORDED = record("Has the blood group 0 negative", 0.88)
BOTH = record(f"{BLOOD}; {ROSA}", 0.6)


@pytest.mark.parametrize(
    ("changes", "is_lost"),
    [
        ((), False),
        ((retire(OTHER, None),), False),
        ((retire(OTHER, ANSWER),), False),
        ((retire(ANSWER, None),), True),
        ((retire(ANSWER, None, "faded"),), True),
        ((retire(ANSWER, None, "expired"),), False),
        ((retire(ANSWER, None, "forgotten"),), False),
        ((retire(ANSWER, OTHER),), True),
        ((retire(ANSWER, OTHER), revise(OTHER, BOTH)), False),
        ((retire(ANSWER, REWORDED),), False),
        ((retire(ANSWER, record("nobody knows it")),), True),
        ((revise(ANSWER, REWORDED),), False),
        ((revise(ANSWER, OTHER),), True),
        ((retire(ANSWER, OTHER), retire(OTHER, REWORDED)), False),
        ((retire(ANSWER, REWORDED), retire(REWORDED, OTHER)), True),
        ((retire(ANSWER, REWORDED), retire(REWORDED, None)), True),
        ((retire(ANSWER, OTHER), retire(OTHER, ANSWER)), True),
        ((retire(ANSWER, ANSWER),), True),
        ((Add(record=REWORDED, relation="new"), retire(ANSWER, REWORDED)), False),
    ],
)
def test_an_answer_is_lost_where_nothing_that_answers_takes_its_place(
    changes: tuple[Any, ...], is_lost: bool
) -> None:
    expected = [BLOOD] if is_lost else []

    assert losses([ANSWER], plan_of(*changes), OTHER, REWORDED) == expected


def test_what_was_derived_goes_with_its_evidence_and_is_no_loss() -> None:
    derived = record(BLOOD, 0.9, derived={uid("evidence"): 1})

    assert losses([derived], plan_of(retire(derived, None, "superseded"))) == []
    assert losses([derived], plan_of(retire(derived, OTHER)), OTHER) == [BLOOD]


def test_plans_count_together() -> None:
    records = {one.memory.id: one for one in (ANSWER, OTHER, REWORDED)}
    plans = [plan_of(retire(ANSWER, REWORDED)), plan_of(retire(REWORDED, OTHER))]
    found = [Watched(canary(), (ANSWER,))]

    assert [bool(lost(found, plans[:many], records, NEAR)) for many in (1, 2)] == [False, True]


@given(
    chain=st.lists(st.integers(0, 30), min_size=1, max_size=6, unique=True),
    ends=st.sampled_from(["nowhere", "unrelated", "with its words"]),
    cosine=st.floats(0.5, 0.99),
)
def test_through_any_chain_only_what_ends_in_an_answer_is_kept(
    chain: list[int], ends: str, cosine: float
) -> None:
    """Where nothing survives, or what is about something else, it is lost whatever came between."""
    answer = record(BLOOD, cosine)
    between = [record(f"Owns thing number {nth}", 0.3) for nth in chain]
    last = {
        "nowhere": None,
        "unrelated": record(ROSA, 0.2),
        "with its words": record(f"{BLOOD}, as her doctor says", 0.0),
    }[ends]
    row = [answer, *between, last]
    changes = [retire(one, by) for one, by in pairwise(row) if one]
    beside = [one for one in row[1:] if one]

    expected = [] if ends == "with its words" else [BLOOD]
    assert losses([answer], plan_of(*changes), *beside) == expected


@given(
    found=st.lists(st.floats(-1, 1), max_size=4),
    changed=st.lists(st.tuples(st.floats(-1, 1), st.booleans()), max_size=5),
)
def test_a_plan_that_changes_nothing_that_was_found_loses_nothing(
    found: list[float], changed: list[tuple[float, bool]]
) -> None:
    """However near to the question what it writes comes."""
    kept = [record(f"Found {nth}", cosine) for nth, cosine in enumerate(found)]
    others = [record(f"Other {nth}", cosine) for nth, (cosine, _) in enumerate(changed)]
    changes = [
        retire(one, None) if is_gone else revise(one, record(f"{QUERY} {nth}", 0.99))
        for nth, (one, (_, is_gone)) in enumerate(zip(others, changed, strict=True))
    ]

    assert losses(kept, plan_of(*changes), *others) == []


# In words


@pytest.mark.parametrize(
    ("withheld", "parts"),
    [
        (Withheld(), ()),
        (Withheld(beyond_share=True), ("more than SLOWWAVE_SLEEP_MAX_SHARE",)),
        (
            Withheld(lost=(Lost(query=QUERY, memory_id=uid("a")),)),
            (f'the question "{QUERY}" would no longer find memory {str(uid("a"))[:8]}',),
        ),
        (
            Withheld(beyond_share=True, lost=(Lost(query="", memory_id=uid("a")),)),
            ("the question that was asked would no longer", "; it would change more"),
        ),
    ],
)
def test_the_reason_is_told_before_the_judge_s(withheld: Withheld, parts: tuple[str, ...]) -> None:
    assert all(part in told(withheld) for part in parts)
    reason = with_reason("they are one", withheld)
    assert reason == (f"not done: {told(withheld)}; they are one" if parts else "they are one")
    assert with_reason("they are one", None) == "they are one"
