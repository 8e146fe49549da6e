"""Verdicts become changes in one place, and the promises hold whatever the judge said."""

from collections import Counter
from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.memory import Fact, Memory, MemoryRecord
from schemas.plan import Add, Change, Confirm, File, Plan, Retire, Revise
from tests.build import NOW, RUN, SCOPE, at, candidacy, fact, record, turn, uid, vector
from worker.core.groups.guard import lost
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.groups.setting import Policy, Setting
from worker.core.judging.group_rules import complaints
from worker.core.planning.plan import new_texts, plan

SEATTLE = record("User lives in Seattle", confirmations=2)
TEA = record("User drinks tea", said_at=at(-20))


def decided(
    case: Candidacy,
    groups: list[Group],
    new: list[str] | None = None,
    flagged: dict[str, str] | None = None,
    **policy: object,
) -> Plan:
    """The plan for this judgment, with a vector for every text it needs."""
    judged = Groups(groups=tuple(groups), new=tuple(new or ()), flagged=flagged or {})
    turns = {id: None for one in case.facts for id in one.turn_ids}
    setting = Setting(
        run=RUN,
        scope=SCOPE,
        turns=tuple(turn().model_copy(update={"id": id}) for id in turns),
        now=NOW,
        policy=Policy(**policy),  # type: ignore[arg-type] # a table's values
    )
    return plan(setting, case, judged, {text: vector(text) for text in new_texts(case, judged)})


def group(relation: str, *members: str, **fields: object) -> Group:
    return Group.model_validate(
        {"why": "because", "relation": relation, "members": members, **fields}
    )


def kinds(made: Plan) -> list[str]:
    return [change.kind for change in made.changes]


def live_after(made: Plan, case: Candidacy) -> dict[str, Memory]:
    """What the store holds once the plan is applied, by text."""
    live = {record.memory.id: record.memory for record in case.candidates}
    for change in made.changes:
        match change:
            case Add() | Confirm() | Revise():
                live[change.record.memory.id] = change.record.memory
            case Retire():
                del live[change.archive.archive.memory.id]
            case File():
                pass
    return {memory.text: memory for memory in live.values()}


def memory_of(change: Change) -> Memory:
    match change:
        case Add() | Confirm() | Revise():
            return change.record.memory
        case Retire() | File():
            return change.archive.archive.memory


def test_a_fact_about_nothing_known_is_added() -> None:
    made = decided(candidacy([fact("User has a cat")]), [], ["f1"])

    assert kinds(made) == ["add"]
    assert made.changes[0].record.memory.text == "User has a cat"
    assert made.base == {}


def test_the_same_fact_again_confirms_and_leaves_the_version() -> None:
    case = candidacy([fact("The user does live in Seattle")], [SEATTLE])

    (confirm,) = decided(case, [group("same", "f1", "c1")]).changes

    assert isinstance(confirm, Confirm)
    assert confirm.record.memory.version == 1
    assert confirm.record.memory.confirmations == 3
    assert confirm.record.memory.text == "User lives in Seattle"
    assert uid("t1") in confirm.record.memory.turn_ids
    assert confirm.prior.confirmations == 2


def test_a_turn_that_already_stands_behind_a_memory_confirms_nothing() -> None:
    again = fact("User's home is Seattle", turn_ids=SEATTLE.memory.turn_ids, said_at=at(-30))

    (confirm,) = decided(candidacy([again], [SEATTLE]), [group("same", "f1", "c1")]).changes

    assert confirm.record.memory.confirmations == 2


def test_an_update_keeps_the_memory_and_archives_the_version_before() -> None:
    case = candidacy([fact("User moved to Austin")], [SEATTLE])
    text = "User lives in Austin, moved from Seattle"

    (revise,) = decided(case, [group("contradict", "f1", "c1", text=text)]).changes

    assert isinstance(revise, Revise)
    assert revise.record.memory.id == SEATTLE.memory.id
    assert revise.record.memory.text == text
    assert revise.record.memory.version == 2
    assert revise.record.vector == vector(text)
    assert revise.archive.archive.memory == SEATTLE.memory
    assert revise.archive.archive.replaced_by == SEATTLE.memory.id
    assert revise.archive.archive.run == RUN


def test_one_fact_that_overturns_two_memories_leaves_one_and_archives_both() -> None:
    saab, parking = record("User drives a Saab"), record("User rents a parking place")
    case = candidacy([fact("User sold the Saab and gave up the parking place")], [saab, parking])

    made = decided(case, [group("contradict", "f1", "c1", "c2", text="User cycles; sold the Saab")])

    assert sorted(kinds(made)) == ["retire", "revise"]
    assert list(live_after(made, case)) == ["User cycles; sold the Saab"]
    survivor = next(c for c in made.changes if isinstance(c, Revise)).record.memory.id
    assert (
        next(c for c in made.changes if isinstance(c, Retire)).archive.archive.replaced_by
        == survivor
    )


