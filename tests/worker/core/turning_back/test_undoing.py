"""A run is taken back: what it made of every memory is again as it was, unless a later run built on it."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.plan import Change, Run
from tests.build import NOW, at, uid
from tests.effort import examples
from tests.worker.core.ledger import Content, Ledger, content
from tests.worker.core.planning.test_plan_properties import DECISIONS, Decision
from worker.core.turning_back.undoing import undone
from worker.errors import PlanConflict, Unprocessable

TEA, COFFEE, MILK = "Ann drinks tea", "Ann drinks coffee", "Ann drinks milk"
LATER = NOW + timedelta(days=1)

#: What a run named `run` does to a memory named TEA, as there was one before or not.
Act = Callable[[Ledger, str], list[Change]]
ACTS: dict[str, Act] = {
    "add": lambda ledger, run: [ledger.add(run, TEA)],
    "confirm": lambda ledger, run: [ledger.confirm(run, TEA)],
    "revise": lambda ledger, run: [ledger.revise(run, TEA, f"{COFFEE} since {run}")],
    "forget a part": lambda ledger, run: [ledger.revise(run, TEA, "Ann drinks", "forgotten")],
    "retire": lambda ledger, run: [ledger.retire(run, TEA, by=uid(MILK))],
    "forget": lambda ledger, run: [ledger.retire(run, TEA, "forgotten")],
    "file": lambda ledger, run: [ledger.file(run, TEA, by=uid(MILK))],
}
NEEDS_NOTHING = {"add", "file"}


def before_the_target(act: str) -> Ledger:
    ledger = Ledger()
    if act not in NEEDS_NOTHING:
        ledger.run("first", ledger.add("first", TEA, pinned=True, links=(uid("x"),), uses=3))
    return ledger


@pytest.mark.parametrize("act", ACTS)
def test_what_was_changed_is_again_what_it_was(act: str) -> None:
    ledger = before_the_target(act)
    before, versions = ledger.contents(), {*ledger.archives.get(uid(TEA), {})}
    target = ledger.run("target", *ACTS[act](ledger, "target"))

    undo = ledger.undo(target, LATER)

    assert ledger.contents() == before
    assert (undo.kind, undo.undoes, undo.turn_ids) == ("undo", target.id, ())
    assert ledger.runs[target.id].state == "undone"
    for one in ledger.live.values():
        assert one.memory.last_run == undo.id
        assert act == "confirm" or one.memory.updated_at == LATER
        assert one.memory.version > max({*ledger.archives.get(uid(TEA), {}), *versions, 0})


@pytest.mark.parametrize(
    ("act", "reasons"),
    [
        ("add", {1: "undone"}),
        ("confirm", {}),
        ("revise", {1: "superseded", 2: "undone"}),
        ("forget a part", {1: "undone", 2: "undone"}),
        ("retire", {1: "merged"}),
        ("forget", {1: "undone"}),
        ("file", {1: "undone"}),
    ],
)
def test_every_snapshot_says_what_became_of_it_and_nothing_stays_hidden(
    act: str, reasons: dict[int, str]
) -> None:
    ledger = before_the_target(act)
    target = ledger.run("target", *ACTS[act](ledger, "target"))

    undo = ledger.undo(target)

    assert ledger.reasons(TEA) == reasons
    mine = [one.archive for one in ledger.archives.get(uid(TEA), {}).values()]
    assert all(one.run in {target.id, undo.id} for one in mine)
    assert all(str(target.id) in one.why for one in mine if one.run == undo.id)


def apart(act: str) -> set[str]:
    """What can come after it."""
    stands = act in {"add", "confirm", "revise", "forget a part"}
    return {"confirm", "revise", "forget", "retire"} if stands else {"restore"}


AFTER = [(act, later) for act in ACTS for later in sorted(apart(act))]
WORD = {"confirm": "confirmed", "revise": "revised", "forget": "retired", "retire": "retired"}


@pytest.mark.parametrize(("act", "later"), AFTER)
def test_what_a_later_run_built_on_is_not_taken_back_before_that(act: str, later: str) -> None:
    ledger = before_the_target(act)
    before = ledger.contents()
    target = ledger.run("target", *ACTS[act](ledger, "target"))
    if later == "restore":
        second = ledger.restore(uid(TEA), 1, LATER)
    else:
        second = ledger.run("second", *ACTS[later](ledger, "second"), at=LATER)

    with pytest.raises(PlanConflict) as refused:
        undone(target, ledger.known(), NOW)

    for told in (second.id, second.kind, "2026-06-02 12:00", f"`slowwave undo {second.id}`"):
        assert str(told) in str(refused.value)
    assert f"{WORD.get(later, 'restored')} memory {uid(TEA)}" in str(refused.value)
    ledger.undo(second)
    ledger.undo(target)
    assert ledger.contents() == before


@pytest.mark.parametrize("act", ACTS)
def test_what_happens_to_other_memories_stands_in_nobodys_way(act: str) -> None:
    ledger = before_the_target(act)
    target = ledger.run("target", *ACTS[act](ledger, "target"))
    ledger.run("other", ledger.add("other", MILK))
    ledger.run("again", ledger.confirm("again", MILK))

    ledger.undo(target)

    assert ledger.content(MILK) is not None


def test_all_that_stands_in_the_way_is_named_the_latest_first() -> None:
    ledger = Ledger()
    target = ledger.run("target", ledger.add("target", TEA), ledger.add("target", MILK))
    second = ledger.run("second", ledger.confirm("second", TEA))
    third = ledger.run("third", ledger.retire("third", MILK))

    with pytest.raises(PlanConflict) as refused:
        undone(target, ledger.known(), NOW)

    told = str(refused.value)
    assert 0 < told.index(f"slowwave undo {third.id}") < told.index(f"slowwave undo {second.id}")


@pytest.mark.parametrize("act", ACTS)
def test_an_undo_can_be_undone_and_that_again_and_so_on(act: str) -> None:
    ledger = before_the_target(act)
    before = ledger.contents(), unhidden(ledger)
    runs = [ledger.run("target", *ACTS[act](ledger, "target"))]
    after = ledger.contents(), unhidden(ledger)

    for nth in range(1, 6):
        runs.append(ledger.undo(runs[-1]))
        assert (ledger.contents(), unhidden(ledger)) == (before if nth % 2 else after)
        # The last one stands, and every other one before it.
        states = [ledger.runs[run.id].state for run in reversed(runs)]
        assert states == (["applied", "undone"] * 3)[: len(states)]


def unhidden(ledger: Ledger) -> bool:
    """Whether every word that was known of the memory may be shown."""
    return "forgotten" not in ledger.reasons(TEA).values()


@pytest.mark.parametrize("act", ACTS)
def test_a_run_can_be_undone_again_once_its_undo_was_undone(act: str) -> None:
    ledger = before_the_target(act)
    before = ledger.contents()
    target = ledger.run("target", *ACTS[act](ledger, "target"))
    first = ledger.undo(target)
    again = ledger.undo(first)

    second = ledger.undo(target)

    assert ledger.contents() == before
    assert unhidden(ledger)
    assert len({first.id, again.id, second.id}) == 3
    assert ledger.runs[target.id].state == "undone"


def test_what_was_done_again_and_then_undone_otherwise_is_no_longer_there_to_undo() -> None:
    ledger = Ledger()
    target = ledger.run("target")
    again = ledger.undo(ledger.undo(target))
    ledger.undo(target)

    with pytest.raises(PlanConflict, match="does not hold any more"):
        undone(ledger.runs[again.id], ledger.known(), NOW)


def test_a_run_that_changed_nothing_is_undone_for_its_turns() -> None:
    ledger = Ledger()
    target = ledger.run("target")

    undo = ledger.undo(target)

    assert undo.changes == ()
    assert ledger.runs[target.id].state == "undone"


@pytest.mark.parametrize(
    ("state", "told"),
    [("open", "is half done"), ("parked", "was parked before it was finished")],
)
def test_what_was_not_carried_out_is_not_taken_back(state: str, told: str) -> None:
    ledger = Ledger()
    target = ledger.run("target").model_copy(update={"state": state})

    with pytest.raises(Unprocessable, match=told):
        undone(target, ledger.known(), NOW)


def test_what_is_undone_already_is_said_to_be_and_by_which_run() -> None:
    ledger = Ledger()
    target = ledger.run("target", ledger.add("target", TEA))
    undo = ledger.undo(target)

    with pytest.raises(Unprocessable, match=f"was undone already, by run {undo.id}"):
        undone(ledger.runs[target.id], ledger.known(), NOW)


@pytest.mark.parametrize("act", ["revise", "forget a part", "retire", "forget", "file"])
def test_what_was_purged_cannot_come_back(act: str) -> None:
    ledger = before_the_target(act)
    target = ledger.run("target", *ACTS[act](ledger, "target"))
    del ledger.archives[uid(TEA)]

    with pytest.raises(Unprocessable, match=r"version 1 of memory .* was forgotten and purged"):
        undone(target, ledger.known(), NOW)


def test_what_was_forgotten_and_purged_since_it_was_learned_is_not_looked_for() -> None:
    ledger = Ledger()
    target = ledger.run("target", ledger.add("target", TEA))
    ledger.run("wish", ledger.retire("wish", TEA, "forgotten"))
    ledger.archives.clear()

    with pytest.raises(Unprocessable, match="was forgotten and purged"):
        undone(target, ledger.known(), NOW)


def consolidated_again() -> tuple[Ledger, Run, Run]:
    ledger = Ledger()
    target = ledger.run("target", ledger.add("target", TEA))
    undo = ledger.undo(target)
    turns = target.turn_ids
    return ledger, undo, ledger.run("again", ledger.add("again", COFFEE), turn_ids=turns)


def test_an_undo_stays_once_its_turns_were_consolidated_again() -> None:
    ledger, undo, again = consolidated_again()

    with pytest.raises(PlanConflict, match=f"consolidated again by run {again.id}"):
        undone(undo, ledger.known(), NOW)
    ledger.undo(again)
    ledger.undo(undo)
    assert [one.memory.text for one in ledger.live.values()] == [TEA]


def test_a_wish_to_forget_takes_no_turns_from_whoever_learned_of_them() -> None:
    ledger = Ledger()
    learned = ledger.run("learned", ledger.add("learned", TEA))
    wish = ledger.run(
        "wish", ledger.retire("wish", TEA, "forgotten"), kind="write", turn_ids=learned.turn_ids
    )

    ledger.undo(ledger.undo(wish))

    assert ledger.live == {}
    assert ledger.runs[wish.id].state == "applied"


def test_snapshots_that_a_wish_to_forget_had_marked_are_again_what_they_were() -> None:
    ledger = Ledger()
    ledger.run("late", ledger.file("late", MILK, by=uid(TEA), reason="superseded"))
    ledger.run("first", ledger.add("first", TEA))
    ledger.run("second", ledger.revise("second", TEA, COFFEE))
    before = ledger.contents(), dict(ledger.archives[uid(MILK)]), dict(ledger.archives[uid(TEA)])
    marks = [ledger.mark("wish", MILK, 1), ledger.mark("wish", TEA, 1)]
    wish = ledger.run("wish", ledger.retire("wish", TEA, "forgotten"), *marks, kind="write")

    undo = ledger.undo(wish)

    contents, milk, tea = before
    assert (ledger.contents(), ledger.archives[uid(MILK)]) == (contents, milk)
    assert ledger.reasons(TEA) == {1: "superseded", 2: "undone"}
    assert ledger.archives[uid(TEA)][1] == tea[1]
    ledger.undo(undo)
    assert ledger.reasons(TEA) == {1: "forgotten", 2: "forgotten", 3: "forgotten"}
    assert ledger.reasons(MILK) == {1: "forgotten"}
    ledger.undo(wish)
    assert ledger.archives[uid(MILK)] == milk
    assert "forgotten" not in ledger.reasons(TEA).values()


def test_what_another_run_had_forgotten_stays_hidden() -> None:
    ledger = before_the_target("forget a part")
    ledger.run("wish", *ACTS["forget a part"](ledger, "wish"))
    confirmed = ledger.run("again", ledger.confirm("again", TEA))

    ledger.undo(ledger.undo(confirmed))

    assert ledger.reasons(TEA) == {1: "forgotten"}


def test_what_was_filed_stays_hidden_while_a_later_wish_to_forget_it_stands() -> None:
    ledger = Ledger()
    filed = ledger.run("filed", ledger.file("filed", MILK))
    wish = ledger.run("wish", ledger.mark("wish", MILK, 1), kind="write", at=LATER)

    with pytest.raises(PlanConflict, match=f"run {wish.id} .* archived anew memory"):
        undone(filed, ledger.known(), NOW)
    ledger.undo(wish)
    ledger.undo(filed)
    assert ledger.reasons(MILK) == {1: "undone"}


def test_of_two_wishes_about_one_snapshot_the_later_is_undone_first() -> None:
    ledger = Ledger()
    ledger.run("filed", ledger.file("filed", MILK))
    one = ledger.run("one", ledger.mark("one", MILK, 1), kind="write", at=at(1))
    two = ledger.run("two", ledger.mark("two", MILK, 1), kind="write", at=at(2))

    with pytest.raises(PlanConflict, match=f"slowwave undo {two.id}"):
        undone(one, ledger.known(), NOW)
    ledger.undo(two)
    assert ledger.reasons(MILK) == {1: "forgotten"}
    ledger.undo(one)
    assert ledger.reasons(MILK) == {1: "late"}


def test_runs_of_versions_that_kept_no_reason_are_done_again_by_what_their_relation_tells() -> None:
    ledger = before_the_target("forget")
    target = ledger.run(
        "target", ledger.retire("target", TEA, "forgotten"), ledger.file("target", MILK)
    )
    bare = tuple(change.model_copy(update={"reason": None}) for change in target.changes)
    ledger.runs[target.id] = target.model_copy(update={"changes": bare})

    ledger.undo(ledger.undo(target))

    assert ledger.reasons(TEA) == {1: "forgotten", 2: "forgotten"}
    assert ledger.reasons(MILK) == {1: "late"}


@given(decision=DECISIONS)
@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_whatever_a_judgment_came_to_can_be_undone_and_done_again(decision: Decision) -> None:
    ledger = Ledger(live=dict(decision.before))
    before = ledger.contents()
    target = ledger.apply(decision.made)
    after = ledger.contents()

    undo = ledger.undo(target, LATER)
    assert ledger.contents() == before
    ledger.undo(undo, LATER)
    assert ledger.contents() == after
    ledger.undo(target, LATER)
    assert ledger.contents() == before


NAMES = [TEA, COFFEE, MILK]


@given(data=st.data())
@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_any_history_is_taken_back_exactly_unless_something_was_built_on_it(
    data: st.DataObject,
) -> None:
    """Each memory has a pile of the runs that hold; a run comes off only where it lies on top of all of its own."""
    history = _History()
    for nth in range(data.draw(st.integers(2, 9))):
        what = data.draw(st.sampled_from(["act", "act", "undo", "undo", "undo", "restore"]))
        if what == "undo" and history.ledger.runs:
            history.undo(data.draw(st.sampled_from(list(history.ledger.runs.values()))))
        elif what == "restore" and history.had_stood():
            history.restore(data.draw(st.sampled_from(history.had_stood())))
        else:
            history.act(f"run {nth}", data.draw)
        history.check()


class _History:
    """A ledger, and beside it what its rules should come to."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.piles: dict[UUID, tuple[UUID, ...]] = {}
        #: What an undo left of the piles that it took from.
        self.left: dict[UUID, dict[UUID, tuple[UUID, ...]]] = {}
        self.known: dict[tuple[UUID, tuple[UUID, ...]], object] = {}
        self.versions: dict[UUID, int] = {}

    def act(self, name: str, draw: Callable[..., str]) -> None:
        changes = []
        for memory in NAMES:
            stands = uid(memory) in self.ledger.live
            archived = uid(memory) in self.ledger.archives
            can = ["confirm", "revise", "part", "retire", "forget"] if stands else ["add", "file"]
            act = draw(st.sampled_from(["nothing", *([] if archived and not stands else can)]))
            changes += self._changes(act, name, memory)
        self._settle(self.ledger.run(name, *changes))

    def _changes(self, act: str, run: str, memory: str) -> list[Change]:
        ledger = self.ledger
        made: dict[str, Callable[[], Change]] = {
            "add": lambda: ledger.add(run, memory),
            "file": lambda: ledger.file(run, memory),
            "confirm": lambda: ledger.confirm(run, memory),
            "revise": lambda: ledger.revise(run, memory, f"{memory} {run}"),
            "part": lambda: ledger.revise(run, memory, f"less {memory} {run}", "forgotten"),
            "retire": lambda: ledger.retire(run, memory),
            "forget": lambda: ledger.retire(run, memory, "forgotten"),
        }
        return [made[act]()] if act in made else []

    def had_stood(self) -> list[UUID]:
        """Memories with an earlier version that stood: what was only filed leaves no pile once undone."""
        filed = {
            c.memory_id for r in self.ledger.runs.values() for c in r.changes if c.reason == "late"
        }
        return sorted(self.ledger.archives.keys() - filed)

    def restore(self, memory: UUID) -> None:
        run = self.ledger.restore(memory, min(self.ledger.archives[memory]), LATER)
        if run.changes:
            self._settle(run)

    def undo(self, run: Run) -> None:
        expected = run.state == "applied" and self._is_on_top(run)
        try:
            undo = self.ledger.undo(run, LATER)
        except (PlanConflict, Unprocessable):
            assert not expected
            return
        assert expected
        if run.undoes is None:
            memories = {change.memory_id for change in run.changes}
            for id in memories:
                self.piles[id] = self.piles[id][:-1]
            self.left[undo.id] = {id: self.piles[id] for id in memories}
        else:
            self._done_again(run, undo)

    def _done_again(self, run: Run, undo: Run) -> None:
        """The first of a row of undos is a run; whether it holds now tells which way this one goes."""
        root = run
        while root.undoes is not None:
            root = self.ledger.runs[root.undoes]
        for id in self.left[run.id]:
            pile = self.piles[id]
            self.piles[id] = (*pile, root.id) if root.state == "applied" else pile[:-1]
        self.left[undo.id] = {id: self.piles[id] for id in self.left[run.id]}

    def _is_on_top(self, run: Run) -> bool:
        if run.undoes is not None:
            as_left = all(self.piles[id] == pile for id, pile in self.left[run.id].items())
            return as_left and self._alternates(run)
        return all(self.piles[c.memory_id][-1:] == (run.id,) for c in run.changes)

    def _alternates(self, run: Run) -> bool:
        """Whether nothing that it had led to was turned round since, otherwise than by itself."""
        states, at = [run.state], run
        while at.undoes is not None:
            at = self.ledger.runs[at.undoes]
            states.append(at.state)
        return states == (["applied", "undone"] * len(states))[: len(states)]

    def _settle(self, run: Run) -> None:
        for change in run.changes:
            self.piles[change.memory_id] = (*self.piles.get(change.memory_id, ()), run.id)

    def check(self) -> None:
        for id, pile in self.piles.items():
            assert self.known.setdefault((id, pile), self._seen(id)) == self._seen(id)
            live = self.ledger.live.get(id)
            last = max(self.ledger.archives.get(id, {}), default=0)
            assert live is None or live.memory.version > last
            version = live.memory.version if live else last
            assert version >= self.versions.get(id, 0)
            self.versions[id] = version

    def _seen(self, id: UUID) -> tuple[Content | None, list[str]]:
        """What stands, and what is hidden."""
        live = self.ledger.live.get(id)
        archives = [one.archive for one in self.ledger.archives.get(id, {}).values()]
        hidden = {one.memory.text for one in archives if one.reason == "forgotten"}
        return (content(live.memory, live.vector) if live else None), sorted(hidden)
