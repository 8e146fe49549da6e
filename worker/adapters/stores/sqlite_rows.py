"""Records as rows of a scope, and back."""

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from schemas.memory import Archive, ArchiveRecord, Memory, MemoryRecord
from schemas.plan import Run
from worker.adapters.stores.indexed import identifier_keys, slot_key, subject_key, words_of

#: A record with the terms that it is found by.
Found = tuple[MemoryRecord, list[str]]


def json_of(ids: Iterable[UUID]) -> str:
    return json.dumps([*map(str, ids)])


def memory_record(payload: str, vector: bytes) -> MemoryRecord:
    return MemoryRecord(memory=Memory.model_validate_json(payload), vector=vector)


def archive_record(payload: str, vector: bytes) -> ArchiveRecord:
    return ArchiveRecord(archive=Archive.model_validate_json(payload), vector=vector)


def records_of(
    db: sqlite3.Connection, scope: int, ids: Collection[UUID], *, with_vectors: bool = True
) -> list[Found]:
    """In order of id; without vectors they are empty."""
    rows = db.execute(
        "SELECT payload, CASE WHEN ? THEN vector ELSE x'' END, terms FROM memory m JOIN vector USING (place)"
        " WHERE m.scope = ? AND m.id IN (SELECT value FROM json_each(?)) ORDER BY m.id",
        (with_vectors, scope, json_of(ids)),
    )
    return [(memory_record(payload, vector), json.loads(terms)) for payload, vector, terms in rows]


def archives_about(
    db: sqlite3.Connection, scope: int | None, memories: Collection[UUID]
) -> list[ArchiveRecord]:
    rows = db.execute(
        "WITH asked AS (SELECT value FROM json_each(?2))"
        " SELECT payload, vector FROM archive WHERE scope = ?1 AND memory IN asked"
        " UNION ALL SELECT payload, vector FROM archive WHERE scope = ?1 AND replaced_by IN asked",
        (scope, json_of(memories)),
    )
    return [archive_record(payload, vector) for payload, vector in rows]


def archive_row(scope: int, record: ArchiveRecord) -> tuple[int, str, int, str | None, str, bytes]:
    archive = record.archive
    replaced_by = str(archive.replaced_by) if archive.replaced_by else None
    return (
        scope,
        str(archive.memory.id),
        archive.memory.version,
        replaced_by,
        archive.model_dump_json(),
        record.vector,
    )


def by_slot(
    db: sqlite3.Connection, scope: int, slot: tuple[str, str], pool: int, subject: str | None = None
) -> tuple[UUID, ...]:
    rows = db.execute(
        "SELECT id FROM memory JOIN vector USING (place, scope, id) WHERE scope = ?1 AND slot = ?2"
        " AND (?4 IS NULL OR vector.subject = ?4) ORDER BY id LIMIT ?3",
        (scope, slot_key(slot), pool, _key(subject)),
    )
    return tuple(UUID(found) for (found,) in rows)


def by_identifier(
    db: sqlite3.Connection,
    scope: int,
    identifiers: Sequence[str],
    pool: int,
    subject: str | None = None,
) -> tuple[UUID, ...]:
    rows = db.execute(
        "SELECT id FROM identifier i JOIN vector USING (place) WHERE i.scope = ?1 AND i.value IN"
        " (SELECT value FROM json_each(?2)) AND (?4 IS NULL OR subject = ?4)"
        " GROUP BY place ORDER BY count(*) DESC, id LIMIT ?3",
        (scope, json.dumps(identifier_keys(identifiers)), pool, _key(subject)),
    )
    return tuple(UUID(found) for (found,) in rows)


def _key(subject: str | None) -> str | None:
    return None if subject is None else subject_key(subject)


def put_memory(db: sqlite3.Connection, scope: int, record: MemoryRecord) -> None:
    memory, words = record.memory, words_of(record.memory)
    remove_memory(db, scope, memory.id)
    (place,) = db.execute(
        "INSERT INTO memory (scope, id, slot, subject, attribute, terms, payload)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING place",
        (
            scope,
            str(memory.id),
            slot_key(memory.slot) if memory.slot else None,
            memory.subject,
            memory.attribute,
            json.dumps(words),
            memory.model_dump_json(),
        ),
    ).fetchone()
    db.execute(
        "INSERT INTO vector (place, scope, id, subject, length, vector) VALUES (?, ?, ?, ?, ?, ?)",
        (
            place,
            scope,
            str(memory.id),
            subject_key(memory.subject),
            len(words),
            record.vector,
        ),
    )
    db.executemany(
        "INSERT INTO posting (scope, term, place, times) VALUES (?, ?, ?, ?)",
        [(scope, term, place, times) for term, times in Counter(words).items()],
    )
    db.executemany(
        "INSERT INTO identifier (scope, value, place) VALUES (?, ?, ?)",
        [(scope, key, place) for key in identifier_keys(memory.identifiers)],
    )


def remove_memory(db: sqlite3.Connection, scope: int, memory_id: UUID) -> None:
    row = db.execute(
        "DELETE FROM memory WHERE scope = ? AND id = ? RETURNING place, terms",
        (scope, str(memory_id)),
    ).fetchone()
    if row is None:
        return
    place, terms = row
    # By the terms that were stored: how a text is split may have changed since.
    db.execute(
        "DELETE FROM posting WHERE scope = ? AND place = ?"
        " AND term IN (SELECT value FROM json_each(?))",
        (scope, place, terms),
    )
    db.execute("DELETE FROM identifier WHERE place = ?", (place,))
    db.execute("DELETE FROM vector WHERE place = ?", (place,))


def put_run(db: sqlite3.Connection, scope: int, run: Run) -> bool:
    """Whether it replaced one that was finished the same way: what stood there has to be gone for good then."""
    before = db.execute(
        "SELECT state FROM run WHERE scope = ? AND id = ?", (scope, str(run.id))
    ).fetchone()
    if run.state == "open" and before not in {None, ("open",)}:
        # It stays finished.
        return False
    (place,) = db.execute(
        "INSERT INTO run (scope, id, state, started_at, payload) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (scope, id) DO UPDATE SET state = excluded.state,"
        " started_at = excluded.started_at, payload = excluded.payload RETURNING place",
        (scope, str(run.id), run.state, run.started_at.timestamp(), run.model_dump_json()),
    ).fetchone()
    db.execute("DELETE FROM run_turn WHERE place = ?", (place,))
    db.executemany(
        "INSERT OR IGNORE INTO run_turn (scope, turn, place) VALUES (?, ?, ?)",
        [(scope, str(turn), place) for turn in run.turn_ids],
    )
    return run.state != "open" and before == (run.state,)