def test_a_memory_said_later_stands_and_the_late_fact_is_filed_as_history() -> None:
    austin = record("User lives in Austin", said_at=at(-1))
    case = candidacy([fact("User lives in Seattle", said_at=at(-100))], [austin])

    (filed,) = decided(case, [group("contradict", "f1", "c1", text="anything")]).changes

    assert isinstance(filed, File)
    assert filed.archive.archive.memory.text == "User lives in Seattle"
    assert filed.archive.archive.replaced_by == austin.memory.id
    assert filed.archive.archive.reason == "late"


def test_a_late_repetition_lends_its_turn_and_changes_no_time() -> None:
    austin = record("User lives in Austin", said_at=at(-1))
    case = candidacy([fact("User lives in Austin", said_at=at(-100))], [austin])

    (confirm,) = decided(case, [group("same", "f1", "c1")]).changes

    assert confirm.record.memory.said_at == at(-1)
    assert uid("t1") in confirm.record.memory.turn_ids


def test_of_two_facts_the_older_becomes_history_of_the_newer() -> None:
    case = candidacy([fact("User lives in Rome", said_at=at(-2)), fact("User moved to Oslo")])

    made = decided(
        case, [group("contradict", "f1", "f2", text="User lives in Oslo, before in Rome")]
    )

    assert kinds(made) == ["add", "file"]
    assert made.changes[1].archive.archive.replaced_by == made.changes[0].record.memory.id


def test_two_wordings_in_one_batch_are_one_memory_with_both_turns() -> None:
    case = candidacy(
        [fact("User lives in Rome"), fact("The user is living in Rome", turn_ids=(uid("t2"),))]
    )

    (add,) = decided(case, [group("same", "f1", "f2")]).changes

    assert add.record.memory.turn_ids == (uid("t2"), uid("t1"))
    assert add.record.memory.confirmations == 2


def test_several_same_memories_become_one_that_carries_everything() -> None:
    one = record("User has two dogs", tags=("pets",), metadata={"ticket": "K-17"})
    two = record("The user owns two dogs", tags=("home",), confirmations=4, metadata={"a": 1})
    case = candidacy([fact("User has 2 dogs")], [one, two])

    made = decided(case, [group("same", "f1", "c1", "c2")])

    (memory,) = live_after(made, case).values()
    assert memory.id == two.memory.id
    assert memory.confirmations == 6
    assert set(memory.tags) == {"pets", "home"}
    assert memory.metadata == {"ticket": "K-17", "a": 1}


def test_what_callers_attached_survives_an_update() -> None:
    old = record("User bakes on Saturdays", tags=("baking",), metadata={"ticket": "K-17"})
    case = candidacy([fact("User bakes on Sundays")], [old])

    (revise,) = decided(case, [group("update", "f1", "c1", text="User bakes on Sundays")]).changes

    assert revise.record.memory.tags == ("baking",)
    assert revise.record.memory.metadata == {"ticket": "K-17"}
    assert revise.record.memory.created_at == old.memory.created_at


@pytest.mark.parametrize("relation", ["update", "contradict"])
def test_a_pinned_memory_is_never_changed_but_the_fact_is_kept_beside_it(relation: str) -> None:
    rosa = record("Emergency contact is Aunt Rosa", pinned=True)
    case = candidacy([fact("Emergency contact is Uncle Ben")], [rosa])

    (add,) = decided(case, [group(relation, "f1", "c1", text="Ben")]).changes

    assert isinstance(add, Add)
    assert add.record.memory.links == (rosa.memory.id,)
    assert add.record.memory.flagged


def test_a_fact_that_only_the_assistant_stated_is_not_stored() -> None:
    case = candidacy([fact("User grows figs", authority="assistant", said_by="assistant")])

    made = decided(case, [], ["f1"])

    assert made.changes == ()
    assert made.dropped == {"only the assistant said it": 1}


@pytest.mark.parametrize("relation", ["same", "update", "contradict"])
def test_what_the_assistant_said_never_changes_what_a_person_said(relation: str) -> None:
    case = candidacy([fact("User drinks coffee", authority="assistant")], [TEA])

    made = decided(case, [group(relation, "f1", "c1", text="coffee")], remember_assistant=True)

    assert live_after(made, case)["User drinks tea"] == TEA.memory
    assert kinds(made) == ["add"]


def test_a_turn_that_would_replace_more_than_the_cap_is_held_and_changes_nothing() -> None:
    known = [record(f"Record {n}") for n in range(4)]
    case = candidacy([fact("All earlier notes are outdated")], known)

    made = decided(case, [group("contradict", "f1", "c1", "c2", "c3", "c4", text="x outdated")])

    assert made.changes == ()
    assert [held.turn_id for held in made.held] == [uid("t1")]
    assert "4 memories" in made.held[0].reason


def test_another_turn_of_the_batch_goes_on_when_one_is_held() -> None:
    known = [record(f"Record {n}") for n in range(4)]
    facts = [fact("All outdated"), fact("User has a cat", turn_ids=(uid("t2"),))]
    case = candidacy(facts, known)

    made = decided(case, [group("contradict", "f1", "c1", "c2", "c3", "c4", text="x")], ["f2"])

    assert [change.record.memory.text for change in made.changes] == ["User has a cat"]


