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
from worker.adapters.stores.opening import open_store
from worker.adapters.stores.rooms import NoRoom
from worker.core.ports import About, Store, Writer
from worker.errors import LeaseLost, Misconfigured


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


LATE_WRITES: list[Callable[[Writer, Scope], object]] = [
    lambda writer, _: writer.prepare(),
    lambda writer, scope: writer.put_run(run(scope)),
    lambda writer, scope: writer.put_archives([archived(record(scope, "newer"))]),
    lambda writer, scope: writer.put_memories([record(scope, "stale")]),
    lambda writer, scope: writer.remove_memories([record(scope, "newer").memory.id]),
    lambda writer, scope: writer.remove_archives([(record(scope, "older").memory.id, 1)]),
    lambda writer, _: writer.put_embedder(None),
    lambda writer, _: writer.erase(NOW),
]


NAMES = ["prepare", "run", "archives", "memories", "removal", "purge", "embedder", "erasure"]


@pytest.mark.parametrize("write", LATE_WRITES, ids=NAMES)
def test_a_lower_fence_writes_nothing_whatever_it_believes_of_its_lease(
    sqlite_store: Store, scope: Scope, write: Callable[[Writer, Scope], object]
) -> None:
    late, successor = sqlite_store.writer(scope, Holding(7)), sqlite_store.writer(scope, Holding(8))
    late.prepare()
    late.put_archives([archived(record(scope, "older"))])
    known = sqlite_store.about(scope)
    successor.put_memories([record(scope, "newer")])

    with pytest.raises(LeaseLost, match="fence 7 was overtaken by 8"):
        write(late, scope)

    assert {one.memory.text for one in sqlite_store.memories(scope)} == {"newer"}
    assert [one.archive.memory.text for one in sqlite_store.archives(scope)] == ["older"]
    assert list(sqlite_store.runs(scope)) == []
    assert sqlite_store.about(scope) == known


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


@pytest.mark.parametrize("write", LATE_WRITES, ids=NAMES)
def test_nobody_who_stood_still_brings_an_erased_scope_back(
    sqlite_store: Store, scope: Scope, write: Callable[[Writer, Scope], object]
) -> None:
    late, successor = sqlite_store.writer(scope, Holding(1)), sqlite_store.writer(scope, Holding(2))
    late.prepare()
    late.put_memories([record(scope, "x")])
    successor.erase(NOW)

    with pytest.raises(LeaseLost):
        write(late, scope)
    with pytest.raises(NoRoom):
        successor.put_memories([record(scope, "x")])
    assert sqlite_store.about(scope) == About(erased_at=NOW)


@pytest.mark.parametrize("act", LATE_WRITES[-2:], ids=NAMES[-2:])
def test_a_change_of_the_whole_scope_fences_earlier_holders_out(
    sqlite_store: Store, scope: Scope, act: Callable[[Writer, Scope], object]
) -> None:
    late = sqlite_store.writer(scope, Holding(1))
    late.prepare()
    act(sqlite_store.writer(scope, Holding(2)), scope)

    with pytest.raises(LeaseLost):
        late.put_memories([record(scope, "x")])


def test_an_erased_scope_leaves_no_row_but_its_fence(
    sqlite_store: Store, scope: Scope, tmp_path: Path
) -> None:
    writer, one = sqlite_store.writer(scope, Holding(1)), record(scope, "The code is ERR_4412.")
    writer.prepare()
    writer.put_memories([one])
    writer.put_archives([archived(one)])
    writer.put_run(run(scope).model_copy(update={"turn_ids": (uid("t"),)}))
    writer.erase(NOW)

    with closing(sqlite3.connect(tmp_path / "memory.db")) as db:
        tables = db.execute(
            "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c"
            " WHERE m.type = 'table' AND c.name = 'scope'"
        ).fetchall()
        rows = {
            name: db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]  # noqa: S608 - names of ours
            for (name,) in tables
        }
    assert rows == dict.fromkeys(rows, 0) | {"fence": 1}
    assert len(rows) == 8


def test_an_erased_scope_gets_another_number(
    sqlite_store: Store, scope: Scope, tmp_path: Path
) -> None:
    """So that nothing left over could ever be taken for another's."""
    numbers = []
    for fence in (1, 2, 3):
        writer = sqlite_store.writer(scope, Holding(fence))
        writer.prepare()
        with closing(sqlite3.connect(tmp_path / "memory.db")) as db:
            numbers += db.execute("SELECT number FROM scope").fetchall()
        writer.erase(NOW)

    assert numbers == [(1,), (2,), (3,)]


def test_vectors_of_another_embedder_are_refused_without_prepare_too(
    sqlite_store: Store, scope: Scope, tmp_path: Path
) -> None:
    """The store was empty when another process opened it with its own; this one had prepared the scope by then."""
    early, one = sqlite_store.writer(scope, Holding(1)), record(scope, "x")
    early.prepare()
    with closing(open_store(f"sqlite:///{tmp_path / 'memory.db'}")) as other:
        other.open("another_8", 8)
        with pytest.raises(Misconfigured, match=f"{scope.key}.*another_8.*tests_8"):
            early.put_memories([one])
        with pytest.raises(Misconfigured, match=f"{scope.key}.*another_8.*tests_8"):
            early.put_archives([archived(one)])
        other.writer(scope, Holding(2)).prepare()
        other.writer(scope, Holding(2)).put_embedder(None)
        with pytest.raises(Misconfigured, match=f"{scope.key}.*another_8.*tests_8"):
            sqlite_store.writer(scope, Holding(2)).put_memories([one])

    assert sqlite_store.count(scope) == 0
    assert list(sqlite_store.archives(scope)) == []
