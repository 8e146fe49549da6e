"""What nobody said, derived in a night, and how it goes: on both stores."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel
from redis import Redis

from schemas.memory import Fact, Memory
from schemas.scope import Scope
from tests.build import fact
from tests.desk import Desk, Judges, Says, crashes, desk
from tests.similarity import GivenSimilarities
from tests.worker.direct.nightly import (
    FIRST_NIGHT,
    everything,
    judging,
    night,
    nothing,
    remember,
    sleeps,
    told,
)
from worker.adapters.stores.sqlite import SqliteStore
from worker.core.forgetting.hidden import hidden
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.hearing.heard import Heard
from worker.core.judging.derive import Deriving, Insight, InsightsReply, Material
from worker.core.judging.detectors import Judging
from worker.core.ports import Store
from worker.core.sleeping.note import read_note
from worker.core.writing.amending import amendment
from worker.direct.editing import amend
from worker.direct.erasing import erase
from worker.direct.exporting import exported
from worker.direct.forgetting import Wanted, forget
from worker.direct.holding import holding
from worker.direct.importing import import_lines
from worker.direct.reviewing import accept
from worker.direct.sleeping import sleep
from worker.direct.undoing import undo

TEA, COCOA, BROTH = "Drinks tea at breakfast", "Drinks cocoa at night", "Orders broth in winter"
LATHE = "Owns a lathe"
HOT = "Prefers hot drinks"
WARM = "Likes whatever is warm"
ROWS = tuple(f"Rows {place} on Sundays" for place in ("far", "hard", "alone"))
ROWER = "Is a keen rower"
MORNING = FIRST_NIGHT + timedelta(hours=2)
LATER = "Drinks mulled cider in autumn"
#: The drinks are near the first of them; the insights as well.
NEAR = GivenSimilarities(
    {COCOA: (TEA, 0.8), BROTH: (TEA, 0.8), LATER: (TEA, 0.8), HOT: (TEA, 0.7), WARM: (TEA, 0.6)}
)
Derive = Callable[[Sequence[str]], list[tuple[str, list[str]]]]


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (NEAR.fingerprint, NEAR.dimensions)


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    given = desk(store, redis_client, scope, NEAR)
    remember(given, TEA, COCOA, BROTH, LATHE)
    return given


@dataclass
class Derives:
    """The step without a model: it hears the texts of a group, and answers with texts and what they follow from."""

    derive: Derive
    asked: list[tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=list)

    def ask(self, item: Material) -> list[Any]:
        return []

    def read(self, item: Material, replies: Sequence[BaseModel]) -> tuple[Insight, ...]:
        texts = [one.text for one in item.memories]
        self.asked.append((tuple(sorted(texts)), item.known))
        given = [
            {"why": "it shows", "text": text, "evidence": [texts.index(one) + 1 for one in of]}
            for text, of in self.derive(texts)
            if set(of) <= {*texts}
        ]
        return Deriving().read(item, [InsightsReply.model_validate({"insights": given})])

    def heard(self) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Since the last time: the memories, and what was known."""
        heard, self.asked = self.asked, []
        return heard


def hot(texts: Sequence[str]) -> list[tuple[str, list[str]]]:
    return [(HOT, [TEA, COCOA])]


def deriving(table: Desk, derive: Derive = hot, **settings: Any) -> Derives:
    """The same table, where sleep derives so."""
    judging(table, nothing, sleep_passes=("expire", "tidy", "insights"), **settings)
    step = Derives(derive)
    table.parts = replace(table.parts, deriving=step)
    return step


def test_what_several_say_together_is_derived_and_says_from_what(table: Desk) -> None:
    step = deriving(table)
    before = table.live()

    report = night(table)

    assert step.heard() == [(tuple(sorted((TEA, COCOA, BROTH))), ())]
    live = table.live()
    assert {text: live[text] for text in before} == before
    made = live[HOT]
    assert made.derived == {before[TEA].id: 1, before[COCOA].id: 1}
    assert (made.subject, made.said_by, made.authority) == ("user", "slowwave", "tool")
    assert (made.confirmations, made.said_at) == (0, before[COCOA].said_at)
    assert told(report) == [("insights", "add", None, HOT)]
    (run,) = sleeps(table)
    assert (run.state, run.changes[0].why) == ("applied", "it shows")


