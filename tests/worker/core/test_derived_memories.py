"""What was derived never outdoes what somebody said, and never passes for it."""

from collections.abc import Sequence
from typing import Any

import pytest

from schemas.exported import MemoryLine
from schemas.memory import Fact, Memory, MemoryRecord
from schemas.plan import Add, Confirm, Plan, Retire, Revise
from tests.build import NOW, RUN, SCOPE, at, candidacy, fact, memory, record, turn, uid, vector
from tests.worker.core.sleeping.test_company import all_groups, remembered
from tests.worker.core.writing.saying import saying
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.groups.outcome import PINNED, outcome
from worker.core.groups.setting import Policy, Resolver, Setting
from worker.core.hearing.known import known
from worker.core.judging.gate import gate
from worker.core.judging.group_rules import complaints
from worker.core.moving.importing import FORGOTTEN, Known, lacking
from worker.core.planning.plan import new_texts, plan
from worker.core.ports import Nominated, Nominations
from worker.core.sleeping.flags import Flags
from worker.core.sleeping.tidy import Tidy
from worker.core.writing.amending import amended, amendment
from worker.core.writing.superseding import check, superseding

GROUNDS = {uid("some"): 1, uid("others"): 2}
#: As the pass writes it.
NOBODYS: dict[str, Any] = {
    "derived": GROUNDS,
    "authority": "tool",
    "said_by": "slowwave",
    "confirmations": 0,
    "said_at": at(-1),
}
HOT = record("User prefers hot drinks", **NOBODYS)
COLD = record("User drinks cold tea", said_at=at(-9))
TEA, NOW_COLD = "User prefers hot tea", "User prefers cold drinks"


def decided(
    facts: Sequence[Fact],
    memories: Sequence[MemoryRecord],
    relation: str,
    resolver: Resolver = "rewrite",
    **fields: Any,
) -> Plan:
    """What all of them in one group come to."""
    case = candidacy([*facts], [*memories])
    members = (*case.fact_labels, *case.memory_labels)
    group = Group.model_validate({"why": "w", "members": members, "relation": relation, **fields})
    found = Groups(groups=(group,), new=())
    turns = (turn(),)
    setting = Setting(RUN, SCOPE, turns, NOW, policy=Policy(resolver=resolver))
    vectors = {text: vector(text) for text in new_texts(case, found)}
    return plan(setting, case, found, vectors)


def live_after(made: Plan, memories: Sequence[MemoryRecord]) -> dict[str, Memory]:
    live = {one.memory.id: one.memory for one in memories}
    for change in made.changes:
        if isinstance(change, Add | Confirm | Revise):
            live[change.record.memory.id] = change.record.memory
        if isinstance(change, Retire):
            del live[change.archive.archive.memory.id]
    return {one.text: one for one in live.values()}


@pytest.mark.parametrize(
    ("text", "relation"),
    [(HOT.memory.text, "same"), (TEA, "same"), (TEA, "update"), (NOW_COLD, "contradict")],
)
def test_what_somebody_says_of_the_same_is_stored_for_itself_and_takes_its_place(
    text: str, relation: str
) -> None:
    made = decided([fact(text)], [HOT], relation, text="User prefers hot drinks and hot tea")

    (said,) = live_after(made, [HOT]).values()
    assert (said.text, said.authority, said.derived, said.links) == (text, "user", {}, ())
    assert (said.confirmations, said.turn_ids, said.since) == (1, (uid("t1"),), NOW)
    retire, _ = made.changes
    assert isinstance(retire, Retire)
    assert (retire.archive.archive.replaced_by, retire.turn_ids) == (said.id, (uid("t1"),))


def test_beside_what_was_said_it_hands_on_nothing_and_costs_nothing() -> None:
    text = "User drinks cold tea at noon"

    made = decided([fact(text)], [COLD, HOT], "update", text=text)

    (said,) = live_after(made, [COLD, HOT]).values()
    assert (said.id, said.text, said.version) == (COLD.memory.id, text, 2)
    assert said.turn_ids == (*COLD.memory.turn_ids, uid("t1"))
    assert said.confirmations == 2


def test_what_is_the_same_keeps_every_detail_that_was_said_and_none_that_was_not() -> None:
    vague = record("User prefers 3 hot drinks", **NOBODYS)

    made = decided([fact(COLD.memory.text)], [COLD, vague], "same")

    (said,) = live_after(made, [COLD, vague]).values()
    assert (said.text, said.version, said.confirmations) == (COLD.memory.text, 1, 2)


@pytest.mark.parametrize("relation", ["update", "contradict"])
def test_it_is_never_the_newer_that_makes_something_said_late(relation: str) -> None:
    late = fact(NOW_COLD, said_at=at(-5))

    made = decided([late], [COLD, HOT], relation, text=NOW_COLD)
    alone = decided([late], [HOT], relation)

    assert NOW_COLD in live_after(made, [COLD, HOT])
    # What was said before its grounds tells nothing against it.
    assert {*live_after(alone, [HOT])} == {NOW_COLD, HOT.memory.text}


def test_a_machine_s_words_that_are_not_stored_take_nothing_s_place() -> None:
    made = decided([fact(NOW_COLD, authority="assistant")], [HOT], "contradict")

    assert made.changes == ()