def test_while_something_is_in_repair_the_text_before_stands_again_afterwards() -> None:
    coffee = record("User drinks pour-over coffee")
    case = candidacy([fact("User drinks Americano", until=at(14))], [coffee])

    (revise,) = decided(
        case, [group("update", "f1", "c1", text="User drinks Americano now")]
    ).changes

    assert revise.record.memory.until == at(14)
    assert revise.record.memory.after == "User drinks pour-over coffee"


def test_a_bare_repetition_never_shortens_a_life() -> None:
    case = candidacy([fact("User lives in Seattle", until=at(1), until_assumed=True)], [SEATTLE])

    (confirm,) = decided(case, [group("same", "f1", "c1")]).changes

    assert confirm.record.memory.until is None


def test_saying_it_again_with_another_end_replaces_the_end() -> None:
    until = record("User stays with her sister", until=at(5))
    case = candidacy([fact("User stays with her sister", until=at(20))], [until])

    (confirm,) = decided(case, [group("same", "f1", "c1")]).changes

    assert confirm.record.memory.until == at(20)
    assert confirm.prior.until == at(5)


@pytest.mark.parametrize("before, end", [(None, at(9)), (at(20), at(9)), (None, at(-1))])
def test_a_repetition_that_shortens_a_life_is_a_change_with_its_archive(
    before: datetime | None, end: datetime
) -> None:
    sister = record("User stays with her sister", until=before)
    case = candidacy([fact("User stays with her sister", until=end)], [sister])

    (revise,) = decided(case, [group("same", "f1", "c1")]).changes

    assert isinstance(revise, Revise)
    assert (revise.record.memory.version, revise.record.memory.until) == (2, end)
    assert revise.record.vector == sister.vector
    assert (revise.archive.archive.memory, revise.archive.archive.reason) == (
        sister.memory,
        "superseded",
    )


def test_one_turn_can_end_no_more_memories_than_the_cap_by_repeating_them() -> None:
    texts = ["User plays the oboe", "User speaks Welsh", "User keeps geese"]
    facts = [fact(text, until=at(1)) for text in texts]
    case = candidacy(facts, [record(text) for text in texts])
    groups = [group("same", f"f{n}", f"c{n}") for n in (1, 2, 3)]

    made = decided(case, groups, max_replaced_per_turn=2)

    assert (made.changes, len(made.held)) == ((), 1)
    assert [change.kind for change in made.held[0].proposal] == ["revise"] * 3
    assert kinds(decided(case, groups, max_replaced_per_turn=3)) == ["revise"] * 3


def test_other_words_of_what_was_called_the_same_stay_with_the_change() -> None:
    known, other = "User preserves plums, ripe and sweet", "User preserves ripe plums"
    twin = fact(known, turn_ids=(uid("t2"),))

    (confirm,) = decided(
        candidacy([fact(other)], [record(known)]), [group("same", "f1", "c1")]
    ).changes
    (repeated,) = decided(
        candidacy([fact(f"{known}!")], [record(known)]), [group("same", "f1", "c1")]
    ).changes
    (add,) = decided(candidacy([fact(other), twin]), [group("same", "f1", "f2")]).changes

    assert (confirm.kind, confirm.said) == ("confirm", (other,))
    assert (repeated.kind, repeated.said) == ("confirm", ())
    assert (add.record.memory.text, add.said) == (known, (other,))


def test_another_value_that_was_called_the_same_takes_the_place_of_the_one_before() -> None:
    plums, pears = "User preserves plums", "User preserves pears"
    case = candidacy([fact(pears)], [record(plums), record("The user preserves plums")])

    (revise,) = decided(
        candidacy([fact(pears)], [record(plums)]), [group("same", "f1", "c1")]
    ).changes
    merged = decided(case, [group("same", "f1", "c1", "c2")]).changes

    assert (revise.record.memory.text, revise.archive.archive.memory.text) == (pears, plums)
    assert (revise.record.memory.version, revise.archive.archive.reason) == (2, "superseded")
    assert [change.kind for change in merged] == ["revise", "retire"]
    assert merged[0].record.memory.text == pears


def test_of_two_values_in_one_batch_that_were_called_the_same_the_older_is_history() -> None:
    plums, pears = fact("User preserves plums"), fact("User preserves pears")

    made = decided(candidacy([plums, pears]), [group("same", "f1", "f2")])

    (add, file) = made.changes
    assert (add.record.memory.text, file.archive.archive.memory.text) == (pears.text, plums.text)
    assert file.archive.archive.replaced_by == add.record.memory.id


def test_a_late_value_that_was_called_the_same_is_history_and_lends_its_turn() -> None:
    late = fact("User preserves pears", said_at=at(-90))
    case = candidacy([late], [record("User preserves plums")])

    confirm, file = decided(case, [group("same", "f1", "c1")]).changes

    assert confirm.record.memory.text == "User preserves plums"
    assert (file.kind, file.archive.archive.memory.text) == ("file", late.text)
    assert file.archive.archive.replaced_by == confirm.record.memory.id