def test_the_next_night_asks_and_writes_nothing(table: Desk) -> None:
    step = deriving(table)
    night(table, 1)
    step.heard()
    before = everything(table)

    again = night(table, 2)

    assert step.heard() == []
    assert everything(table) == before
    assert again.changes == 0


def test_a_dry_run_says_what_the_night_does(table: Desk) -> None:
    step = deriving(table)
    before = everything(table)

    foreseen = night(table, dry_run=True)

    assert everything(table) == before
    asked = step.heard()
    assert told(foreseen) == told(night(table))
    assert step.heard() == asked


def test_what_is_known_is_told_to_the_model_and_not_stored_twice(table: Desk) -> None:
    step = deriving(table, lambda texts: [(HOT, [TEA, COCOA]), (WARM, [TEA, COCOA])])
    night(table, 1)
    step.heard()
    remember(table, LATER, days=99)

    night(table, 2)

    ((texts, known),) = step.heard()
    assert LATER in texts
    assert known == (HOT, WARM)
    assert len(table.live()) == 7


def test_what_is_near_a_piece_of_evidence_is_not_stored(table: Desk) -> None:
    near = GivenSimilarities(NEAR.near, same=0.65)
    table.parts = replace(table.parts, embedder=near)
    deriving(table, lambda texts: [(HOT, [TEA, COCOA]), (WARM, [TEA, COCOA])])

    night(table)

    assert {HOT, WARM} & {*table.live()} == {WARM}


def test_one_night_derives_no_more_than_it_may_and_the_next_goes_on(
    store: Store, redis_client: Redis, scope: Scope
) -> None:
    near = dict.fromkeys(ROWS[1:], (ROWS[0], 0.8)) | {ROWER: (ROWS[0], 0.6)}
    many = desk(store, redis_client, scope, GivenSimilarities({**NEAR.near, **near}))
    remember(many, TEA, COCOA, BROTH, *ROWS)
    answers = [(HOT, [TEA, COCOA]), (WARM, [TEA, BROTH]), (ROWER, [*ROWS])]
    step = deriving(many, lambda texts: answers, sleep_max_insights=1, sleep_groups=1)

    found = []
    for nth in (1, 2, 3):
        night(many, nth)
        found.append({HOT, WARM, ROWER} & {*many.live()})

    assert found == [{HOT}, {HOT, ROWER}, {HOT, ROWER}]
    assert len(step.heard()) == 2


@pytest.fixture
def rower(sqlite_store: SqliteStore, redis_client: Redis, scope: Scope) -> Desk:
    """Two groups of which something may follow, the drinks first."""
    near = dict.fromkeys(ROWS[1:], (ROWS[0], 0.8)) | {ROWER: (ROWS[0], 0.6)}
    given = desk(sqlite_store, redis_client, scope, GivenSimilarities({**NEAR.near, **near}))
    remember(given, TEA, COCOA, BROTH, *ROWS)
    return given


@pytest.mark.parametrize("derive", [hot, lambda texts: [(ROWER, [*ROWS])]], ids=["one", "none"])
def test_no_group_is_asked_about_twice_where_a_night_has_room_for_one(
    rower: Desk, derive: Derive
) -> None:
    step = deriving(rower, derive, sleep_max_insights=1)

    for nth in (1, 2, 3):
        night(rower, nth)

    drinks, rows = sorted((TEA, COCOA, BROTH)), sorted(ROWS)
    assert [texts for texts, _ in step.heard()] == [tuple(drinks), tuple(rows)]


