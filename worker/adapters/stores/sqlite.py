"""The embedded store: everything in one SQLite file.

BM25 runs over a table of postings and not over FTS5: FTS5 counts words through the whole file, so that one
scope's words would weigh in another's ranking, and it scores every row that holds any of the terms.
"""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from uuid import UUID

from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Run
from schemas.scope import Scope
from worker.adapters.stores.indexed import handed_out, ids_in
from worker.adapters.stores.lineage import lineage
from worker.adapters.stores.sqlite_about import (
    Embedding,
    check_embedder,
    check_layout,
    make_tables,
    put_embedding,
)
from worker.adapters.stores.sqlite_cleaning import clean
from worker.adapters.stores.sqlite_file import SqliteFile
from worker.adapters.stores.sqlite_index import Index, Indexes
from worker.adapters.stores.sqlite_postings import Postings
from worker.adapters.stores.sqlite_rows import (
    archive_record,
    archives_about,
    by_identifier,
    by_slot,
    json_of,
    memory_record,
    records_of,
)
from worker.adapters.stores.sqlite_scope import about_scope, scope_in, scope_number, scopes_in
from worker.adapters.stores.sqlite_writer import SqliteWriter
from worker.core.ports import About, Hold, Nominated, Nominations, Query

#: Records read at once by what goes through a whole scope.
PAGE = 500
#: Least time between two cleanings of the file by one process: writers wait for each.
CLEAN_SECONDS = 3600.0
ALL_RUNS = "SELECT payload FROM run WHERE scope = ? ORDER BY started_at DESC, id"
RUNS_OF_TURNS = (
    "SELECT payload FROM run WHERE scope = ?1 AND place IN (SELECT place FROM run_turn"
    " WHERE scope = ?1 AND turn IN (SELECT value FROM json_each(?2)))"
    " ORDER BY started_at DESC, id"
)


