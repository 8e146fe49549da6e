"""What was said earlier than what is known and arrives later is history at birth, whatever time is asked about."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any, cast

import pytest

from schemas.memory import Archive, Memory
from schemas.scope import Scope
from tests.cases.talk import AtDesk, found
from tests.cases.test_order import FirstThing
from tests.cases.verdicts import Judge, Thing
from tests.desk import Desk, scripted
from tests.worker.direct.writing import saying
from worker.core.recalling.ask import Ask
from worker.core.writing.amending import amendment
from worker.direct.editing import amend
from worker.direct.remembering import remember
from worker.recall import known, recall

#: When each of the three was said, and in between and around.
SAID = ("2025-09-01T08:00:00Z", "2026-05-10T08:00:00Z", "2026-10-01T08:00:00Z")
MONTHS = ((2025, 8, None), (2025, 10, 0), (2026, 4, 0), (2026, 6, 1), (2026, 9, 1), (2026, 10, 2))
ORDERS = list(permutations(range(3)))


@dataclass(frozen=True)
class Story:
    """Three statements about one thing by the time they were said; the last adds to the second, and tells it whole."""

    first: str
    second: str
    third: str

    @property
    def facts(self) -> tuple[str, str, str]:
        return self.first, self.second, self.third

    @property
    def judge(self) -> FirstThing:
        things = [
            Thing((self.third, self.second, self.first), "contradict", drops=(self.first,)),
            Thing((self.third, self.second), "update"),
            Thing((self.third, self.first), "contradict", drops=(self.first,)),
            Thing((self.second, self.first), "contradict", drops=(self.first,)),
        ]
        said = {f"{fact}!": [found(fact, attribute="matter")] for fact in self.facts}
        return FirstThing(said, things)


STORIES = {
    "school": Story(
        "Studies botany in Uppsala",
        "Teaches at the sailing school",
        "Teaches at the sailing school, since autumn as deputy head",
    ),
    "bandoneón": Story(
        "Toca el violín en la banda",
        "Toca el bandoneón en un trío",
        "Toca el bandoneón en un trío y lo dirige",
    ),
    "аптека": Story(
        "Работает в аптеке на Садовой",
        "Работает в трамвайном парке",
        "Работает в трамвайном парке старшим смены",
    ),
    "下宿": Story(
        "京都に下宿している", "奈良の寺に住んでいる", "奈良の寺に住み、庭の世話を任されている"
    ),
}


@pytest.fixture(params=[*STORIES.values()], ids=[*STORIES])
def story(request: pytest.FixtureRequest) -> Story:
    return cast("Story", request.param)


def hear(table: Desk, story: Story, order: Sequence[int], **fields: Any) -> None:
    """Each in a batch of its own, a day after the one before."""
    with scripted(table, story.judge):
        for at in order:
            table.say(f"{story.facts[at]}!", SAID[at], id=f"turn {at}", **fields)
            table.settle()
            table.now += timedelta(days=1)


def the_one(table: Desk) -> Memory:
    (memory,) = table.live().values()
    return memory


def in_order(table: Desk, memory: Memory) -> list[Archive]:
    return sorted(table.archives(memory.id), key=lambda one: one.memory.said_at)


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_whatever_comes_when_the_latest_stands_and_the_past_is_in_the_order_it_was_said(
    at_desk: AtDesk, scope: Scope, story: Story, order: tuple[int, ...]
) -> None:
    table = at_desk(scope)
    hear(table, story, order)

    memory = the_one(table)
    assert (memory.text, memory.said_at) == (story.third, datetime(2026, 10, 1, 8, tzinfo=UTC))
    past = in_order(table, memory)
    assert [one.memory.text for one in past] == [story.first, story.second]
    assert {one.replaced_by for one in past} <= {memory.id, *(one.memory.id for one in past)}
    each_month_has_its_answer(table, story)


def each_month_has_its_answer(table: Desk, story: Story) -> None:
    store, scope = table.parts.store, table.scope
    for year, month, at in MONTHS:
        moment = datetime(year, month, 20, tzinfo=UTC)
        texts = {one.text for one in known(store, scope, table.now, valid_at=moment)}
        ask = Ask((story.second,), valid_at=moment)
        answers = recall(store, table.parts.embedder, scope, ask, table.now).items
        assert {one.memory.text for one in answers} <= texts, (year, month)
        if at is None:
            assert texts == set(), (year, month)
        else:
            assert texts == {story.facts[at]}, (year, month)


def test_what_comes_late_leaves_what_stands_as_it_is_to_the_last_field(
    at_desk: AtDesk, scope: Scope, story: Story
) -> None:
    table = at_desk(scope)
    hear(table, story, (1,))
    before = list(table.parts.store.memories(scope))
    hear(table, story, (0,), metadata={"source": "an old archive"})

    assert list(table.parts.store.memories(scope)) == before
    (late,) = table.archives()
    assert (late.memory.text, late.memory.version, late.reason) == (story.first, 1, "late")
    assert late.replaced_by == before[0].memory.id != late.memory.id
    assert (late.memory.said_at, late.memory.metadata) == (
        datetime(2025, 9, 1, 8, tzinfo=UTC),
        {"source": "an old archive"},
    )
    run = table.runs()[0]
    assert [(one.kind, one.memory_id) for one in run.changes] == [("file", late.memory.id)]
    assert late.run == run.id


def test_what_was_believed_before_it_came_knows_nothing_of_it(
    at_desk: AtDesk, scope: Scope, story: Story
) -> None:
    table = at_desk(scope)
    hear(table, story, (1,))
    between = table.now - timedelta(hours=1)
    hear(table, story, (0,))
    store, then = table.parts.store, datetime(2025, 12, 24, tzinfo=UTC)

    def texts(**asked: datetime) -> set[str]:
        return {one.text for one in known(store, scope, table.now, **asked)}

    assert texts(as_of=between) == {story.second}
    assert texts(as_of=table.now) == {story.second}, "it never stood"
    assert texts(valid_at=then) == {story.first}
    assert texts(valid_at=then, as_of=between) == set(), "nobody knew it by then"
    assert texts() == {story.second}


def test_words_of_a_person_are_no_less_late(at_desk: AtDesk, scope: Scope, story: Story) -> None:
    table = at_desk(scope)
    hear(table, story, (1,))
    before = the_one(table)
    with scripted(table, story.judge):
        statement = saying(table, story.first, said_at=SAID[0], attribute="matter", tags=["old"])
        (done,) = remember(table.parts, scope, [statement], table.now)

    assert done.fate == "filed"
    assert the_one(table) == before
    (late,) = table.archives()
    assert (late.memory.id, late.memory.tags, late.reason) == (done.memory, ("old",), "late")


def test_what_was_said_before_an_edit_and_comes_after_it_does_not_win(
    at_desk: AtDesk, scope: Scope, story: Story
) -> None:
    table = at_desk(scope)
    hear(table, story, (0,))
    id = the_one(table).id
    amend(table.parts, scope, id, amendment({"text": story.third}), key="by hand", now=table.now)
    before = the_one(table)
    hear(table, story, (1,))

    assert the_one(table) == before
    late = next(one for one in table.archives() if one.memory.text == story.second)
    assert (late.reason, late.replaced_by) == ("late", id)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=str)
def test_at_one_and_the_same_time_the_later_turn_wins(
    at_desk: AtDesk, scope: Scope, story: Story, order: tuple[int, int]
) -> None:
    table = at_desk(scope)
    before, after = (story.facts[at] for at in order)
    facts = {f"{fact}!": [found(fact, attribute="matter")] for fact in story.facts}
    with scripted(table, Judge(facts, [Thing((before, after), "contradict")]), resolver="replace"):
        for text in (before, after):
            table.say(f"{text}!", SAID[1], id=text)
        table.settle()
        assert set(table.live()) == {after}
        table.say(f"{before}!", SAID[0], id="much earlier")
        table.settle()

    assert set(table.live()) == {after}
