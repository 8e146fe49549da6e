"""Writing to one scope of the file, in the order in which leases were given out."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Run
from schemas.scope import Scope
from worker.adapters.stores.indexed import check_archives, check_memories
from worker.adapters.stores.rooms import NoRoom
from worker.adapters.stores.sqlite_file import SqliteFile
from worker.adapters.stores.sqlite_rows import archive_row, put_memory, remove_memory, scope_number
from worker.core.ports import Hold


class SqliteWriter:
    """Each call is one transaction that also keeps the fence, and refuses where a higher one is kept.

    So it does not matter when a worker wakes up that stood still: after a later holder's first call it writes nothing.
    """

    def __init__(self, file: SqliteFile, scope: Scope, hold: Hold, dimensions: int) -> None:
        self._file = file
        self._scope = scope
        self._hold = hold
        self._dimensions = dimensions

    def prepare(self) -> None:
        with self._file.reading() as db:
            if _is_prepared(db, self._scope.key, self._hold.fence):
                return
        with self._fenced() as db:
            db.execute("INSERT OR IGNORE INTO scope (key) VALUES (?)", (self._scope.key,))

    def put_run(self, run: Run) -> None:
        with self._writing() as (db, number):
            (place,) = db.execute(
                "INSERT INTO run (scope, id, state, started_at, payload) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (scope, id) DO UPDATE SET state = excluded.state,"
                " started_at = excluded.started_at, payload = excluded.payload RETURNING place",
                (number, str(run.id), run.state, run.started_at.timestamp(), run.model_dump_json()),
            ).fetchone()
            db.execute("DELETE FROM run_turn WHERE place = ?", (place,))
            db.executemany(
                "INSERT OR IGNORE INTO run_turn (scope, turn, place) VALUES (?, ?, ?)",
                [(number, str(turn), place) for turn in run.turn_ids],
            )

    def put_archives(self, records: Sequence[ArchiveRecord]) -> None:
        check_archives(self._scope, records, self._dimensions)
        with self._writing() as (db, number):
            db.executemany(
                "INSERT INTO archive (scope, memory, version, replaced_by, payload, vector)"
                " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (scope, memory, version) DO UPDATE SET"
                " replaced_by = excluded.replaced_by, payload = excluded.payload,"
                " vector = excluded.vector",
                [archive_row(number, record) for record in records],
            )

    def put_memories(self, records: Sequence[MemoryRecord]) -> None:
        check_memories(self._scope, records, self._dimensions)
        with self._writing() as (db, number):
            for record in records:
                put_memory(db, number, record)
            _changed(db, number)

    def remove_memories(self, ids: Sequence[UUID]) -> None:
        with self._writing() as (db, number):
            for memory_id in ids:
                remove_memory(db, number, memory_id)
            _changed(db, number)

    @contextmanager
    def _writing(self) -> Iterator[tuple[sqlite3.Connection, int]]:
        """With the scope's number. Raises `NoRoom`, and as `_fenced`."""
        with self._fenced() as db:
            number = scope_number(db, self._scope.key)
            if number is None:
                raise NoRoom(self._scope)
            yield db, number

    @contextmanager
    def _fenced(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, and nothing under a fence that was overtaken."""
        with self._file.writing() as db:
            highest = _raise_fence(db, self._scope.key, self._hold.fence)
            if highest == self._hold.fence:
                yield db
                return
        self._hold.overtaken(highest)


def _raise_fence(db: sqlite3.Connection, scope: str, fence: int) -> int:
    """The highest that the scope was written under, this one included."""
    (highest,) = db.execute(
        "INSERT INTO fence (scope, highest) VALUES (?, ?) ON CONFLICT (scope)"
        " DO UPDATE SET highest = max(highest, excluded.highest) RETURNING highest",
        (scope, fence),
    ).fetchone()
    return int(highest)


def _is_prepared(db: sqlite3.Connection, scope: str, fence: int) -> bool:
    (prepared,) = db.execute(
        "SELECT EXISTS (SELECT 1 FROM scope JOIN fence ON fence.scope = scope.key"
        " WHERE key = ? AND highest = ?)",
        (scope, fence),
    ).fetchone()
    return bool(prepared)


def _changed(db: sqlite3.Connection, scope: int) -> None:
    db.execute("UPDATE scope SET generation = generation + 1 WHERE number = ?", (scope,))
