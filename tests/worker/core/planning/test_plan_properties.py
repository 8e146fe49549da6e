"""The promises hold for any candidacy and any judgment, sensible or hostile, whatever an update writes."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta, timezone
from uuid import UUID

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.memory import ArchiveRecord, Fact, Memory, MemoryRecord, Statement
from schemas.plan import Add, Change, Confirm, File, Plan, Retire, Revise
from tests.build import NOW, RUN, SCOPE, at, candidacy, fact, record, turn, uid, vector
from tests.effort import examples
from worker.core.groups.judgment import Candidacy, Group, Groups, memories_in
from worker.core.groups.members import sound
from worker.core.groups.merging import AUTHORITY
from worker.core.groups.saying import is_poorer, says
from worker.core.groups.setting import Policy, Setting
from worker.core.groups.standing import faults
from worker.core.planning.plan import new_texts, plan
from worker.core.planning.writes import touched, writes
from worker.core.texts.words import is_blank

TURNS = [uid("t1"), uid("t2"), uid("t3")]
FACTS = [f"f{n}" for n in range(1, 5)]
MEMORIES = [f"c{n}" for n in range(1, 6)]
WORDS = [
    "User drinks tea",
    "User does not drink tea",
    "User moved to Ghent on 3 May 2024",
    'Motto is "work hard", code QX-181',
    "猫を二匹飼っています",
    "Живёт в Казани",
    "forget it",
    "ok",
]
#: Of these each says all that the other does.
ALIKE = ["User drinks tea", "The user drinks tea", "Drinks tea"]
VOICES = ["user", "user", "user", "user", "assistant", "tool"]
#: Later in another offset, and equal moments in two of them.
TIMES = [NOW, NOW.astimezone(timezone(timedelta(hours=9))), at(-1), at(-1), at(-50), at(-400)]
ENDS = st.sampled_from([None, at(3), at(30), at(-3)])
HIGH_TIDE = st.sampled_from([None, "User drinks water", "猫がいる"])


@st.composite
def facts(draw: st.DrawFn, place: int, words: list[str]) -> Fact:
    """One that cites turns of the batch, and a turn of context that no other fact cites."""
    cited = draw(st.lists(st.sampled_from(TURNS), min_size=1, max_size=2, unique=True))
    until = draw(ENDS)
    return fact(
        draw(st.sampled_from(words)),
        kind=draw(st.sampled_from(["fact"] * 9 + ["preference", "instruction", "forget"])),
        authority=draw(st.sampled_from(VOICES)),
        subject=draw(st.sampled_from(["user", "user", "Tariq"])),
        said_at=draw(st.sampled_from(TIMES)),
        turn_ids=(*cited, own_turn(place)),
        until=until,
        until_assumed=until is not None and draw(st.booleans()),
        after=draw(HIGH_TIDE) if until else None,
        happened_at=draw(st.sampled_from([None, "2024-05"])),
    )


def own_turn(place: int) -> UUID:
    return uid(f"context of {place}")


@st.composite
def known(draw: st.DrawFn, place: int, words: list[str]) -> MemoryRecord:
    until = draw(ENDS)
    text = draw(st.sampled_from(words))
    return record(
        text,
        id=uid(f"memory {place}"),
        version=draw(st.integers(1, 3)),
        authority=draw(st.sampled_from(VOICES)),
        said_at=draw(st.sampled_from(TIMES)),
        pinned=draw(st.sampled_from([False] * 9 + [True])),
        flagged=draw(st.sampled_from([None, "unsure"])),
        confirmations=draw(st.integers(1, 3)),
        until=until,
        after=draw(HIGH_TIDE) if until else None,
        tags=draw(st.sampled_from([(), ("home",)])),
        metadata=draw(st.sampled_from([{}, {"ticket": place}])),
        links=draw(st.sampled_from([(), (uid("elsewhere"),)])),
        # A record that repeats the batch: its turn already stands behind it.
        turn_ids=draw(st.sampled_from([(uid(f"turn of memory {place}"),), (TURNS[0],)])),
    )


NONSENSE = st.sampled_from(["f9", "c9", "", "x", "f0", "c-1", "f", "１", "f1.5"])
LABEL = st.sampled_from([*FACTS, *MEMORIES])


@st.composite
def candidacies(draw: st.DrawFn) -> Candidacy:
    words = draw(st.sampled_from([WORDS, ALIKE]))
    told = [draw(facts(n, words)) for n in range(draw(st.sampled_from([3, 4, 2, 1, 0])))]
    memories = [draw(known(n, words)) for n in range(draw(st.sampled_from([5, 4, 3, 1, 0])))]
    everything = (*FACTS, *MEMORIES)
    some = st.lists(LABEL | NONSENSE, max_size=6).map(tuple)
    offers = {
        f"f{n + 1}": draw(some) if draw(st.integers(0, 7)) == 7 else everything
        for n in range(len(told))
    }
    case = candidacy(told, memories, offers)
    return replace(case, asked_at=draw(st.sampled_from([None, NOW])))


TEXTS = st.sampled_from(
    [None, None, *WORDS, "User drinks coffee in Rome", "", "  ", "\u200b", "!!!", "ж" * 5000, "🐕"]
)
RELATIONS = st.sampled_from(["same", "update", "contradict", "forget"])


@st.composite
def groups(draw: st.DrawFn, case: Candidacy, members: list[str]) -> Group:
    asks = [one in case.fact_labels and case.fact(one).kind == "forget" for one in members]
    sensible = "forget" if any(asks) else draw(RELATIONS)
    return Group(
        why=draw(st.sampled_from(["", "because"])),
        members=tuple(members),
        relation=sensible if draw(st.integers(0, 3)) else draw(RELATIONS),
        drops=tuple(draw(st.sampled_from([[], ["tea"], ["not", ""]]))),
        text=draw(st.none() | TEXTS),
        after=draw(st.none() | TEXTS),
    )


@st.composite
def judgments(draw: st.DrawFn, case: Candidacy) -> Groups:
    """Groups that share nothing and of what there is; or any labels whatsoever."""
    any_labels = st.lists(LABEL | NONSENSE, max_size=7)
    found = []
    if draw(st.integers(0, 3)) == 3:
        found = [draw(groups(case, members)) for members in draw(st.lists(any_labels, max_size=5))]
    left = draw(st.permutations([*case.fact_labels, *case.memory_labels]))
    while len(left) > 1:
        size = draw(st.sampled_from([2, 2, 3, 5]))
        found.append(draw(groups(case, left[:size])))
        # Now and then two groups claim one member.
        left = left[size - draw(st.sampled_from([0, 0, 1])) :]
    return Groups(
        groups=tuple(found),
        new=tuple(draw(any_labels)) if draw(st.booleans()) else (),
        flagged=draw(st.sampled_from([{}, {"f1": "its judgment failed", "c9": "no"}])),
    )


POLICIES = st.builds(
    Policy,
    max_replaced_per_turn=st.integers(1, 3),
    remember_assistant=st.booleans(),
    resolver=st.sampled_from(["keep", "replace", "rewrite"]),
)


@dataclass
class Shelf:
    """What a store keeps, without one."""

    live: dict[UUID, MemoryRecord]
    archives: dict[UUID, ArchiveRecord] = field(default_factory=dict)

    def put(self, made: Plan, *, until_write: int | None = None) -> "Shelf":
        """With the plan's writes in their order, or only the first of them: then the worker died."""
        todo = writes(made, {id: self.live[id].memory for id in touched(made) if id in self.live})
        steps: list[ArchiveRecord | MemoryRecord | UUID]
        steps = [*todo.archives, *todo.memories, *todo.removals]
        after = Shelf(dict(self.live), dict(self.archives))
        for step in steps[:until_write]:
            match step:
                case ArchiveRecord():
                    after.archives[step.archive.id] = step
                case MemoryRecord():
                    after.live[step.memory.id] = step
                case UUID():
                    after.live.pop(step, None)
        return after