def test_a_far_poorer_wording_of_the_same_is_history_and_the_fuller_stays() -> None:
    rich = "User runs along the canal with a brother every morning before work"
    case = candidacy([fact("User goes jogging in the morning")], [record(rich)])

    confirm, file = decided(case, [group("same", "f1", "c1")]).changes

    assert (confirm.kind, confirm.record.memory.text) == ("confirm", rich)
    assert file.archive.archive.memory.text == "User goes jogging in the morning"


def test_words_that_a_person_asks_to_forget_stay_nowhere() -> None:
    told = fact("User drinks black tea", turn_ids=(uid("t2"),), said_at=at(-1))
    case = candidacy([WISH, told], [record("User drinks tea and sails")])

    (revise,) = decided(case, [group("forget", "f1", "f2", "c1", text="User sails")]).changes

    assert (revise.kind, revise.said) == ("revise", ())


def test_a_request_to_forget_leaves_only_what_was_not_meant() -> None:
    heart = record("User has a heart condition and cycles to work")
    case = candidacy([fact("forget the heart condition", kind="forget")], [heart])

    (revise,) = decided(case, [group("forget", "f1", "c1", text="User cycles to work")]).changes

    assert revise.record.memory.text == "User cycles to work"
    assert revise.archive.archive.reason == "forgotten"


def test_a_request_to_forget_is_itself_never_stored() -> None:
    case = candidacy([fact("forget the tea", kind="forget")], [TEA])

    (retire,) = decided(case, [group("forget", "f1", "c1")]).changes

    assert isinstance(retire, Retire)
    assert retire.archive.archive.reason == "forgotten"
    assert retire.archive.archive.replaced_by is None


def test_a_request_to_forget_something_unknown_is_not_stored_either() -> None:
    made = decided(candidacy([fact("forget it", kind="forget")], [TEA]), [], ["f1"])

    assert made.changes == ()


WISH = fact("Forget the tea", kind="forget")
CAT = fact("User has a cat", turn_ids=(uid("t2"),))


@pytest.mark.parametrize(
    "groups, flagged, why",
    [
        ([], {"f1": "its judgment failed"}, "its judgment failed"),
        ([group("forget", "f1", "c1")], {}, "not offered"),
        ([group("update", "f1", "c2")], {}, "no update"),
    ],
)
def test_a_wish_to_forget_that_came_to_nothing_is_held_with_its_turn(
    groups: list[Group], flagged: dict[str, str], why: str
) -> None:
    beside = fact("User sails")
    case = candidacy([WISH, CAT, beside], [TEA, SEATTLE], {"f1": ("c2",), "f2": (), "f3": ()})

    made = decided(case, groups, ["f2", "f3"], flagged)

    (held,) = made.held
    assert (held.turn_id, made.turn_ids) == (uid("t1"), (uid("t2"),))
    assert why in held.reason
    assert set(live_after(made, case)) == {TEA.memory.text, SEATTLE.memory.text, CAT.text}
    assert made.dropped == {}
    # To accept the rest would settle the turn without the wish.
    assert held.proposal == ()


def test_a_wish_takes_with_it_what_was_said_at_the_same_time_wherever_it_stands() -> None:
    told = fact("User drinks green tea", turn_ids=(uid("t2"),))
    case = candidacy([WISH, told], [TEA], {"f1": ("f2", "c1"), "f2": ("c1",)})

    made = decided(case, [group("forget", "f1", "f2", "c1")])

    assert (kinds(made), made.held) == (["retire"], ())
    assert made.dropped == {"forgotten on request": 1}


def test_a_machines_request_holds_no_turn_and_a_failed_fact_holds_none_either() -> None:
    asked = WISH.model_copy(update={"authority": "assistant"})

    made = decided(candidacy([asked, CAT], [TEA]), [], ["f1", "f2"], {"f1": "x", "f2": "x"})

    assert made.held == ()
    assert made.dropped == {"only a person may ask to forget": 1}


def test_a_wish_that_was_judged_with_a_held_turn_is_held_too_and_proposed_with_it() -> None:
    known = [record(f"Record {n}") for n in range(5)]
    facts = [fact("All outdated", turn_ids=(uid("t2"),)), WISH]
    facts += [fact("User drank tea", turn_ids=(uid("t2"),))]
    groups = [group("contradict", "f1", "c1", "c2", "c3", "c4"), group("forget", "f2", "f3", "c5")]

    made = decided(candidacy(facts, known), groups)

    assert {one.turn_id for one in made.held} == {uid("t1"), uid("t2")}
    assert (made.changes, made.dropped) == ((), {})
    forgotten = [change.relation for one in made.held for change in one.proposal]
    assert forgotten.count("forget") == 1