class SqliteStore:
    """Scopes are apart by a number in every row and every look-up; each call is one transaction."""

    def __init__(self, path: Path) -> None:
        self._file = SqliteFile(path)
        self._indexes = Indexes()
        self._embedding = Embedding("", 0)
        self._clean_from = 0.0

    def open(self, embedder: str, dimensions: int) -> None:
        embedding = Embedding(embedder, dimensions)
        self._open(embedding, lambda db: check_embedder(db, self._file.path, embedding))

    def adopt(self, embedder: str, dimensions: int) -> None:
        embedding = Embedding(embedder, dimensions)
        self._open(embedding, lambda db: put_embedding(db, embedding))

    def _open(self, embedding: Embedding, settle: Callable[[sqlite3.Connection], None]) -> None:
        self._file.create()
        with self._file.reading() as db:
            check_layout(db, self._file.path)
        self._file.use_wal()
        with self._file.writing() as db:
            make_tables(db)
            settle(db)
        self._embedding, self._indexes = embedding, Indexes()

    def rest(self) -> int:
        """Nothing has to be put away, as indexes have a budget. Cleans the file, at most once in `CLEAN_SECONDS`."""
        if time.monotonic() >= self._clean_from:
            self._clean_from = time.monotonic() + CLEAN_SECONDS
            clean(self._file)
        return 0

    def close(self) -> None:
        self._file.close()

    def nominate(self, scope: Scope, queries: Sequence[Query], pool: int) -> Nominations:
        with self._file.reading() as db:
            number = scope_number(db, scope.key)
            if number is None:
                return Nominations(tuple(Nominated() for _ in queries))
            index = self._indexes.of(db, number, self._embedding)
            words = Postings(db, number, index)
            rankings = tuple(_ranked(db, number, index, words, query, pool) for query in queries)
            named = frozenset[UUID]().union(*map(ids_in, rankings))
            return handed_out(rankings, self._indexes.records(db, number, index, named))

    def memories(self, scope: Scope, ids: Iterable[UUID] | None = None) -> Iterator[MemoryRecord]:
        if ids is None:
            yield from self._all_memories(scope)
            return
        with self._file.reading() as db:
            number = scope_number(db, scope.key)
            found = [] if number is None else records_of(db, number, set(ids))
        yield from (record for record, _ in found)

    def _all_memories(self, scope: Scope) -> Iterator[MemoryRecord]:
        after = ""
        while True:
            with self._file.reading() as db:
                rows = db.execute(
                    "SELECT m.id, payload, vector FROM memory m JOIN vector USING (place)"
                    " WHERE m.scope = ? AND m.id > ? ORDER BY m.id LIMIT ?",
                    (scope_number(db, scope.key), after, PAGE),
                ).fetchall()
            yield from (memory_record(payload, vector) for _, payload, vector in rows)
            if len(rows) < PAGE:
                return
            after = rows[-1][0]

    def archives(self, scope: Scope, memory: UUID | None = None) -> Iterator[ArchiveRecord]:
        if memory is None:
            yield from self._all_archives(scope)
            return
        with self._file.reading() as db:
            number = scope_number(db, scope.key)
            found = lineage(memory, lambda asked: archives_about(db, number, asked))
        yield from found

    def _all_archives(self, scope: Scope) -> Iterator[ArchiveRecord]:
        after = ("", 0)
        while True:
            with self._file.reading() as db:
                rows = db.execute(
                    "SELECT memory, version, payload, vector FROM archive"
                    " WHERE scope = ? AND (memory, version) > (?, ?)"
                    " ORDER BY memory, version LIMIT ?",
                    (scope_number(db, scope.key), *after, PAGE),
                ).fetchall()
            yield from (archive_record(payload, vector) for *_, payload, vector in rows)
            if len(rows) < PAGE:
                return
            after = (rows[-1][0], rows[-1][1])

    def forgotten(self, scope: Scope) -> list[ArchiveRecord]:
        with self._file.reading() as db:
            rows = db.execute(
                "SELECT payload, vector FROM archive WHERE scope = ? AND reason = 'forgotten'"
                " ORDER BY memory, version",
                (scope_number(db, scope.key),),
            ).fetchall()
        return [archive_record(payload, vector) for payload, vector in rows]

    def run(self, scope: Scope, id: UUID) -> Run | None:
        with self._file.reading() as db:
            row = db.execute(
                "SELECT payload FROM run WHERE scope = ? AND id = ?",
                (scope_number(db, scope.key), str(id)),
            ).fetchone()
        return Run.model_validate_json(row[0]) if row else None

    def runs(self, scope: Scope, turn_ids: Iterable[UUID] | None = None) -> Iterator[Run]:
        with self._file.reading() as db:
            number = scope_number(db, scope.key)
            rows = (
                db.execute(ALL_RUNS, (number,))
                if turn_ids is None
                else db.execute(RUNS_OF_TURNS, (number, json_of(turn_ids)))
            ).fetchall()
        yield from (Run.model_validate_json(payload) for (payload,) in rows)

    def open_runs(self, scope: Scope) -> list[Run]:
        with self._file.reading() as db:
            rows = db.execute(
                "SELECT payload FROM run WHERE scope = ? AND state = 'open' ORDER BY started_at, id",
                (scope_number(db, scope.key),),
            ).fetchall()
        return [Run.model_validate_json(payload) for (payload,) in rows]

    def slots(self, scope: Scope, limit: int) -> list[tuple[str, str]]:
        with self._file.reading() as db:
            return db.execute(
                "SELECT subject, attribute FROM memory WHERE scope = ? AND slot IS NOT NULL"
                " GROUP BY subject, attribute ORDER BY count(*) DESC, subject, attribute LIMIT ?",
                (scope_number(db, scope.key), limit),
            ).fetchall()

    def count(self, scope: Scope) -> int:
        with self._file.reading() as db:
            (count,) = db.execute(
                "SELECT count(*) FROM memory WHERE scope = ?", (scope_number(db, scope.key),)
            ).fetchone()
        return int(count)

    def about(self, scope: Scope) -> About:
        with self._file.reading() as db:
            return about_scope(db, scope.key)

    def scope(self, key: str) -> Scope | None:
        with self._file.reading() as db:
            return scope_in(db, key)

    def scopes(self) -> Iterator[Scope]:
        with self._file.reading() as db:
            found = scopes_in(db)
        yield from found

    def writer(self, scope: Scope, hold: Hold) -> SqliteWriter:
        return SqliteWriter(self._file, scope, hold, self._embedding, self._indexes)


def _ranked(  # noqa: PLR0913, PLR0917 - where to look, and what for
    db: sqlite3.Connection, scope: int, index: Index, words: Postings, query: Query, pool: int
) -> Nominated:
    among = index.about(query.subject)
    return Nominated(
        by_slot=by_slot(db, scope, query.slot, pool, query.subject) if query.slot else (),
        by_vector=index.by_vector(query.vector, pool, among) if query.vector else (),
        by_words=index.by_words(words.of(query.terms, pool, among), pool, among),
        by_identifier=by_identifier(db, scope, query.identifiers, pool, query.subject),
    )
