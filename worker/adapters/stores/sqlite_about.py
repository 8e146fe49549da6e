"""What a file says of itself: its layout, and whose vectors it holds."""

import sqlite3
from pathlib import Path

from worker.errors import Misconfigured

LAYOUT = 3
TABLES = (Path(__file__).parent / "sqlite_layout.sql").read_text(encoding="utf-8")


def check_layout(db: sqlite3.Connection, path: Path) -> None:
    tables = _tables(db)
    layout = _about(db).get("layout") if "about" in tables else None
    if tables and layout != str(LAYOUT):
        raise Misconfigured(
            f"{path} has {f'layout {layout}' if layout else 'other tables'}, this slowwave reads layout"
            f" {LAYOUT}: let SLOWWAVE_STORE_URL name another file, or use the slowwave that made it"
        )


def make_tables(db: sqlite3.Connection) -> None:
    if not _tables(db):
        for statement in TABLES.split(";"):
            db.execute(statement)
        db.execute("INSERT INTO about VALUES ('layout', ?)", (str(LAYOUT),))


def _tables(db: sqlite3.Connection) -> set[str]:
    return {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def check_embedder(db: sqlite3.Connection, path: Path, embedder: str, dimensions: int) -> None:
    about = _about(db)
    known, size = about.get("embedder", embedder), int(about.get("dimensions", dimensions))
    if (known, size) == (embedder, dimensions) or _is_empty(db):
        db.executemany(
            "INSERT OR REPLACE INTO about VALUES (?, ?)",
            [("embedder", embedder), ("dimensions", str(dimensions))],
        )
        return
    raise Misconfigured(
        f"the memories in {path} were embedded by {known} ({size} dimensions), the settings say {embedder}"
        f" ({dimensions}): set SLOWWAVE_EMBEDDER back, or let `slowwave reembed` change them over"
    )


def _about(db: sqlite3.Connection) -> dict[str, str]:
    return dict(db.execute("SELECT name, value FROM about").fetchall())


def _is_empty(db: sqlite3.Connection) -> bool:
    (some,) = db.execute(
        "SELECT EXISTS (SELECT 1 FROM memory) OR EXISTS (SELECT 1 FROM archive)"
    ).fetchone()
    return not some