def test_a_group_that_gives_nothing_takes_no_room(rower: Desk) -> None:
    deriving(rower, lambda texts: [(ROWER, [*ROWS])], sleep_max_insights=1)

    night(rower)

    assert ROWER in rower.live()


def test_a_night_that_is_gone_on_with_derives_no_more_than_one_that_was_not(rower: Desk) -> None:
    turns = iter(["Bought a mug"])

    def talking(texts: Sequence[str]) -> list[tuple[str, list[str]]]:
        for text in turns:
            rower.say(text, "2026-10-31T09:00:00Z")
        return [(HOT, [TEA, COCOA]), (ROWER, [*ROWS]), (WARM, [*ROWS])]

    deriving(rower, talking, sleep_max_insights=2, sleep_groups=1)
    assert night(rower).stopped
    rower.settle()

    sleep(rower.parts, rower.scope, FIRST_NIGHT + timedelta(hours=1))

    assert {HOT, ROWER, WARM} & {*rower.live()} == {HOT, ROWER}


def test_the_night_tells_each_of_several_that_one_slice_derived(table: Desk) -> None:
    deriving(table, lambda texts: [(HOT, [TEA, COCOA]), (WARM, [TEA, COCOA])])

    night(table)

    (kept,) = read_note(table.parts.store.about(table.scope).sleep, table.scope).nights
    assert sorted(run for one in kept.passes for run in one.runs) == sorted(
        run.id for run in sleeps(table)
    )
    assert sum(one.after - one.before for one in kept.passes) == 2


def test_two_are_too_few_to_ask(store: Store, redis_client: Redis, scope: Scope) -> None:
    few = desk(store, redis_client, scope, NEAR)
    remember(few, TEA, COCOA, LATHE)
    remember(few, BROTH, subject="Ben")
    remember(few, LATER, authority="assistant")
    step = deriving(few)

    night(few)

    assert step.heard() == []


