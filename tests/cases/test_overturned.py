"""One statement ends several others, and one that only sounds like it ends none."""

from datetime import UTC, datetime

import pytest

from schemas.memory import Memory
from schemas.scope import Scope
from tests.cases.talk import AtDesk, found
from tests.cases.verdicts import Judge, Thing
from tests.desk import Desk, scripted
from worker.core.ports import Query
from worker.core.recalling.ask import Ask
from worker.core.texts.words import terms
from worker.recall import recall

VAN, SHED = "Drives an old van to the market every Thursday", "Rents a shed in Mill Lane"
LEARNT, SEA = "Learned to drive at nineteen", "Likes trips along the coast"
TRAIN = "Takes the train to the market since June 2026; sold the van and gave up the shed"
ALL = (
    "Since June 2026 takes the train to the market; sold the old van, driven there every Thursday,"
    " and gave up the shed in Mill Lane"
)
SOLD = "I sold the van and gave up the shed. I take the train to the market now."
KNOWN = {f"I said: {text}": [found(text)] for text in (VAN, SHED, LEARNT, SEA)}
#: Too far for the vectors: words have to find it.
FAR = {TRAIN: (SHED, 0.41)}


def told(table: Desk) -> None:
    for day, text in enumerate(KNOWN, start=1):
        table.say(text, f"2026-01-{day:02}T08:00:00Z")
        table.settle()


def overturned(table: Desk) -> dict[str, int]:
    """The calls that it took, once everything was told."""
    thing = Thing((TRAIN, VAN, SHED), "contradict", ALL, ("Drives", "Rents a shed"))
    with scripted(table, Judge({**KNOWN, SOLD: [found(TRAIN)]}, [thing])) as model:
        told(table)
        before = model.calls
        table.say(SOLD, "2026-06-10T08:00:00Z")
        table.settle()
        return dict(model.calls - before)


def test_one_judgment_ends_several_memories_however_far_their_words(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope, FAR)

    calls = overturned(table)

    live = table.live()
    assert set(live) == {ALL, LEARNT, SEA}
    assert calls == {"extraction": 1, "batchwise": 1}
    assert {archive.memory.text: archive.replaced_by for archive in table.archives()} == {
        VAN: live[ALL].id,
        SHED: live[ALL].id,
    }


def test_no_way_of_reading_brings_back_what_was_overturned(at_desk: AtDesk, scope: Scope) -> None:
    table = at_desk(scope, FAR)
    overturned(table)
    parts, now = table.parts, datetime(2026, 7, 1, tzinfo=UTC)

    def texts(memories: list[Memory]) -> set[str]:
        return {memory.text for memory in memories}

    (vector,) = parts.embedder.embed([VAN])
    near = parts.store.nominate(scope, [Query(vector, terms(VAN), (), None)], 10)
    recalled = recall(parts.store, parts.embedder, scope, Ask((VAN,)), now).items
    assert texts([one.memory for one in near.records.values()]).isdisjoint({VAN, SHED})
    assert texts([one.memory for one in recalled]).isdisjoint({VAN, SHED})
    assert {archive.memory.text for archive in table.archives(table.live()[ALL].id)} == {VAN, SHED}


NURSE, CHOIR = "Is head nurse at the Saint Elin clinic", "Sits on the board of the Elin choir"
COURSE = "Runs the first-aid course of the clinic"
RUNS = "I also run the clinic's first-aid course now."
ABOUT = {f"I said: {text}": [found(text)] for text in (NURSE, CHOIR)}


def mentioned(table: Desk, thing: Thing) -> None:
    with scripted(table, Judge({**ABOUT, RUNS: [found(COURSE)]}, [thing])):
        for day, text in enumerate(ABOUT, start=1):
            table.say(text, f"2026-01-{day:02}T08:00:00Z")
            table.settle()
        table.say(RUNS, "2026-02-03T17:00:00Z")
        table.settle()


def test_a_further_role_that_a_judge_takes_for_a_contradiction_retires_nothing(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope)

    mentioned(table, Thing((COURSE, NURSE), "contradict", COURSE))

    assert set(table.live()) == {NURSE, CHOIR, COURSE}
    assert table.archives() == []
    assert table.live()[COURSE].flagged


def test_a_memory_that_a_judge_drops_by_name_is_archived_with_the_verdict_and_its_reason(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope)
    before = "Is head nurse at the Saint Elin clinic"

    mentioned(table, Thing((COURSE, NURSE), "contradict", COURSE, (before,)))

    (archive,) = table.archives()
    assert set(table.live()) == {CHOIR, COURSE}
    assert (archive.memory.text, archive.reason, archive.why) == (
        NURSE,
        "superseded",
        "as scripted",
    )
    assert archive.replaced_by == table.live()[COURSE].id == archive.memory.id
    (run,) = [run for run in table.runs() if run.id == archive.run]
    (change,) = run.changes
    assert (change.relation, change.turn_ids) == ("contradict", run.turn_ids)


@pytest.mark.parametrize(
    "known, new",
    [
        ("Speaks Dutch", "Is learning Korean"),
        ("Has a cat", "Adopted a dog"),
        ("Was born in Lyon", "Was born in Turin"),
        ("Tested the model with 3 threads", "Tested the model with 8 threads"),
    ],
)
def test_things_that_go_together_survive_a_judge_who_merges_them(
    at_desk: AtDesk, scope: Scope, known: str, new: str
) -> None:
    """Without a text, or with one of the new alone: what the old says is neither kept nor dropped."""
    table = at_desk(scope, {new: (known, 0.9)})
    facts = {f"I said: {text}": [found(text)] for text in (known, new)}
    with scripted(table, Judge(facts, [Thing((new, known), "same")])):
        for day, text in enumerate(facts, start=1):
            table.say(text, f"2026-01-{day:02}T08:00:00Z")
            table.settle()

    texts = set(table.live())
    assert texts == {known, new} or any(known in text and new in text for text in texts)
