"""Writing to one scope of the file, in the order in which leases were given out."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from uuid import UUID

from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Run
from schemas.scope import Scope
from worker.adapters.stores.indexed import check_archives, check_memories
from worker.adapters.stores.rooms import NoRoom
from worker.adapters.stores.sqlite_about import Embedding
from worker.adapters.stores.sqlite_cleaning import clean, soil
from worker.adapters.stores.sqlite_file import SqliteFile
from worker.adapters.stores.sqlite_index import Indexes
from worker.adapters.stores.sqlite_rows import archive_row, put_memory, put_run, remove_memory
from worker.adapters.stores.sqlite_scope import (
    about_scope,
    due_embedder,
    erase,
    make_room,
    scope_number,
    set_embedder,
    set_sleep,
)
from worker.core.ports import Erased, Hold
from worker.errors import Misconfigured, SlowwaveError


class SqliteWriter:
    """Each call is one transaction that also keeps the fence, and refuses where a higher one is kept.

    So it does not matter when a worker wakes up that stood still: after a later holder's first call it writes nothing.

    What `erase` removes is out of the bytes of the file as well when it returns, unless somebody reads just then. What
    goes with `remove_archives`, or with a finished run that is written anew, is out of the log of recent writes then,
    and for the rest the file is cleaned by the store's `rest`.
    """

    def __init__(
        self, file: SqliteFile, scope: Scope, hold: Hold, embedding: Embedding, indexes: Indexes
    ) -> None:
        self._file = file
        self._scope = scope
        self._hold = hold
        self._embedding = embedding
        self._indexes = indexes

    def prepare(self) -> None:
        own = self._embedding.fingerprint
        with self._file.reading() as db:
            if _is_prepared(db, self._scope.key, self._hold.fence, own):
                return
        with self._fenced() as db:
            self._check_embedder(db)
            if scope_number(db, self._scope.key) is None:
                make_room(db, self._scope, own)
            elif about_scope(db, self._scope.key).embedder is None:
                raise Misconfigured(
                    f"the vectors of scope {self._scope.key} in {self._file.path} are being made anew:"
                    " let `slowwave reembed` end first",
                    part="store",
                )

    def put_run(self, run: Run) -> None:
        with self._writing() as (db, number):
            if put_run(db, number, run):
                soil(db)

    def put_archives(self, records: Sequence[ArchiveRecord]) -> None:
        check_archives(self._scope, records, self._embedding.dimensions)
        with self._writing() as (db, number):
            self._check_embedder(db)
            db.executemany(
                "INSERT INTO archive (scope, memory, version, replaced_by, payload, vector)"
                " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (scope, memory, version) DO UPDATE SET"
                " replaced_by = excluded.replaced_by, payload = excluded.payload,"
                " vector = excluded.vector",
                [archive_row(number, record) for record in records],
            )

    def put_memories(self, records: Sequence[MemoryRecord]) -> None:
        check_memories(self._scope, records, self._embedding.dimensions)
        with self._writing() as (db, number):
            self._check_embedder(db)
            for record in records:
                put_memory(db, number, record)
            generation = _changed(db, number)
        self._indexes.changed(number, generation, [record.memory.id for record in records])

    def remove_memories(self, ids: Sequence[UUID]) -> None:
        with self._writing() as (db, number):
            for memory_id in ids:
                remove_memory(db, number, memory_id)
            generation = _changed(db, number)
        self._indexes.changed(number, generation, ids)

    def remove_archives(self, versions: Sequence[tuple[UUID, int]]) -> None:
        with self._writing() as (db, number):
            db.executemany(
                "DELETE FROM archive WHERE scope = ? AND memory = ? AND version = ?",
                [(number, str(memory), version) for memory, version in versions],
            )
            soil(db)
        self._file.empty_log()

    def put_embedder(self, fingerprint: str | None) -> None:
        """A worker that still has the store's old embedder must not change a scope back: it raises `Misconfigured`."""
        with self._fenced() as db:
            _, of_store = due_embedder(db, self._scope.key)
            is_prepared = about_scope(db, self._scope.key).is_prepared
            if is_prepared and of_store != self._embedding.fingerprint:
                raise self._not_ours(of_store, of_store)
            set_embedder(db, self._scope.key, fingerprint)

    def put_sleep(self, note: str) -> None:
        with self._fenced() as db:
            set_sleep(db, self._scope.key, note)

    def erase(self, at: datetime) -> Erased:
        with self._fenced() as db:
            erased = erase(db, self._scope.key, at)
        with suppress(SlowwaveError):
            clean(self._file)
        return erased

    def _check_embedder(self, db: sqlite3.Connection) -> None:
        due, of_store = due_embedder(db, self._scope.key)
        if due != self._embedding.fingerprint:
            raise self._not_ours(due, of_store)

    def _not_ours(self, due: str, of_store: str) -> Misconfigured:
        own = self._embedding.fingerprint
        remedy = (
            "let `slowwave reembed` change the scope over"
            if of_store == own
            else f"set SLOWWAVE_EMBEDDER to {of_store}, which `slowwave reembed` changes the store over to,"
            " and start again"
        )
        return Misconfigured(
            f"scope {self._scope.key} in {self._file.path} takes vectors of {due}, this process makes those"
            f" of {own}: nothing was written; {remedy}",
            part="store",
        )

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


def _is_prepared(db: sqlite3.Connection, scope: str, fence: int, embedder: str) -> bool:
    (prepared,) = db.execute(
        "SELECT EXISTS (SELECT 1 FROM scope JOIN fence ON fence.scope = scope.key"
        " WHERE key = ? AND highest = ? AND embedder = ?)",
        (scope, fence, embedder),
    ).fetchone()
    return bool(prepared)


def _changed(db: sqlite3.Connection, scope: int) -> int:
    """The generation that follows."""
    (generation,) = db.execute(
        "UPDATE scope SET generation = generation + 1 WHERE number = ? RETURNING generation",
        (scope,),
    ).fetchone()
    return int(generation)
