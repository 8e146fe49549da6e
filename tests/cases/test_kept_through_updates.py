"""An update keeps what it does not change: words, tags, fields, the day of birth, and what was there before."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from schemas.memory import Memory
from schemas.scope import Scope
from tests.cases.talk import AtDesk, found
from tests.cases.verdicts import Judge, Lie, Reply, Thing, loses_the_detail
from tests.desk import Desk, scripted
from tests.worker.direct.turning import contents
from tests.worker.direct.writing import saying
from worker.core.texts.lengths import LONGEST_TEXT
from worker.core.writing.amending import amendment
from worker.direct.editing import amend
from worker.direct.remembering import remember
from worker.direct.restoring import restore
from worker.direct.undoing import undo

BORN, LATER = datetime(2025, 11, 2, tzinfo=UTC), datetime(2026, 3, 14, tzinfo=UTC)
FIELDS = {"importance": 0.8, "order": "B-203", "nested": {"shelf": [1, 2]}}
TAGS = ("leisure", "weekly")


@dataclass(frozen=True)
class Story:
    """What is known, what changes for a while, and words that keep both."""

    old: str
    new: str
    rich: str
    when: str
    #: Pieces of what is known that have nothing to do with the change.
    details: tuple[str, ...]


STORIES = {
    "quartet": Story(
        "Plays the cello in a quartet named Brio every Thursday on a borrowed instrument from 1911"
        " while wearing wool gloves",
        "Conducts the quartet on Mondays in January 2026 because of a broken arm",
        "In January 2026 conducts the quartet named Brio on Mondays because of a broken arm; before that"
        " played the cello in it every Thursday on a borrowed instrument from 1911 while wearing wool gloves",
        "2026-01",
        ("cello", "Brio", "Thursday", "borrowed", "1911", "gloves"),
    ),
    "dog": Story(
        "Geht jeden Mittwoch mit dem Dackel Waldi, 9 Jahre alt, zum Weiher und hört dabei irische Musik",
        "Geht im März 2026 freitags in den Park, weil der Weg zum Weiher gesperrt ist",
        "Geht im März 2026 freitags mit dem Dackel Waldi, 9 Jahre alt, in den Park, weil der Weg zum Weiher"
        " gesperrt ist, und hört dabei irische Musik; davor jeden Mittwoch",
        "2026-03",
        ("Waldi", "9 Jahre", "irische Musik", "Mittwoch", "Weiher"),
    ),
    "camera": Story(
        "毎週火曜に祖父の1965年製カメラ「ハナ」で川の写真を撮り、ジャズを聴く",
        "カメラの修理のため2026年4月は日曜に借りた機械で撮る",
        "カメラの修理のため2026年4月は日曜に借りた機械で撮る。それまでは毎週火曜に祖父の1965年製カメラ"
        "「ハナ」で川の写真を撮り、ジャズを聴く",
        "2026-04",
        ("火曜", "祖父", "1965", "ハナ", "ジャズ"),
    ),
}


@pytest.fixture(params=[*STORIES.values()], ids=[*STORIES])
def story(request: pytest.FixtureRequest) -> Story:
    return cast("Story", request.param)


@pytest.fixture
def table(at_desk: AtDesk, scope: Scope, story: Story) -> Desk:
    """What is known, with fields and tags of a caller's."""
    return knowing(at_desk(scope), story)


def knowing(made: Desk, story: Story) -> Desk:
    made.now = BORN
    given: dict[str, Any] = {"tags": TAGS, "metadata": FIELDS, "attribute": "pastime"}
    remember(made.parts, made.scope, [saying(made, story.old, **given)], BORN, judge=False)
    made.now = LATER
    return made


@dataclass
class LiesFirst:
    """The first so many replies are wrong in one way."""

    lie: Lie
    times: int
    told: Counter[str] = field(default_factory=Counter)

    def __call__(self, document: dict[str, Any], reply: Reply) -> Reply:
        self.told["replies"] += 1
        return self.lie(document, reply) if self.told["replies"] <= self.times else reply


@contextmanager
def judging(table: Desk, story: Story, lie: Lie | None = None) -> Iterator[Counter[str]]:
    facts = {f"{story.new}!": [found(story.new, attribute="pastime", happened_at=story.when)]}
    judge = Judge(facts, [Thing((story.new, story.old), "update", story.rich)], lie)
    with scripted(table, judge) as server:
        calls = Counter[str]()
        yield calls
        calls.update(server.calls)


def hear(table: Desk, story: Story, lie: Lie | None = None, **fields: Any) -> Counter[str]:
    with judging(table, story, lie) as calls:
        table.say(f"{story.new}!", "2026-03-10T11:00:00Z", id="change", **fields)
        table.settle()
    return calls


def the_one(table: Desk) -> Memory:
    (memory,) = table.live().values()
    return memory


def test_one_record_has_every_detail_and_everything_a_caller_attached(
    table: Desk, story: Story
) -> None:
    before = the_one(table)
    hear(table, story)

    after = the_one(table)
    assert after.text == story.rich
    assert not [one for one in story.details if one not in after.text]
    assert (after.id, after.version) == (before.id, 2)
    assert (after.created_at, after.updated_at) == (BORN, LATER)
    assert (after.tags, after.metadata) == (TAGS, FIELDS)
    (record,) = table.parts.store.memories(table.scope)
    assert record.vector == table.parts.embedder.embed([story.rich])[0]


