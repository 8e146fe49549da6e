"""What the file keeps of each scope beside its records, and how all of it goes."""

import sqlite3
from datetime import UTC, datetime

from schemas.scope import Scope
from worker.adapters.stores.sqlite_cleaning import soil
from worker.core.ports import About, Erased

#: Everything that has a scope's number, in the order in which it goes.
TABLES = ("posting", "identifier", "vector", "memory", "archive", "run_turn", "run")


def scope_number(db: sqlite3.Connection, scope: str) -> int | None:
    """By the scope's key; nothing where no room was made for it."""
    row = db.execute("SELECT number FROM scope WHERE key = ?", (scope,)).fetchone()
    return int(row[0]) if row else None


def about_scope(db: sqlite3.Connection, scope: str) -> About:
    number, embedder, erased_at, sleep = db.execute(
        "SELECT number, embedder, erased_at, sleep FROM (SELECT ? AS key)"
        " LEFT JOIN scope USING (key) LEFT JOIN fence ON fence.scope = key",
        (scope,),
    ).fetchone()
    erased = datetime.fromisoformat(erased_at) if erased_at else None
    return About(embedder, number is not None, erased, sleep)


def scope_in(db: sqlite3.Connection, key: str) -> Scope | None:
    row = db.execute("SELECT app, user FROM scope WHERE key = ?", (key,)).fetchone()
    return Scope(app=row[0], user=row[1]) if row else None


def scopes_in(db: sqlite3.Connection) -> list[Scope]:
    rows = db.execute("SELECT app, user FROM scope ORDER BY key")
    return [Scope(app=app, user=user) for app, user in rows]


def make_room(db: sqlite3.Connection, scope: Scope, embedder: str) -> None:
    db.execute(
        "INSERT INTO scope (key, app, user, embedder) VALUES (?, ?, ?, ?)",
        (scope.key, scope.app, scope.user, embedder),
    )


def due_embedder(db: sqlite3.Connection, scope: str) -> tuple[str, str]:
    """Whose vectors may be written: the scope's embedder or, while it has none, the store's; and the store's."""
    due, of_store = db.execute(
        "SELECT coalesce((SELECT embedder FROM scope WHERE key = ?), value), value"
        " FROM about WHERE name = 'embedder'",
        (scope,),
    ).fetchone()
    return due, of_store


def set_embedder(db: sqlite3.Connection, scope: str, embedder: str | None) -> None:
    db.execute(
        "UPDATE scope SET embedder = ?, generation = generation + 1 WHERE key = ?",
        (embedder, scope),
    )


def set_sleep(db: sqlite3.Connection, scope: str, note: str) -> None:
    db.execute("UPDATE scope SET sleep = ? WHERE key = ?", (note, scope))


def erase(db: sqlite3.Connection, scope: str, at: datetime) -> Erased:
    """All but the fence, which is there by now and keeps the latest `at`."""
    number = scope_number(db, scope)
    if number is not None:
        soil(db)
    gone = {
        table: db.execute(f"DELETE FROM {table} WHERE scope = ?", (number,)).rowcount  # noqa: S608 - names of ours
        for table in TABLES
    }
    db.execute("DELETE FROM scope WHERE number = ?", (number,))
    db.execute(
        "UPDATE fence SET erased_at = max(coalesce(erased_at, ''), ?) WHERE scope = ?",
        (at.astimezone(UTC).isoformat(timespec="microseconds"), scope),
    )
    return Erased(gone["memory"], gone["archive"], gone["run"])