def test_a_pinned_one_stays_and_the_fact_stands_beside_it_flagged() -> None:
    pinned = record("User prefers hot drinks", **NOBODYS, pinned=True)

    made = decided([fact(NOW_COLD)], [pinned], "contradict")

    live = live_after(made, [pinned])
    assert live[pinned.memory.text] == pinned.memory
    assert (live[NOW_COLD].flagged, live[NOW_COLD].links) == (PINNED, (pinned.memory.id,))


def test_a_pinned_one_stays_among_others_too() -> None:
    pinned = record("User prefers hot drinks", **NOBODYS, pinned=True)

    made = decided([fact(NOW_COLD)], [COLD, pinned], "contradict", text=NOW_COLD)

    assert {*live_after(made, [COLD, pinned])} == {NOW_COLD, pinned.memory.text}


def test_where_updates_are_kept_beside_it_stays_as_well_but_not_where_it_was_said() -> None:
    assert len(live_after(decided([fact(NOW_COLD)], [HOT], "update", "keep"), [HOT])) == 2
    assert len(live_after(decided([fact(TEA)], [HOT], "same", "keep"), [HOT])) == 1


def test_what_a_person_asks_to_forget_may_be_derived() -> None:
    made = decided([fact("forget the hot drinks", kind="forget")], [HOT], "forget")

    (retire,) = made.changes
    assert isinstance(retire, Retire)
    assert retire.archive.archive.reason == "forgotten"


def test_a_judge_may_not_put_what_was_derived_into_what_was_said() -> None:
    facts = [fact("User drinks cold tea at noon")]
    case = candidacy(facts, [COLD, record("User prefers 3 hot drinks", **NOBODYS)])

    def wrong_with(text: str, *drops: str) -> list[str]:
        group = Group(
            why="w", members=("f1", "c1", "c2"), relation="update", text=text, drops=drops
        )
        return complaints(case, Groups(groups=(group,), new=()), 8)

    assert wrong_with("User drinks cold tea at noon") == []
    assert wrong_with("User drinks cold tea at noon", "3 hot drinks") == []
    (wrong,) = wrong_with("User drinks cold tea at noon and prefers 3 hot drinks")
    assert "adds the number 3" in wrong


def test_in_equal_words_no_judge_is_needed() -> None:
    case = candidacy([fact(HOT.memory.text)], [HOT])

    (group,) = gate(case).settled.groups

    found = outcome(case, group)
    assert (found.kind, [one.label for one in found.outdone]) == ("beside", ["c1"])


def test_memories_alone_are_left_as_they_are_where_one_was_derived() -> None:
    case = Candidacy(facts=(), vectors=(), candidates=(COLD, HOT, HOT), offered=())

    for members in (("c1", "c2"), ("c2", "c3")):
        found = outcome(case, Group(why="w", members=members, relation="update", text="t"))
        assert (found.kind, found.members, found.outdone) == ("beside", (), ())


def test_sleep_judges_none_of_them() -> None:
    a, b = remembered("A", 1), remembered("B", 1, day=1)
    made = [remembered(name, 1, day=day, derived=GROUNDS) for name, day in (("C", 0.5), ("D", 2))]
    flagged = remembered("F", 1, day=5, flagged="unsure", derived=GROUNDS)

    assert all_groups(Tidy(), [a, b, *made]) == [["B", "A"]]
    assert all_groups(Flags(), [a, flagged]) == []


def test_extraction_is_not_told_of_it_as_if_it_had_been_said() -> None:
    near = Nominated(by_vector=(HOT.memory.id, COLD.memory.id))

    told = known(Nominations((near,), {one.memory.id: one for one in (HOT, COLD)}), NOW)

    assert told == (COLD.memory.text,)


def test_in_a_person_s_words_it_is_the_person_s() -> None:
    edited = amended(HOT.memory, amendment({"text": TEA}), uid("edit"), NOW)
    tagged = amended(HOT.memory, amendment({"add_tags": ["warm"]}), uid("edit"), NOW)

    assert edited is not None
    assert tagged is not None
    assert (edited.authority, edited.derived) == ("user", {})
    assert (tagged.authority, tagged.derived) == ("tool", GROUNDS)


def test_so_is_what_is_written_in_its_place() -> None:
    live = {HOT.memory.id: HOT}
    one = saying("User prefers tea", supersedes=[str(HOT.memory.id)])
    check(one, live)

    setting = Setting(RUN, SCOPE, (), NOW, "write")
    (revise,) = superseding(setting, one, live, vector("tea"))

    assert isinstance(revise, Revise)
    said = revise.record.memory
    assert (said.authority, said.derived, said.confirmations) == ("user", {}, 1)


@pytest.mark.parametrize(
    ("forgotten", "left_out"),
    [(uid("some"), {FORGOTTEN: 1}), (HOT.memory.id, {FORGOTTEN: 1}), (uid("none"), {})],
)
def test_it_is_not_imported_where_something_that_it_rests_on_was_forgotten(
    forgotten: Any, left_out: dict[str, int]
) -> None:
    line = MemoryLine(memory=HOT.memory, embedder="e", vector=HOT.vector)

    assert lacking([line], Known(forgotten=frozenset({forgotten}))).left_out == left_out


def test_who_knows_nothing_of_derived_memories_reads_a_tool_s_words() -> None:
    written = HOT.memory.model_dump(mode="json")
    del written["derived"]

    assert Memory.model_validate(written).authority == "tool"
    assert memory("x").derived == {}
    assert Memory.model_validate_json(HOT.memory.model_dump_json()) == HOT.memory