def test_a_memory_that_two_groups_claim_changes_once_and_no_fact_is_lost() -> None:
    case = candidacy([fact("User moved to Austin"), fact("User moved to Oslo")], [SEATTLE])
    groups = [group("contradict", "f1", "c1"), group("contradict", "f2", "c1")]

    made = decided(case, groups)

    assert kinds(made) == ["revise", "add"]
    assert set(live_after(made, case)) == {"User moved to Austin", "User moved to Oslo"}


def test_a_held_turn_is_not_among_those_that_the_run_settles_and_carries_its_proposal() -> None:
    known = [record(f"Record {n}") for n in range(4)]
    facts = [fact("All outdated"), fact("User has a cat", turn_ids=(uid("t2"),))]

    made = decided(
        candidacy(facts, known), [group("contradict", "f1", "c1", "c2", "c3", "c4")], ["f2"]
    )

    assert made.turn_ids == (uid("t2"),)
    (held,) = made.held
    assert sorted(change.kind for change in held.proposal) == [
        "retire",
        "retire",
        "retire",
        "revise",
    ]


@pytest.mark.parametrize(
    ("said", "known", "text"),
    [
        ("Code QX-181 means the lid is open", "Code QX-118 means a worn lamp", None),
        ("User pays 40 dollars", "User pays 30 dollars", "User pays dollars"),
        ("User met Ann in Rome", "User met Bob in Rome", None),
    ],
)
def test_things_called_the_same_both_stay_where_a_detail_would_get_lost(
    said: str, known: str, text: str | None
) -> None:
    case = candidacy([fact(said)], [record(known)])

    made = decided(case, [group("same", "f1", "c1", text=text)])

    assert set(live_after(made, case)) == {said, known}
    (add,) = made.changes
    assert add.record.memory.flagged
    assert add.record.memory.links == (record(known).memory.id,)


def test_a_richer_wording_of_the_same_takes_the_place_of_the_poorer() -> None:
    case = candidacy([fact("User has two dogs, Biscuit and Olive")], [record("User has two dogs")])

    (revise,) = decided(case, [group("same", "f1", "c1")]).changes

    assert isinstance(revise, Revise)
    assert revise.record.memory.text == "User has two dogs, Biscuit and Olive"


def test_the_most_confirmed_survivor_does_not_swallow_what_another_memory_adds() -> None:
    poor = record("User keeps greyhounds", confirmations=5)
    rich = record("User keeps greyhounds, Biscuit and Olive")
    case = candidacy([fact("The user keeps greyhounds")], [poor, rich])

    made = decided(case, [group("same", "f1", "c1", "c2")])

    assert set(live_after(made, case)) == {rich.memory.text}


def test_a_pinned_memory_keeps_its_life_when_it_is_said_again_for_a_while() -> None:
    rosa = record("Emergency contact is Rosa", pinned=True)
    case = candidacy([fact("Emergency contact is Rosa", until=at(1))], [rosa])

    (confirm,) = decided(case, [group("same", "f1", "c1")]).changes

    assert (confirm.record.memory.until, confirm.record.memory.after) == (None, None)


def test_of_two_facts_of_one_batch_the_older_stands_again_after_the_temporary_one() -> None:
    facts = [
        fact("User drinks pour-over", said_at=at(-1)),
        fact("User drinks Americano", until=at(9)),
    ]

    made = decided(
        candidacy(facts), [group("update", "f1", "f2", text="User drinks Americano now")]
    )

    assert made.changes[0].record.memory.after == "User drinks pour-over"


def test_something_temporary_never_stands_again_for_ever() -> None:
    sister = record("User stays with her sister", until=at(5))
    case = candidacy([fact("User stays in a hotel", until=at(20))], [sister])

    (revise,) = decided(case, [group("update", "f1", "c1", text="User stays in a hotel")]).changes

    assert revise.record.memory.after is None


def test_what_stands_again_is_written_down_when_it_is_confirmed() -> None:
    lapsed = record("User drinks Americano", until=at(-1), after="User drinks pour-over")
    case = candidacy([fact("User drinks pour-over", until=at(4))], [lapsed])
    case = replace(case, asked_at=NOW)

    (revise,) = decided(case, [group("same", "f1", "c1")]).changes

    assert isinstance(revise, Revise)
    assert revise.record.memory.text == "User drinks pour-over"
    assert revise.record.vector == vector("User drinks pour-over")
    assert revise.record.memory.after is None
    assert revise.archive.archive.memory.text == "User drinks Americano"


def test_forgetting_touches_nothing_that_was_said_since_the_request() -> None:
    request = fact("forget my number", kind="forget", said_at=at(-10))
    since = fact("my number is 99887", turn_ids=(uid("t2"),))
    old, new = record("Number is 123", said_at=at(-20)), record("Number is 456", said_at=at(-1))
    case = candidacy(
        [request, since], [old, new], {"f1": ("f2", "c1", "c2"), "f2": ("f1", "c1", "c2")}
    )

    made = decided(case, [group("forget", "f1", "f2", "c1", "c2")])

    assert set(live_after(made, case)) == {"Number is 456", "my number is 99887"}