def test_without_a_model_nothing_is_derived_and_a_line_says_so(
    table: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    step = deriving(table, model="rules")

    report = night(table)

    assert step.heard() == []
    assert "insights" not in {one.name for one in report.passes}
    assert "no_insights" in "".join(capsys.readouterr())


def edit(table: Desk, memory: Memory, **fields: Any) -> None:
    wanted, now = amendment(fields), FIRST_NIGHT + timedelta(hours=1)
    amend(table.parts, table.scope, memory.id, wanted, key=str(fields), now=now)


def _reworded(table: Desk, memory: Memory) -> None:
    edit(table, memory, text="Has given up tea")


def _taken_away(table: Desk, memory: Memory) -> None:
    with holding(table.parts, table.scope, table.now) as held:
        table.parts.store.writer(table.scope, held.lease).remove_memories([memory.id])


@pytest.mark.parametrize("changed", [_reworded, _taken_away])
def test_what_lost_its_ground_is_retired_without_a_question_and_does_not_come_again(
    table: Desk, changed: Callable[[Desk, Memory], None]
) -> None:
    deriving(table)
    night(table, 1)
    changed(table, table.live()[TEA])

    report = night(table, 2)

    assert ("unfounded", "retire", HOT, None) in told(report)
    assert HOT not in table.live()
    (gone,) = [one for one in table.archives() if one.memory.text == HOT]
    assert (gone.reason, gone.replaced_by) == ("expired", None)
    before = everything(table)
    night(table, 3)
    assert everything(table) == before


def test_a_pinned_one_stays_whatever_becomes_of_its_ground(table: Desk) -> None:
    deriving(table)
    night(table, 1)
    made = table.live()[HOT]
    edit(table, made, pinned=True)
    _taken_away(table, table.live()[TEA])

    night(table, 2)

    assert table.live()[HOT].derived == made.derived


def test_what_was_undone_does_not_come_again_from_the_same_words(table: Desk) -> None:
    deriving(table)
    night(table, 1)
    (run,) = sleeps(table)
    undo(table.parts, table.scope, run.id, FIRST_NIGHT + timedelta(hours=1))
    assert HOT not in table.live()
    remember(table, LATER, days=99)

    night(table, 2)

    assert HOT not in table.live()
    assert [one.state for one in sleeps(table)] == ["undone"]


def test_tidying_leaves_what_was_derived_alone(table: Desk) -> None:
    deriving(table)
    night(table, 1)
    made = table.live()[HOT]
    remember(table, LATER, days=99)
    asked = judging(table, nothing, sleep_passes=("tidy",))

    night(table, 2)

    heard = asked.heard()
    assert any(LATER in texts for texts in heard)
    assert not any(HOT in texts for texts in heard)
    assert table.live()[HOT] == made


@pytest.mark.parametrize("after", [False, True])
def test_a_night_that_dies_anywhere_derives_once(table: Desk, *, after: bool) -> None:
    deriving(table)
    nth = 1
    while crashes(table, "store", nth, lambda: night(table), after=after):
        nth += 1

    night(table, 2)

    assert [text for text in table.live() if text == HOT] == [HOT]
    assert sum(run.state == "applied" for run in sleeps(table)) == 1


# Forgetting


def _tells(table: Desk, text: str) -> bool:
    """Whether anything that the store holds has these words."""
    return any(text in repr(one) for one in everything(table))


@pytest.mark.parametrize(
    "wanted",
    [
        lambda live: Wanted((live[TEA].id,)),
        lambda live: Wanted(None, "tea at breakfast"),
        lambda live: Wanted((live[TEA].id,), "breakfast"),
    ],
    ids=["by id", "by query", "a part"],
)
def test_what_was_derived_goes_with_what_a_person_has_forgotten(
    table: Desk, wanted: Callable[[dict[str, Memory]], Wanted]
) -> None:
    deriving(table)
    night(table)
    assert _tells(table, HOT)

    forget(table.parts, table.scope, wanted(table.live()), FIRST_NIGHT + timedelta(hours=1))

    assert HOT not in table.live()
    assert not _tells(table, HOT)
    assert not _tells(table, "it shows")
    assert {COCOA, BROTH, LATHE} <= {*table.live()}


def test_so_does_what_was_retired_before(table: Desk) -> None:
    deriving(table)
    night(table, 1)
    tea = table.live()[TEA]
    _reworded(table, table.live()[COCOA])
    night(table, 2)
    assert HOT not in table.live()
    assert _tells(table, HOT)

    forget(table.parts, table.scope, Wanted((tea.id,)), FIRST_NIGHT + timedelta(days=2))

    assert not _tells(table, HOT)


def test_to_forget_what_was_derived_leaves_what_was_said(table: Desk) -> None:
    deriving(table)
    night(table)
    made = table.live()[HOT]

    forget(table.parts, table.scope, Wanted((made.id,)), FIRST_NIGHT + timedelta(hours=1))

    assert not _tells(table, HOT)
    assert {*table.live()} == {TEA, COCOA, BROTH, LATHE}


def hear(table: Desk, heard: Fact, judge: Callable[[Candidacy], Groups]) -> None:
    """In the morning this is said, and judged so."""
    table.now = FIRST_NIGHT + timedelta(hours=3)

    def facts(one: Heard) -> list[Fact]:
        turns = tuple(turn.id for turn in one.turns)
        return [heard.model_copy(update={"turn_ids": turns, "said_at": MORNING})]

    table.parts = replace(table.parts, extraction=Says(facts), judging=Judging(Judges(judge)))
    table.say(heard.text, MORNING.isoformat())
    table.settle()


def of(text: str, relation: Any) -> Callable[[Candidacy], Groups]:
    """The fact and this memory are about the same thing."""

    def judge(case: Candidacy) -> Groups:
        labels = [one for one in case.memory_labels if case.shown(one).text == text]
        return Groups(groups=(Group(why="w", members=("f1", *labels), relation=relation),), new=())

    return judge


def test_what_was_derived_goes_at_once_with_what_is_forgotten_in_a_conversation(
    table: Desk,
) -> None:
    deriving(table)
    night(table)

    hear(table, fact(f"Forget that: {TEA}", kind="forget"), of(TEA, "forget"))

    assert {*table.live()} == {COCOA, BROTH, LATHE}
    hides = hidden(table.archives(), table.live().values())
    assert (made_of(table, HOT), 1) in hides
    (run,) = [one for one in table.runs() if one.kind == "batch"]
    undo(table.parts, table.scope, run.id, FIRST_NIGHT + timedelta(hours=4))
    assert {*table.live()} == {TEA, COCOA, BROTH, LATHE, HOT}


def test_so_it_does_where_a_person_has_to_accept_that_first(table: Desk) -> None:
    deriving(table, max_replaced_per_turn=0)
    night(table)
    hear(table, fact(f"Forget that: {TEA}", kind="forget"), of(TEA, "forget"))
    assert HOT in table.live()
    (letter,) = table.parts.inbox.parking.letters(table.scope.key)

    accept(table.parts, letter, FIRST_NIGHT + timedelta(hours=4))

    assert {*table.live()} == {COCOA, BROTH, LATHE}


def made_of(table: Desk, text: str) -> UUID:
    (id,) = {one.memory.id for one in table.archives() if one.memory.text == text}
    return id


@pytest.mark.parametrize("relation", ["same", "update", "contradict"])
def test_what_a_person_says_of_the_same_stands_in_its_place(table: Desk, relation: str) -> None:
    deriving(table)
    night(table)
    text = HOT if relation == "same" else "Prefers hot drinks to cold ones"

    hear(table, fact(text), of(HOT, relation))

    said = table.live()[text]
    assert (said.authority, said.derived, said.confirmations, said.links) == ("user", {}, 1, ())
    assert len(said.turn_ids) == 1
    (gone,) = [one for one in table.archives() if one.memory.derived]
    assert (gone.memory.text, gone.replaced_by, gone.reason) == (HOT, said.id, "superseded")


def test_words_that_a_person_gives_it_are_the_person_s(table: Desk) -> None:
    deriving(table)
    night(table)

    edit(table, table.live()[HOT], text="Prefers hot drinks, mostly")

    said = table.live()["Prefers hot drinks, mostly"]
    assert (said.authority, said.derived) == ("user", {})


# Moving


def test_an_export_brings_it_back_with_what_it_was_derived_from(table: Desk) -> None:
    deriving(table)
    night(table)
    made = table.live()[HOT]
    lines = list(exported(table.parts.store, table.scope))
    erase(table.parts, table.scope, FIRST_NIGHT + timedelta(hours=1))
    assert table.live() == {}
    assert not _tells(table, HOT)
    other = replace(table, scope=Scope(app="tests", user="somebody else"))
    moved = [as_of_scope(one, other.scope) for one in lines]

    import_lines(other.parts, other.scope, moved, FIRST_NIGHT + timedelta(hours=2))

    assert other.live()[HOT].derived == made.derived


def as_of_scope(line: Any, scope: Scope) -> Any:
    text = line.model_dump_json()
    written = json.loads(text)

    def moved(value: Any) -> Any:
        if isinstance(value, dict) and value.keys() >= {"app", "user"}:
            return {**value, "app": scope.app, "user": scope.user}
        if isinstance(value, dict):
            return {name: moved(one) for name, one in value.items()}
        return [moved(one) for one in value] if isinstance(value, list) else value

    return type(line).model_validate(moved(written))


def test_an_export_does_not_bring_back_what_rests_on_what_was_forgotten_since(
    table: Desk,
) -> None:
    deriving(table)
    night(table)
    lines = list(exported(table.parts.store, table.scope))
    forget(table.parts, table.scope, Wanted((table.live()[TEA].id,)), FIRST_NIGHT)

    import_lines(table.parts, table.scope, lines, FIRST_NIGHT + timedelta(hours=2))

    assert {*table.live()} == {COCOA, BROTH, LATHE}