@dataclass(frozen=True)
class Decision:
    """A plan beside what it was made of."""

    case: Candidacy
    judged: Groups
    policy: Policy
    made: Plan

    @property
    def before(self) -> dict[UUID, MemoryRecord]:
        return {one.memory.id: one for one in self.case.candidates}

    @property
    def after(self) -> dict[UUID, MemoryRecord]:
        return Shelf(self.before).put(self.made).live

    def changes(self, *kinds: type[Change]) -> Iterator[Change]:
        return (one for one in self.made.changes if isinstance(one, kinds))


def decide(case: Candidacy, judged: Groups, policy: Policy) -> Decision:
    turns = tuple(turn().model_copy(update={"id": id, "metadata": {"of": str(id)}}) for id in TURNS)
    setting = Setting(run=RUN, scope=SCOPE, turns=turns, now=NOW, policy=policy)
    vectors = {text: vector(text) for text in new_texts(case, judged)}
    return Decision(case, judged, policy, plan(setting, case, judged, vectors))


CASES = candidacies().flatmap(lambda case: st.tuples(st.just(case), judgments(case), POLICIES))
DECISIONS = CASES.map(lambda given: decide(*given))
many = settings(
    max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def memory_of(change: Change) -> Memory:
    match change:
        case Add() | Confirm() | Revise():
            return change.record.memory
        case Retire() | File():
            return change.archive.archive.memory


def rank(one: Statement) -> int:
    return AUTHORITY[one.authority]


def requests(decision: Decision) -> list[Fact]:
    return [one for one in decision.case.facts if one.kind == "forget" and one.authority == "user"]


# -- memories


@many
@given(DECISIONS)
def test_no_memory_changes_twice_and_none_that_was_not_offered(decision: Decision) -> None:
    ids = [memory_of(change).id for change in decision.made.changes]
    case = decision.case
    offered = {one for offer in case.offered for one in offer} if case.facts else {*MEMORIES}

    assert len(ids) == len(set(ids))
    real = offered.intersection(case.memory_labels)
    assert set(decision.made.base) <= {case.candidate(one).memory.id for one in real}


@many
@given(DECISIONS)
def test_every_change_brings_the_version_before_it_as_it_was(decision: Decision) -> None:
    before = decision.before
    for change in decision.made.changes:
        match change:
            case Revise():
                old = before[change.record.memory.id]
                assert (change.archive.archive.memory, change.archive.vector) == (
                    old.memory,
                    old.vector,
                )
                assert change.record.memory.version == old.memory.version + 1
            case Retire():
                old = before[change.archive.archive.memory.id]
                assert (change.archive.archive.memory, change.archive.vector) == (
                    old.memory,
                    old.vector,
                )
            case Confirm():
                old = before[change.record.memory.id]
                undone = change.prior.model_dump(exclude={"v"})
                assert change.record.memory.model_copy(update=undone) == old.memory
                assert change.record.vector == old.vector
            case Add() | File():
                assert memory_of(change).id not in before
                assert memory_of(change).version == 1


@many
@given(DECISIONS)
def test_what_was_replaced_points_at_what_stands(decision: Decision) -> None:
    for change in decision.changes(Revise, Retire, File):
        assert not isinstance(change, Add | Confirm)
        archive = change.archive.archive
        assert archive.run == decision.made.run
        if archive.replaced_by is None:
            assert archive.reason == "forgotten"
        else:
            assert archive.replaced_by in decision.after


@many
@given(DECISIONS)
def test_nothing_pinned_changes_but_by_a_persons_request_to_forget(decision: Decision) -> None:
    asked = {id for one in requests(decision) for id in one.turn_ids}
    for change in decision.made.changes:
        old = decision.before.get(memory_of(change).id)
        if old is None or not old.memory.pinned:
            continue
        if isinstance(change, Confirm):
            counted = change.prior.model_dump(exclude={"v", "until", "until_assumed"})
            assert change.record.memory.model_copy(update=counted) == old.memory
        else:
            assert change.relation == "forget"
            assert asked & set(change.turn_ids)


@many
@given(DECISIONS)
def test_nothing_said_earlier_or_by_a_lesser_voice_takes_the_place_of_anything(
    decision: Decision,
) -> None:
    for change in decision.changes(Revise, Retire, File):
        assert not isinstance(change, Add | Confirm)
        old = change.archive.archive
        if change.relation == "forget":
            assert old.memory.said_at <= max(one.said_at for one in requests(decision))
            continue
        assert old.replaced_by is not None
        new = decision.after[old.replaced_by].memory
        assert new.said_at >= old.memory.said_at
        assert rank(new) >= rank(old.memory)


@many
@given(DECISIONS)
def test_what_a_person_said_stays_theirs(decision: Decision) -> None:
    for change in decision.changes(Confirm, Revise):
        old, new = decision.before[memory_of(change).id].memory, memory_of(change)
        behind = [one for one in decision.case.facts if own_of(decision, one) in new.turn_ids]
        if change.relation != "forget" and not old.pinned:
            assert rank(new) >= max(map(rank, [old, *behind]))


def own_of(decision: Decision, one: Fact) -> UUID:
    return one.turn_ids[-1]


@many
@given(DECISIONS)
def test_no_turn_replaces_more_than_the_cap(decision: Decision) -> None:
    count = Counter[UUID]()
    for change in decision.changes(Revise, Retire):
        if isinstance(change, Retire) or change.relation != "same":
            count.update(set(change.turn_ids))

    assert all(count[id] <= decision.policy.max_replaced_per_turn for id in TURNS)


@many
@given(DECISIONS)
def test_every_record_can_be_found_by_its_own_words(decision: Decision) -> None:
    for change in decision.changes(Add, Revise, Confirm):
        assert isinstance(change, Add | Revise | Confirm)
        memory = change.record.memory
        assert not is_blank(memory.text)
        assert change.record.vector == vector(memory.text)
        assert memory.after is None or memory.until is not None
        assert memory.id not in memory.links


# -- facts


@many
@given(DECISIONS)
def test_every_fact_is_stored_counted_in_carried_out_left_out_with_a_reason_or_held(
    decision: Decision,
) -> None:
    made = decision.made
    held = {one.turn_id for one in made.held}
    behind = {id for change in made.changes for id in memory_of(change).turn_ids}
    free = [one for one in decision.case.facts if not held & set(one.turn_ids)]
    told = [one for one in free if one.kind != "forget"]
    gone = [one for one in told if own_of(decision, one) not in behind]
    of_requests = {"nothing known to forget", "only a person may ask to forget"}
    reasons = {why: n for why, n in made.dropped.items() if why not in of_requests}

    assert len(gone) == sum(reasons.values())
    assert sum(made.dropped.values()) <= len(free)
    assert not held & set(made.turn_ids)
    assert held | set(made.turn_ids) == set(TURNS)


@many
@given(DECISIONS)
def test_a_request_is_never_stored_nor_what_only_a_machine_said_unless_it_may_be(
    decision: Decision,
) -> None:
    added = [memory_of(change) for change in decision.changes(Add, File)]

    assert all(memory.kind != "forget" for memory in added)
    if not decision.policy.remember_assistant:
        assert {memory.authority for memory in added} <= {"user"}
        machines = {own_of(decision, one) for one in decision.case.facts if one.authority != "user"}
        revised = [memory_of(change) for change in decision.changes(Revise, Confirm)]
        assert all(machines.isdisjoint(memory.turn_ids) for memory in revised)


@many
@given(DECISIONS)
def test_what_a_person_asks_to_forget_is_done_or_held_or_was_about_nothing(
    decision: Decision,
) -> None:
    case, held = decision.case, {one.turn_id for one in decision.made.held}
    kept = sound(case, decision.judged.groups)
    settled = {one: group for group in kept for one in group.members}
    failed = {one for group in decision.judged.groups for one in group.members}
    failed |= decision.judged.flagged.keys()
    for label in case.fact_labels:
        wish = case.fact(label)
        if wish not in requests(decision) or held & set(wish.turn_ids):
            continue
        if label not in settled:
            assert label not in failed
            continue
        assert settled[label].relation == "forget"
        meant = [case.candidate(one).memory for one in memories_in(settled[label].members)]
        older = {one.id for one in meant if one.said_at <= wish.said_at}
        assert older <= set(touched(decision.made))


@many
@given(DECISIONS)
def test_what_is_proposed_is_proposed_once_and_not_done(decision: Decision) -> None:
    done = {memory_of(change).id for change in decision.made.changes}
    proposed = [memory_of(change).id for one in decision.made.held for change in one.proposal]

    assert len(proposed) == len(set(proposed))
    assert done.isdisjoint(proposed)


@many
@given(DECISIONS)
def test_an_update_writes_what_the_resolver_says(decision: Decision) -> None:
    updates = [
        change
        for change in decision.changes(Revise, Retire)
        if change.relation in {"update", "contradict"}
    ]
    own = {
        one.text for one in (*decision.case.facts, *(m.memory for m in decision.case.candidates))
    }
    own |= {m.memory.after for m in decision.case.candidates if m.memory.after}
    if decision.policy.resolver == "keep":
        assert updates == []
    if decision.policy.resolver == "replace":
        assert {memory_of(change).text for change in updates} <= own


# -- the plan as a value


@many
@given(CASES)
def test_the_same_judgment_makes_the_same_plan_and_it_survives_json(
    given: tuple[Candidacy, Groups, Policy],
) -> None:
    made = decide(*given).made

    assert decide(*given).made == made
    assert Plan.model_validate_json(made.model_dump_json()) == made


@many
@given(DECISIONS, st.integers(0, 12))
def test_applied_again_after_any_write_it_comes_to_the_same(
    decision: Decision, died_after: int
) -> None:
    shelf, made = Shelf(decision.before), decision.made
    once = shelf.put(made)

    assert once.put(made) == once
    assert shelf.put(made, until_write=died_after).put(made) == once


@many
@given(DECISIONS)
def test_what_the_plan_does_not_touch_stays_and_what_leaves_is_archived(
    decision: Decision,
) -> None:
    once = Shelf(decision.before).put(decision.made)
    touched_ids = set(decision.made.base)
    archived = {
        (one.archive.memory.id, one.archive.memory.version) for one in once.archives.values()
    }

    for id, old in decision.before.items():
        if id not in touched_ids:
            assert once.live[id] == old
        elif id not in once.live or once.live[id].memory.text != old.memory.text:
            assert (id, old.memory.version) in archived


# -- what was called the same

VALUES = [
    "tea",
    "cocoa",
    "чай",
    "какао",
    "お茶",
    "ココア",
    "on",
    "off",
    "4412",
    "4413",
    "Oslo",
    "oslo",
]
FRAMES = [
    "User has {}",
    "{} is what the user has",
    "User has {} in the morning",
    "Не {}",
    "{}を飲む",
]
SAYINGS = st.builds(str.format, st.sampled_from(FRAMES), st.sampled_from(VALUES))


@st.composite
def all_the_same(draw: st.DrawFn) -> Decision:
    """Whatever is said is called the same as whatever is known."""
    told = [
        fact(text, turn_ids=(TURNS[place],), said_at=draw(st.sampled_from([NOW, at(-1), at(-400)])))
        for place, text in enumerate(draw(st.lists(SAYINGS, min_size=1, max_size=3)))
    ]
    texts = draw(st.lists(SAYINGS, max_size=2))
    memories = [record(text, id=uid(f"memory {n}")) for n, text in enumerate(texts)]
    case = candidacy(told, memories)
    members = (*case.fact_labels, *case.memory_labels)
    text = draw(st.none() | SAYINGS)
    found = (Group(why="", members=members, relation="same", text=text),)
    return decide(case, Groups(groups=found if members[1:] else (), new=()), Policy())


@many
@given(all_the_same())
def test_no_value_is_lost_by_being_called_the_same(decision: Decision) -> None:
    """In any script: its words are live, or kept with what took their place."""
    shelf = Shelf(decision.before).put(decision.made)
    kept = [one.memory.text for one in shelf.live.values()]
    kept += [one.archive.memory.text for one in shelf.archives.values()]
    said = [*decision.case.facts, *(one.memory for one in decision.before.values())]

    assert [one.text for one in said if not any(says(it, one.text, "user") for it in kept)] == []


@many
@given(all_the_same())
def test_what_was_said_last_is_live_unless_its_words_would_cost_a_detail_or_far_more_words(
    decision: Decision,
) -> None:
    memories = [one.memory for one in decision.case.candidates]
    facts = decision.case.facts
    newest = max(enumerate(facts), key=lambda one: (one[1].said_at, one[0]))[1]
    live = [one.memory for one in decision.after.values()]

    assert (
        any(says(one.text, newest.text, "user") for one in live)
        or any(is_poorer(newest.text, one.text, "user") for one in live)
        or any(one.said_at > newest.said_at for one in memories)
        or faults([newest, *facts, *memories], newest.text)
    )