def test_what_was_to_be_forgotten_does_not_stand_again_later() -> None:
    heart = record("User swims", until=at(9), after="User takes pills for her heart")
    case = candidacy([fact("forget my heart", kind="forget")], [heart])

    (revise,) = decided(case, [group("forget", "f1", "c1", text="User swims a lot")]).changes

    assert revise.record.memory.after is None


def test_what_remains_of_something_that_has_lapsed_stands_from_now_on() -> None:
    lapsed = record("User drinks tea", until=at(-1), after="User takes pills and swims")
    case = replace(candidacy([fact("forget the pills", kind="forget")], [lapsed]), asked_at=NOW)

    (revise,) = decided(case, [group("forget", "f1", "c1", text="User swims")]).changes

    assert (revise.record.memory.text, revise.record.memory.until) == ("User swims", None)
    assert revise.archive.archive.memory == lapsed.memory


def test_what_was_not_meant_of_a_fact_that_is_not_stored_yet_is_stored() -> None:
    said = fact("User takes pills and swims", said_at=at(-1), turn_ids=(uid("t2"),))
    case = candidacy([fact("forget the pills", kind="forget"), said])

    made = decided(case, [group("forget", "f1", "f2", text="User swims")])

    assert list(live_after(made, case)) == ["User swims"]


def test_a_fact_of_the_same_batch_that_is_to_be_forgotten_is_left_out_and_counted() -> None:
    said = fact("User takes pills", said_at=at(-1), turn_ids=(uid("t2"),))
    case = candidacy([fact("forget the pills", kind="forget"), said])

    made = decided(case, [group("forget", "f1", "f2")])

    assert (made.changes, made.dropped) == ((), {"forgotten on request": 1})


def test_what_stands_again_is_written_with_its_own_embedding() -> None:
    lapsed = record("User drinks Americano", until=at(-1), after="User drinks pour-over from Ann")
    case = replace(candidacy([fact("User drinks pour-over")], [lapsed]), asked_at=NOW)

    (revise,) = decided(case, [group("same", "f1", "c1")]).changes

    assert revise.record.vector == vector("User drinks pour-over from Ann")
    assert revise.archive.vector == vector("User drinks Americano")
    assert revise.archive.archive.reason == "expired"


def test_merged_by_repetition_the_longest_life_counts() -> None:
    short = record("User stays with her sister", until=at(5), confirmations=5)
    case = candidacy(
        [fact("User stays with her sister")], [short, record("User stays with sister")]
    )

    (memory,) = live_after(decided(case, [group("same", "f1", "c1", "c2")]), case).values()

    assert memory.until is None


def test_what_only_machines_said_is_not_stored_as_an_update_of_itself_either() -> None:
    facts = [fact("it rains", authority="tool"), fact("it rains now", authority="tool")]

    assert decided(candidacy(facts), [group("update", "f1", "f2")]).changes == ()


@pytest.mark.parametrize("relation", ["same", "update"])
def test_memories_alone_are_merged_like_facts_and_memories(relation: str) -> None:
    known = [
        record("User has two dogs", confirmations=2),
        record("User has 2 dogs", said_at=at(-1)),
    ]
    case = candidacy([], known)

    made = decided(case, [group(relation, "c1", "c2")])

    assert sorted(kinds(made)) == ["retire", "revise"]
    (memory,) = live_after(made, case).values()
    assert (memory.id, memory.confirmations, memory.said_at) == (known[0].memory.id, 3, at(-1))
    assert made.held == ()


@pytest.mark.parametrize("said_at", [at(-1), NOW])
def test_a_fact_that_is_stored_beside_a_held_turn_has_no_part_in_its_proposal(
    said_at: datetime,
) -> None:
    facts = [
        fact("All that is outdated"),
        fact("Outdated, says another", turn_ids=(uid("t2"),), said_at=said_at),
        fact("That too", turn_ids=(uid("t1"),)),
    ]
    case = candidacy(facts, [record(f"Record {n}") for n in range(4)])
    groups = [group("update", "f1", "f2", "c1", "c2"), group("update", "f3", "c3", "c4")]

    made = decided(case, groups)

    (held,) = made.held
    assert [memory_of(change).text for change in made.changes] == ["Outdated, says another"]
    behind = {id for change in held.proposal for id in memory_of(change).turn_ids}
    assert uid("t2") not in behind
    assert sorted(change.kind for change in held.proposal) == [
        "retire",
        "retire",
        "revise",
        "revise",
    ]


def test_a_merge_by_repetition_leaves_a_snapshot_of_the_survivor_too() -> None:
    one, two = record("User has two dogs", tags=("pets",)), record("The user owns two dogs")
    case = candidacy([fact("User has 2 dogs")], [one, two])

    made = decided(case, [group("same", "f1", "c1", "c2")])

    assert sorted(kinds(made)) == ["retire", "revise"]


def test_the_plan_knows_which_run_had_written_what_it_was_decided_on() -> None:
    case = candidacy([fact("User's home is Seattle")], [SEATTLE])

    made = decided(case, [group("same", "f1", "c1")])

    assert made.base_runs == {SEATTLE.memory.id: SEATTLE.memory.last_run}


