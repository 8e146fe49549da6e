"""What a person wants forgotten is in no row, key, read, queue or prompt; said anew it is known anew."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from redis import Redis

from schemas.keys import ScopeKeys
from schemas.scope import Scope
from tests.cases.talk import AtDesk, found
from tests.cases.traces import Places, Raw, shown, telling
from tests.cases.verdicts import Judge, Reply, Thing
from tests.desk import Desk, scripted
from tests.endpoint import Endpoint
from worker.direct.erasing import Contents, contents, erase
from worker.direct.forgetting import Receipt, Wanted, forget, sighted
from worker.direct.holding import holding
from worker.direct.restoring import restore
from worker.direct.undoing import undo
from worker.errors import Unprocessable

#: The id of the turn that told it first.
FIRST = "turn 10"
#: When it is forgotten, said anew, and all of it erased.
MARCH, APRIL, MAY = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 4, 5))


@dataclass(frozen=True)
class Story:
    """Two things that were merged; the first is private."""

    private: str
    other: str
    merged: str
    #: What is asked to be forgotten, and the word of it that may stand nowhere.
    query: str
    word: str
    #: Turns: how both were first told, what asks for it to be forgotten, and what tells it again.
    told: tuple[str, str, str]
    please: str
    anew: str

    @property
    def request(self) -> str:
        return f"{self.please} ({self.query})"

    @property
    def near(self) -> dict[str, tuple[str, float]]:
        return dict.fromkeys((self.private, self.other, self.request), (self.merged, 0.9))


STORIES = {
    "pump": Story(
        "Wears an insulin pump",
        "Plays water polo",
        "Wears an insulin pump and plays water polo",
        "insulin pump",
        "insulin",
        (
            "Got my insulin pump, wearing it now.",
            "Water polo on Fridays, as ever!",
            "The pump gives me insulin and water polo goes on.",
        ),
        "Don't keep that about my device",
        "Just so you know: I've got an insulin pump.",
    ),
    "Schulden": Story(
        "Hat Schulden bei Konrad",
        "Züchtet Kakteen",
        "Hat Schulden bei Konrad und züchtet Kakteen",
        "Schulden bei Konrad",
        "Konrad",
        (
            "Ich habe noch Schulden bei Konrad.",
            "Meine Kakteen blühen, ich züchte sie ja.",
            "Trotz Schulden bei Konrad züchte ich weiter Kakteen.",
        ),
        "Vergiss das bitte",
        "Merk dir: Ich habe Schulden bei Konrad.",
    ),
    "哮喘": Story(
        "患有哮喘",
        "喜欢打乒乓球",
        "患有哮喘，喜欢打乒乓球",
        "哮喘",
        "哮喘",
        ("医生说我患有哮喘。", "我喜欢打乒乓球。", "虽然有哮喘，还是常打乒乓球。"),
        "请忘掉这件事",
        "请记住我有哮喘。",
    ),
}


@dataclass(frozen=True)
class Redacts(Judge):
    """A judge that also takes a part out."""

    left: str = ""

    def redact(self, document: dict[str, Any]) -> Reply:
        return {"text": self.left}


def judge_of(story: Story) -> Redacts:
    texts = dict(zip(story.told, (story.private, story.other, story.merged), strict=True))
    facts = {turn: [found(text)] for turn, text in texts.items()}
    facts[f"{story.told[0]} "] = facts[story.told[0]]
    facts[story.anew] = [found(story.private)]
    facts[story.please] = [found(story.request, kind="forget")]
    things = [
        Thing((story.merged, story.private, story.other), "update", story.merged),
        Thing((story.request, story.merged), "forget", story.other, (story.private,)),
    ]
    return Redacts(facts, things, left=story.other)


@pytest.fixture(params=[*STORIES.values()], ids=[*STORIES])
def story(request: pytest.FixtureRequest) -> Story:
    return cast("Story", request.param)


@pytest.fixture
def raw(request: pytest.FixtureRequest, store_url: str, redis_client: Redis) -> Raw:
    has_server = store_url.startswith("weaviate")
    server = request.getfixturevalue("weaviate_server") if has_server else None
    return Places(store_url, redis_client, server)


@dataclass
class Two:
    """A person who wants something forgotten, and one in the same app who told the same."""

    ours: Desk
    theirs: Desk
    story: Story
    raw: Raw
    redis: Redis
    #: What tells it of the neighbour alone.
    of_theirs: list[str] = field(default_factory=list)

    def traces(self) -> list[str]:
        return telling(self.raw([self.ours.scope, self.theirs.scope]), self.story.word)

    def shown(self) -> list[str]:
        return telling(shown(self.ours, self.story.query, self.story.merged), self.story.word)

    @contextmanager
    def thinking(self) -> Iterator[Endpoint]:
        with scripted(self.ours, judge_of(self.story)) as server:
            yield server


@pytest.fixture
def two(at_desk: AtDesk, scope: Scope, story: Story, raw: Raw, redis_client: Redis) -> Two:
    """Both have told it, and it was asked for; `theirs` comes first."""
    theirs = at_desk(Scope(app=scope.app, user="neighbour"), story.near)
    made = Two(at_desk(scope, story.near), theirs, story, raw, redis_client)
    tell(theirs, story)
    made.of_theirs = made.traces()
    tell(made.ours, story)
    return made


def tell(table: Desk, story: Story) -> None:
    table.now = MARCH - timedelta(days=20)
    with scripted(table, judge_of(story)):
        for day, text in enumerate(story.told, start=10):
            table.say(text, f"2026-01-{day}T09:00:00Z", id=f"turn {day}")
            table.settle()
    assert set(table.live()) == {story.merged}


def also_queued(two: Two, parked: str = FIRST, waiting: str = FIRST) -> None:
    """The first turn, put aside in one delivery and waiting in another, whatever was seen before."""
    table, first = two.ours, two.story.told[0]
    two.redis.delete(ScopeKeys(0, table.scope.key).seen)
    table.say(first, "2026-01-10T09:00:00Z", id=parked)
    table.parts.inbox.park(table.claim(), 1, f"cannot be judged: {first}")
    two.redis.delete(ScopeKeys(0, table.scope.key).seen)
    table.say(first, "2026-01-10T09:00:00Z", id=waiting)


def by_query(table: Desk, query: str, now: datetime) -> Receipt:
    found_so = sighted(table.parts, table.scope, query, now)
    wanted = Wanted(tuple(one.id for one in found_so.named), query)
    return forget(table.parts, table.scope, wanted, now)


@pytest.mark.parametrize("has_model", [True, False], ids=["model", "rules"])
def test_forgotten_said_anew_and_erased(two: Two, *, has_model: bool) -> None:
    story, ours = two.story, two.ours
    also_queued(two, "a dead letter", "a retry")
    assert two.shown(), "it was known before"
    of_theirs = two.of_theirs
    assert len(two.traces()) > len(of_theirs) > 0
    live_of_theirs = two.theirs.live()

    # It is asked to go, and the queue and the night go on.
    ours.now = MARCH
    if has_model:
        with two.thinking():
            receipt = by_query(ours, story.query, MARCH)
    else:
        alone = ours.parts.settings.model_copy(update={"model": "rules"})
        ours.parts = replace(ours.parts, settings=alone)
        receipt = by_query(ours, story.query, MARCH)
    assert (receipt.redacted, receipt.parked, receipt.pending) == (1, 1, 1)
    assert receipt.archives == 2
    with two.thinking() as server:
        ours.say(story.told[0], "2026-01-10T09:00:00Z", id="a dead letter")
        ours.say(story.told[0], "2026-01-10T09:00:00Z", id="turn 10")
        ours.settle()
        with holding(ours.parts, ours.scope, MARCH):
            pass
        assert telling(map(str, server.requests), story.word) == []
    assert set(ours.live()) == {story.other}
    assert two.shown() == []
    assert two.traces() == of_theirs
    assert list(ours.parts.inbox.parking.letters(ours.scope.key)) == []

    # It is told anew.
    ours.now = APRIL
    with two.thinking():
        ours.say(story.anew, "2026-04-01T10:00:00Z", id="turn 9")
        ours.settle()
    assert set(ours.live()) == {story.other, story.private}
    assert two.shown() != []

    # All of it goes, twice.
    also_queued(two)
    there = contents(ours.parts, ours.scope)
    first = erase(ours.parts, ours.scope, MAY)
    second = erase(ours.parts, ours.scope, MAY)
    assert first.gone == there
    assert (there.memories, there.pending, there.parked) == (2, 1, 1)
    assert min(there.archives + there.runs, there.seen, there.recent) > 0
    assert second.gone == Contents()
    assert two.traces() == of_theirs
    assert two.shown() == []
    with two.thinking():
        also_again = ours.say(story.told[0], "2026-01-10T09:00:00Z", id="turn 10")
        ours.settle()
    assert also_again.status == "accepted"
    assert ours.live() == {}
    assert two.traces() == of_theirs
    assert two.theirs.live() == live_of_theirs


def test_by_its_id_it_goes_with_all_that_it_was_made_of(two: Two) -> None:
    ours = two.ours
    also_queued(two)
    receipt = forget(ours.parts, ours.scope, Wanted((ours.live()[two.story.merged].id,)), MARCH)

    assert (receipt.memories, receipt.archives, receipt.pending, receipt.parked) == (1, 3, 1, 1)
    ours.now = MARCH
    with two.thinking():
        ours.settle()
    assert ours.live() == {}
    assert two.shown() == []
    assert two.traces() == two.of_theirs


def ask_in_a_conversation(two: Two) -> None:
    with two.thinking():
        two.ours.say(two.story.please, "2026-03-01T09:00:00Z", id="please")
        two.ours.settle()


def test_asked_for_in_a_conversation_it_is_hidden_at_once(two: Two) -> None:
    story, ours = two.story, two.ours
    ours.now = MARCH
    ask_in_a_conversation(two)

    assert set(ours.live()) == {story.other}
    assert two.shown() == []
    kept = [one.memory for one in ours.archives() if story.word in one.memory.text]
    assert {one.text for one in kept} == {story.private, story.merged}
    for memory in kept:
        with pytest.raises(Unprocessable):
            restore(ours.parts, ours.scope, memory.id, memory.version, MARCH)
    assert set(ours.live()) == {story.other}


def test_asked_for_in_a_conversation_it_is_told_to_no_model_any_more(two: Two) -> None:
    two.ours.now = MARCH
    ask_in_a_conversation(two)
    with two.thinking() as server:
        two.ours.say("Anything new?", "2026-03-02T09:00:00Z", id="next")
        two.ours.settle()
        assert server.requests
        assert telling(map(str, server.requests), two.story.word) == []


def test_an_undo_within_the_grace_brings_it_back(two: Two) -> None:
    story, ours = two.story, two.ours
    ours.now = MARCH
    before = two.shown()
    ask_in_a_conversation(two)
    ours.now = MARCH + timedelta(days=29)
    undo(ours.parts, ours.scope, ours.runs()[0].id, ours.now)

    assert set(ours.live()) == {story.merged}
    assert two.shown()
    ours.now += timedelta(days=400)
    with holding(ours.parts, ours.scope, ours.now):
        pass
    assert set(ours.live()) == {story.merged}
    assert len(two.shown()) >= len(before) // 2, "its history stays too"


def test_after_the_grace_it_is_nowhere_and_no_undo_knows_of_it(two: Two) -> None:
    story, ours = two.story, two.ours
    of_theirs = two.of_theirs
    ours.now = MARCH
    ask_in_a_conversation(two)
    act = ours.runs()[0]
    also_queued(two)
    assert len(two.traces()) > len(of_theirs)
    ours.now = MARCH + timedelta(days=31)
    with two.thinking():
        ours.settle()

    assert set(ours.live()) == {story.other}
    assert two.traces() == of_theirs
    assert two.shown() == []
    with pytest.raises(Unprocessable):
        undo(ours.parts, ours.scope, act.id, ours.now)
    assert set(ours.live()) == {story.other}
