"""Writes of a worker that stood still, on a store that keeps the fence in the transaction of the write."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.memory import Archive, ArchiveRecord, MemoryRecord
from schemas.plan import Run
from schemas.scope import Scope
from tests.build import NOW, memory, uid, vector
from tests.hold import Holding
from worker.adapters.stores.rooms import NoRoom
from worker.core.ports import Store, Writer
from worker.errors import LeaseLost


def record(scope: Scope, text: str, id: UUID | None = None) -> MemoryRecord:
    return MemoryRecord(memory=memory(text, scope=scope, id=id or uid(text)), vector=vector(text))


def archived(one: MemoryRecord) -> ArchiveRecord:
    archive = Archive(
        memory=one.memory,
        replaced_by=None,
        archived_at=NOW,
        reason="superseded",
        why="moved",
        run=uid("run"),
    )
    return ArchiveRecord(archive=archive, vector=one.vector)


def run(scope: Scope) -> Run:
    return Run(id=uid("run"), kind="batch", scope=scope, state="open", turn_ids=(), started_at=NOW)


LATE_WRITES: list[Callable[[Writer, Scope], None]] = [
    lambda writer, _: writer.prepare(),
    lambda writer, scope: writer.put_run(run(scope)),
    lambda writer, scope: writer.put_archives([archived(record(scope, "newer"))]),
    lambda writer, scope: writer.put_memories([record(scope, "stale")]),
    lambda writer, scope: writer.remove_memories([record(scope, "newer").memory.id]),
]


@pytest.mark.parametrize(
    "write", LATE_WRITES, ids=["prepare", "run", "archives", "memories", "removal"]
)
def test_a_lower_fence_writes_nothing_whatever_it_believes_of_its_lease(
    sqlite_store: Store, scope: Scope, write: Callable[[Writer, Scope], None]
) -> None:
    late, successor = sqlite_store.writer(scope, Holding(7)), sqlite_store.writer(scope, Holding(8))
    late.prepare()
    successor.put_memories([record(scope, "newer")])

    with pytest.raises(LeaseLost, match="fence 7 was overtaken by 8"):
        write(late, scope)

    assert {one.memory.text for one in sqlite_store.memories(scope)} == {"newer"}
    assert list(sqlite_store.archives(scope)) == []
    assert list(sqlite_store.runs(scope)) == []


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(fences=st.lists(st.integers(1, 2**53), min_size=1, max_size=12))
def test_each_write_stands_unless_one_under_a_higher_fence_came_before(
    sqlite_store: Store, fences: list[int]
) -> None:
    scope, other = (Scope(app=f"fences-{uuid4()}", user=user) for user in ("ann", "ben"))
    sqlite_store.writer(other, Holding(2**53)).prepare()
    highest = 0
    for at, fence in enumerate(fences):
        writer = sqlite_store.writer(scope, Holding(fence))
        try:
            writer.prepare()
            writer.put_memories([record(scope, f"write {at}", id=uid("one"))])
        except LeaseLost:
            assert fence < highest
        else:
            assert fence >= highest
            highest, stands = fence, f"write {at}"

        assert [one.memory.text for one in sqlite_store.memories(scope)] == [stands]


def test_nobody_who_stood_still_brings_an_erased_scope_back(
    sqlite_store: Store, scope: Scope, tmp_path: Path
) -> None:
    late, successor = sqlite_store.writer(scope, Holding(1)), sqlite_store.writer(scope, Holding(2))
    late.prepare()
    successor.prepare()
    with closing(sqlite3.connect(tmp_path / "memory.db")) as db, db:
        db.execute("DELETE FROM scope WHERE key = ?", (scope.key,))

    with pytest.raises(LeaseLost):
        late.prepare()
    with pytest.raises(NoRoom):
        successor.put_memories([record(scope, "x")])