def test_fields_that_a_turn_carries_reach_the_memory() -> None:
    setting = Setting(run=RUN, scope=SCOPE, turns=(turn(metadata={"channel": "mail"}),), now=NOW)
    case = candidacy([fact("User has a cat")])

    (add,) = plan(setting, case, Groups(groups=(), new=("f1",)), {}).changes

    assert add.record.memory.metadata == {"channel": "mail"}


def test_the_same_judgment_makes_the_same_plan() -> None:
    case = candidacy([fact("User moved to Austin"), fact("User has a cat")], [SEATTLE])
    judged = [group("contradict", "f1", "c1", text="User lives in Austin")]

    assert decided(case, judged, ["f2"]) == decided(case, judged, ["f2"])


def test_a_plan_survives_json() -> None:
    case = candidacy([fact("User moved to Austin"), fact("User has a cat")], [SEATTLE])
    made = decided(case, [group("contradict", "f1", "c1", text="User lives in Austin")], ["f2"])

    assert Plan.model_validate_json(made.model_dump_json()) == made


def test_what_a_person_says_too_is_theirs_from_then_on_and_that_can_be_undone() -> None:
    figs = record("User grows figs", authority="assistant", said_by="assistant")

    (revise,) = decided(
        candidacy([fact("User grows figs")], [figs]), [group("same", "f1", "c1")]
    ).changes

    assert isinstance(revise, Revise)
    assert (revise.record.memory.authority, revise.record.memory.said_by) == ("user", "user")
    assert (revise.record.memory.text, revise.record.memory.version) == ("User grows figs", 2)
    assert revise.archive.archive.memory == figs.memory


@pytest.mark.parametrize("relation", ["same", "update", "contradict"])
@pytest.mark.parametrize("said_at", [NOW, at(-60)])
def test_what_only_a_machine_said_changes_no_memory_of_a_machine_where_it_is_not_remembered(
    relation: str, said_at: datetime
) -> None:
    rain = record("it rains", authority="tool")
    case = candidacy([fact("it rains", authority="tool", said_at=said_at)], [rain])

    made = decided(case, [group(relation, "f1", "c1")])

    assert (made.changes, made.dropped) == ((), {"only the tool said it": 1})


def test_what_a_machine_said_beside_a_person_is_kept_beside_and_the_persons_word_counts() -> None:
    facts = [fact("User moved to Austin"), fact("User moved to Rome", authority="assistant")]
    case = candidacy(facts, [SEATTLE])
    judged = [group("contradict", "f1", "f2", "c1")]

    remembered = decided(case, judged, remember_assistant=True)
    forgotten = decided(case, judged)

    assert set(live_after(remembered, case)) == {"User moved to Austin", "User moved to Rome"}
    assert set(live_after(forgotten, case)) == {"User moved to Austin"}
    assert forgotten.dropped == {"only the assistant said it": 1}


def test_what_two_held_turns_say_together_is_proposed_once_with_the_first() -> None:
    facts = [
        fact("All that is outdated"),
        fact("Outdated it is", turn_ids=(uid("t2"),), said_at=at(-1)),
        fact("User has a cat", turn_ids=(uid("t2"),)),
    ]
    case = candidacy(facts, [record(f"Record {n}") for n in range(4)])

    made = decided(case, [group("update", "f1", "f2", "c1", "c2", "c3", "c4")], ["f3"])

    first, second = made.held
    assert Counter(change.kind for change in first.proposal) == {
        "retire": 3,
        "revise": 1,
        "file": 1,
    }
    assert [memory_of(change).text for change in second.proposal] == ["User has a cat"]
    assert str(first.turn_id) in second.reason


def test_what_a_machine_added_is_no_part_of_what_remains_after_a_request_to_forget() -> None:
    said = fact("User takes pills and swims", said_at=at(-2), turn_ids=(uid("t2"),))
    echo = fact("User takes pills", said_at=at(-1), turn_ids=(uid("t3"),), authority="assistant")
    case = candidacy([fact("forget the pills", kind="forget"), said, echo])

    made = decided(case, [group("forget", "f1", "f2", "f3", text="User swims")])

    assert list(live_after(made, case)) == ["User swims"]
    assert made.dropped == {"forgotten on request": 1}


def test_of_a_fact_that_is_not_stored_yet_nothing_forgotten_stands_again_either() -> None:
    said = fact("User swims", said_at=at(-1), until=at(9), after="User takes pills")
    case = candidacy([fact("forget the pills", kind="forget"), said])

    (add,) = decided(case, [group("forget", "f1", "f2", text="User swims")]).changes

    assert (add.record.memory.until, add.record.memory.after) == (at(9), None)


def test_what_remains_says_which_turn_asked_to_forget_the_rest() -> None:
    said = fact("User takes pills and swims", said_at=at(-1), turn_ids=(uid("t2"),))
    case = candidacy([fact("forget the pills", kind="forget"), said])

    (add,) = decided(case, [group("forget", "f1", "f2", text="User swims")]).changes

    assert set(add.turn_ids) == {uid("t1"), uid("t2")}
    assert add.record.memory.turn_ids == (uid("t2"),)


