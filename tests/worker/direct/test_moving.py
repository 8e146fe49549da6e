"""Out of one store and into another: what comes out is what went in, and what was forgotten or erased stays away."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from struct import pack
from typing import cast

import pytest
from redis import Redis

from schemas.base import Vector
from schemas.exported import ArchiveLine, Content, MemoryLine, RunLine, line_reader
from schemas.memory import Archive, Fact
from schemas.scope import Scope
from tests.build import fact
from tests.desk import Desk, Judges, Says, desk
from tests.fragile import Fragile, Killed
from tests.hold import Holding
from tests.similarity import GivenSimilarities
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.hearing.heard import Heard
from worker.core.judging.detectors import Judging
from worker.core.ports import Store
from worker.direct.exporting import exported
from worker.direct.importing import import_lines
from worker.direct.undoing import undo
from worker.errors import PlanConflict

LATER = datetime(2026, 11, 20, tzinfo=UTC)
OLD, NEW, GOAT = "Lives in Turku", "Lives in Oulu", "Owns a goat"
ALIKE = GivenSimilarities({NEW: (OLD, 0.9)})
SIZE = ALIKE.dimensions
BAD = [b"\0" * 8, *(pack(f"<{SIZE}f", *[one] * SIZE) for one in (float("nan"), 0.0, 1e30))]


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (ALIKE.fingerprint, ALIKE.dimensions)


def every_turn(heard: Heard) -> Sequence[Fact]:
    return [fact(one.text, turn_ids=(one.id,), said_at=one.said_at) for one in heard.turns]


def moved(case: Candidacy) -> Groups:
    """Whatever is offered is overturned."""
    groups = [
        Group(members=(label, *case.offered_to(label)), relation="update", text=None, why="moved")
        for label in case.fact_labels
        if case.offered_to(label)
    ]
    grouped = {label for group in groups for label in group.members}
    return Groups(groups=tuple(groups), new=tuple(set(case.fact_labels) - grouped))


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    """Two live memories, one of them in its second version."""
    made = desk(store, redis_client, scope, ALIKE)
    made.parts = replace(made.parts, extraction=Says(every_turn), judging=Judging(Judges(moved)))
    for day, text in enumerate((OLD, GOAT, NEW), 1):
        made.say(text, f"2026-06-{day:02}T09:00:00Z", metadata={"ticket": day})
        made.settle()
    assert set(made.live()) == {NEW, GOAT}
    return made


def lines(table: Desk, *, vectors: bool = True) -> list[Content]:
    """As they are in a file."""
    found = exported(table.parts.store, table.scope, vectors=vectors)
    read = [line_reader.validate_json(one.model_dump_json()) for one in found]
    return [one for one in read if isinstance(one, MemoryLine | ArchiveLine | RunLine)]


def contents(table: Desk) -> tuple[object, ...]:
    """All but which run wrote it last, and the runs of importing."""
    live = sorted((one.memory for one in table.parts.store.memories(table.scope)), key=str)
    return (
        [memory.model_copy(update={"last_run": memory.id}) for memory in live],
        table.archives(),
        {one.memory.text: one.vector for one in table.parts.store.memories(table.scope)},
    )


def emptied(table: Desk) -> None:
    """As another store: without a trace that this scope was ever there."""
    claim = table.parts.inbox.claim_scope(table.scope.key)
    assert claim is not None
    writer = table.parts.store.writer(table.scope, Holding(claim.fence))
    writer.erase(datetime(1970, 1, 1, tzinfo=UTC))
    table.parts.inbox.release(claim)


@pytest.mark.parametrize("vectors", [True, False], ids=["with vectors", "without"])
def test_what_was_exported_comes_back_as_it_was(table: Desk, *, vectors: bool) -> None:
    before, runs, file = contents(table), table.runs(), lines(table, vectors=vectors)
    emptied(table)
    assert not table.live()

    counts = import_lines(table.parts, table.scope, file, LATER)
    assert counts == {"memories": 2, "archives": 1, "runs": 3}
    assert contents(table) == before
    assert all(run in table.runs() for run in runs)


def test_what_was_imported_can_be_undone_as_where_it_came_from(table: Desk) -> None:
    """All its runs, the move first, and then those undos; the import itself not before these."""
    file = lines(table)
    emptied(table)
    import_lines(table.parts, table.scope, file, LATER)
    imported = next(run for run in table.runs() if run.kind == "write")
    before = set(table.live())

    batches = [run for run in table.runs() if run.kind == "batch"]
    batches.sort(key=lambda run: run.changes[0].kind, reverse=True)
    undone = [undo(table.parts, table.scope, run.id, LATER) for run in batches]
    assert not table.live()
    with pytest.raises(PlanConflict, match="undo"):
        undo(table.parts, table.scope, imported.id, LATER)
    for plan in reversed(undone):
        undo(table.parts, table.scope, plan.run, LATER)
    assert set(table.live()) == before
    undo(table.parts, table.scope, imported.id, LATER)
    assert not table.live()


@pytest.mark.parametrize("bad", BAD, ids=["wrong size", "not a number", "zero", "too long"])
def test_a_vector_that_is_none_is_made_anew(table: Desk, bad: Vector) -> None:
    before, file = contents(table), lines(table)
    spoilt = [
        line if isinstance(line, RunLine) else line.model_copy(update={"vector": bad})
        for line in file
    ]
    emptied(table)

    import_lines(table.parts, table.scope, spoilt, LATER)
    assert contents(table) == before


def test_imported_again_it_changes_nothing(table: Desk) -> None:
    file = lines(table)
    emptied(table)
    import_lines(table.parts, table.scope, file, LATER)
    before = contents(table), table.runs()

    counts = import_lines(table.parts, table.scope, file, LATER.replace(day=21))
    assert (+counts) == {"there already": 6}
    assert contents(table) == before[0]
    assert {run.id for run in table.runs()} >= {run.id for run in before[1]}


def test_turns_of_an_imported_run_are_not_learned_again(table: Desk, redis_client: Redis) -> None:
    file = lines(table)
    emptied(table)
    import_lines(table.parts, table.scope, file, LATER)
    before = contents(table)
    redis_client.delete(f"slowwave:{{0}}:seen:{table.scope.key}")

    table.say(GOAT, "2026-06-02T09:00:00Z", metadata={"ticket": 2})
    table.settle()
    assert contents(table) == before


def test_what_has_moved_on_here_is_left_as_it_is(table: Desk) -> None:
    file = lines(table)
    table.say("Lives in Vaasa", "2026-06-04T09:00:00Z")
    alike = GivenSimilarities({NEW: (OLD, 0.9), "Lives in Vaasa": (NEW, 0.9)})
    table.parts = replace(table.parts, embedder=alike)
    table.settle()
    before = contents(table)

    import_lines(table.parts, table.scope, file, LATER)
    assert contents(table) == before


def test_what_was_erased_since_does_not_come_back(table: Desk) -> None:
    file = lines(table)
    claim = table.parts.inbox.claim_scope(table.scope.key)
    assert claim is not None
    table.parts.store.writer(table.scope, Holding(claim.fence)).erase(LATER)
    table.parts.inbox.release(claim)

    counts = import_lines(table.parts, table.scope, file, LATER)
    assert (+counts) == {"erased since": 6}
    assert contents(table) == ([], [], {})


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_anywhere_and_run_again_it_is_complete(table: Desk, *, after: bool) -> None:
    before, file = contents(table), lines(table)
    for nth in count(1):
        emptied(table)
        store = cast("Store", Fragile(table.parts.store, nth, after))
        try:
            import_lines(replace(table.parts, store=store), table.scope, file, LATER)
        except Killed:
            import_lines(table.parts, table.scope, file, LATER.replace(day=21))
            assert contents(table) == before
        else:
            break
    assert nth > 5


def test_a_forgotten_version_is_not_exported(table: Desk) -> None:
    (past,) = table.archives()
    claim = table.parts.inbox.claim_scope(table.scope.key)
    assert claim is not None
    (record,) = table.parts.store.archives(table.scope)
    forgotten: Archive = past.model_copy(update={"reason": "forgotten"})
    writer = table.parts.store.writer(table.scope, Holding(claim.fence))
    writer.put_archives([record.model_copy(update={"archive": forgotten})])

    assert OLD not in "".join(line.model_dump_json() for line in lines(table))