def test_one_snapshot_has_the_whole_of_before_and_one_run_says_what_and_why(
    table: Desk, story: Story
) -> None:
    before = the_one(table)
    hear(table, story)

    (archive,) = table.archives()
    run = table.runs()[0]
    assert archive.memory == before
    assert (archive.replaced_by, archive.reason) == (before.id, "superseded")
    assert (archive.run, archive.why, archive.archived_at) == (run.id, "as scripted", LATER)
    (change,) = run.changes
    assert (change.kind, change.relation, change.why) == ("revise", "update", "as scripted")
    assert (change.memory_id, change.version) == (before.id, 2)
    assert change.turn_ids == run.turn_ids != ()


def test_what_a_turn_brings_along_takes_nothing_from_what_is_there(
    table: Desk, story: Story
) -> None:
    hear(table, story, metadata={"mood": "glum"})

    after = the_one(table)
    assert after.metadata == FIELDS | {
        name: value for name, value in after.metadata.items() if name == "mood"
    }
    assert after.tags == TAGS


def test_a_loss_is_noticed_and_asked_about_once_more(table: Desk, story: Story) -> None:
    calls = hear(table, story, LiesFirst(loses_the_detail, 1))

    assert the_one(table).text == story.rich
    assert calls["batchwise"] == 2


def test_where_the_loss_stays_old_and_new_stand_linked(table: Desk, story: Story) -> None:
    before = the_one(table)
    calls = hear(table, story, loses_the_detail)

    live = table.live()
    assert live[story.old] == before
    assert live[story.new].links == (before.id,)
    assert live[story.new].flagged
    assert table.archives() == []
    assert calls["batchwise"] > 1


def test_an_update_taken_back_leaves_all_as_it_was(table: Desk, story: Story) -> None:
    before = contents(table.parts.store, table.scope)
    hear(table, story)
    undo(table.parts, table.scope, table.runs()[0].id, LATER)

    assert contents(table.parts.store, table.scope) == before
    assert (the_one(table).created_at, the_one(table).version) == (BORN, 3)


def test_the_version_before_stands_again_on_request_with_all_it_had(
    table: Desk, story: Story
) -> None:
    before = contents(table.parts.store, table.scope)
    hear(table, story)
    restore(table.parts, table.scope, the_one(table).id, 1, LATER)

    assert contents(table.parts.store, table.scope) == before
    assert {one.memory.text for one in table.archives()} == {story.old, story.rich}


def test_a_persons_own_words_keep_what_was_attached_too(table: Desk, story: Story) -> None:
    id = the_one(table).id
    for at, text in enumerate((story.rich, story.new, story.old)):
        amend(table.parts, table.scope, id, amendment({"text": text}), key=str(at), now=LATER)

    after = the_one(table)
    assert (after.text, after.version, after.created_at) == (story.old, 4, BORN)
    assert (after.tags, after.metadata) == (TAGS, FIELDS)
    (record,) = table.parts.store.memories(table.scope)
    assert record.vector == table.parts.embedder.embed([story.old])[0]


CHAINS = {
    "shelf": (
        "Keeps 31 records of the singer Cesária in a walnut shelf",
        "and the newest is from {}",
    ),
    "jardín": ("Cultiva 14 tomates en la azotea de la tía Remedios", "y los riega con agua de {}"),
}
PLACES = ("Mindelo", "Lisboa", "Cádiz", "Dakar", "Tallinn")


@pytest.mark.parametrize("base, clause", [*CHAINS.values()], ids=[*CHAINS])
def test_five_updates_leave_no_sediment_and_the_first_details(
    at_desk: AtDesk, scope: Scope, base: str, clause: str
) -> None:
    table = at_desk(scope)
    texts = [f"{base}, {clause.format(one)}" for one in PLACES]
    news = [f"{clause.format(one)}!" for one in PLACES]
    stood = [base, *texts]
    things = [
        Thing((new, stood[at]), "update", texts[at], (clause.format(PLACES[at - 1]),) if at else ())
        for at, new in enumerate(news)
    ]
    facts = {f"So {new}": [found(new, attribute="thing")] for new in news}
    given: dict[str, Any] = {"tags": TAGS, "metadata": FIELDS, "attribute": "thing"}
    table.now = BORN
    remember(table.parts, scope, [saying(table, base, **given)], BORN, judge=False)
    table.now = LATER
    with scripted(table, Judge(facts, things)):
        for month, text in enumerate(facts, start=1):
            table.say(text, f"2026-{month:02}-03T10:00:00Z", metadata={f"turn {month}": month})
            table.settle()

    memory = the_one(table)
    assert (memory.text, memory.version, memory.created_at) == (texts[-1], 6, BORN)
    assert memory.tags == TAGS
    assert FIELDS.items() <= memory.metadata.items()
    assert [one.memory.text for one in table.archives(memory.id)] == stood[:-1]
    assert all(FIELDS.items() <= one.memory.metadata.items() for one in table.archives())


def test_what_would_be_too_long_in_one_record_stays_in_two_uncut(
    at_desk: AtDesk, scope: Scope
) -> None:
    parts = [f"box {at} holds the letters of {name}" for at, name in enumerate(PLACES * 12, 1)]
    old = f"In the attic {', '.join(parts)}"[: LONGEST_TEXT - 20]
    new = "In the attic, box 77 holds the maps of Samarkand"
    whole = f"{old}; in the attic, box 77 holds the maps of Samarkand"
    assert len(whole) > LONGEST_TEXT
    story = Story(old, new, whole, "2026-03", ())
    table = knowing(at_desk(scope), story)
    hear(table, story)

    live = table.live()
    assert set(live) == {old, new}
    assert live[new].links == (live[old].id,)
    assert live[old].version == 1