# -- what the rules accept

TEXTS = [
    "User has dogs, Biscuit",
    "User has 2 dogs, Olive",
    "User eats meat",
    "User does not eat meat",
    "User pays with code QX-181",
    "User has lived in Ghent since 2019",
]
TOLD = st.builds(
    fact,
    st.sampled_from(TEXTS),
    said_at=st.sampled_from([NOW, at(-50)]),
    until=st.sampled_from([None, at(3)]),
)
ENDS = [{}, {"until": at(5)}, *({"until": at(n), "after": "User has 3 cats"} for n in (5, -1))]
KEPT = st.builds(
    lambda text, days, end: record(text, said_at=at(-days), **end),
    st.sampled_from(TEXTS),
    st.integers(10, 12),
    st.sampled_from(ENDS),
)


def is_late(change: Retire | File) -> bool:
    return change.archive.archive.reason == "late"


@given(
    st.lists(TOLD, min_size=1, max_size=2),
    st.lists(KEPT, max_size=2, unique_by=lambda one: one.memory.id),
    st.sampled_from(["same", "update", "contradict"]),
    st.sampled_from(["none", "all", "one", "other"]),
    st.sets(st.sampled_from(TEXTS), max_size=2),
    st.sampled_from([None, "User has dogs, Biscuit", "User has 3 cats"]),
)
def test_a_finding_that_the_rules_accept_loses_no_detail(
    facts: list[Fact],
    known: list[MemoryRecord],
    relation: str,
    words: str,
    drops: set[str],
    after: str | None,
) -> None:
    case = replace(candidacy(facts, known), asked_at=NOW)
    members = (*case.fact_labels, *case.memory_labels)
    said = [case.shown(one) for one in members]
    texts = {"none": None, "all": "; ".join({one.text for one in said}), "one": said[0].text}
    judged = group(relation, *members, text=texts.get(words, TEXTS[0]), drops=drops, after=after)
    if len(members) == 1 or complaints(case, Groups(groups=(judged,), new=()), 8):
        return

    made = decided(case, [judged])

    shown = {case.candidate(one).memory.id: case.shown(one) for one in case.memory_labels}
    gone = {memory_of(change).id for change in made.changes if isinstance(change, Retire)}
    live = [memory for id, memory in shown.items() if id not in {*made.base, *gone}]
    stored = (c for c in made.changes if not isinstance(c, Retire | File) or is_late(c))
    live += map(memory_of, stored)
    kept = [text for memory in live for text in (memory.text, memory.after) if text]
    assert lost(said, [*kept, *judged.drops]) == []


MARATHON = record("User ran the Oslo marathon", happened_at="2025-05")


@pytest.mark.parametrize(
    "relation, own, stands",
    [
        ("update", None, "2025-05"),
        ("update", "2025-05-17", "2025-05-17"),
        ("contradict", None, None),
        ("contradict", "2024", "2024"),
    ],
)
def test_what_only_adds_to_something_leaves_the_time_it_happened(
    relation: str, own: str | None, stands: str | None
) -> None:
    rain = fact("User ran the Oslo marathon in the rain", happened_at=own)
    same = fact(MARATHON.memory.text, happened_at="2025-05", said_at=at(-1))

    (revise,) = decided(candidacy([rain], [MARATHON]), [group(relation, "f1", "c1")]).changes
    twins = decided(candidacy([rain, same]), [group(relation, "f1", "f2")]).changes

    assert memory_of(revise).happened_at == memory_of(twins[0]).happened_at == stands


@pytest.mark.parametrize("one, other", [(None, "2025-05"), ("2025", "2025-05")])
def test_said_again_the_more_exact_time_stands(one: str | None, other: str | None) -> None:
    vague = record("User ran the Oslo marathon", happened_at=one)
    exact = fact("User ran the Oslo marathon", happened_at=other)
    vaguer = exact.model_copy(update={"happened_at": one})

    (revise,) = decided(candidacy([exact], [vague]), [group("same", "f1", "c1")]).changes
    (confirm,) = decided(candidacy([vaguer], [MARATHON]), [group("same", "f1", "c1")]).changes
    (add,) = decided(candidacy([exact, vaguer]), [group("same", "f1", "f2")]).changes

    assert [revise.kind, confirm.kind, add.kind] == ["revise", "confirm", "add"]
    assert {memory_of(made).happened_at for made in (revise, confirm, add)} == {"2025-05"}


@pytest.mark.parametrize("first, second", [(5, 9), (9, 5)])
def test_of_two_ends_said_at_one_time_the_later_fact_names_the_end(first: int, second: int) -> None:
    ends = [
        fact("User works nights", until=at(end), turn_ids=(uid(f"until {end}"),))
        for end in (first, second)
    ]

    (add,) = decided(candidacy(ends), [group("same", "f1", "f2")]).changes

    assert memory_of(add).until == at(second)
