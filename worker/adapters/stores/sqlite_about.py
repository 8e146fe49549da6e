"""What a file says of itself: its layout, and whose vectors it holds."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from worker.adapters.stores.sqlite_upgrades import UPGRADES
from worker.errors import Misconfigured

LAYOUT = 4
TABLES = (Path(__file__).parent / "sqlite_layout.sql").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Embedding:
    """Whose vectors the store was opened for."""

    fingerprint: str
    dimensions: int


def check_layout(db: sqlite3.Connection, path: Path) -> None:
    tables = _tables(db)
    layout = _about(db).get("layout") if "about" in tables else None
    if tables and layout not in {str(LAYOUT), *map(str, UPGRADES)}:
        raise Misconfigured(
            f"{path} has {f'layout {layout}' if layout else 'other tables'}, this slowwave reads layout"
            f" {LAYOUT}: let SLOWWAVE_STORE_URL name another file, or use the slowwave that made it"
        )


def make_tables(db: sqlite3.Connection) -> None:
    """Where there are none; an older layout becomes the current one, step by step."""
    if not _tables(db):
        _run(db, TABLES)
        db.execute("INSERT INTO about VALUES ('layout', ?)", (str(LAYOUT),))
    while (layout := int(_about(db)["layout"])) != LAYOUT:
        _run(db, UPGRADES[layout])
        db.execute("UPDATE about SET value = ? WHERE name = 'layout'", (str(layout + 1),))


def _run(db: sqlite3.Connection, script: str) -> None:
    """Inside the transaction that is open, which `executescript` would end."""
    for statement in script.split(";"):
        db.execute(statement)


def _tables(db: sqlite3.Connection) -> set[str]:
    return {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def check_embedder(db: sqlite3.Connection, path: Path, embedding: Embedding) -> None:
    """One that nothing was embedded by yet gives way."""
    known = _embedding(db)
    if known is None or known == embedding:
        put_embedding(db, embedding)
    elif _is_empty(db):
        put_embedding(db, embedding)
        db.execute("UPDATE scope SET embedder = ?", (embedding.fingerprint,))
    else:
        raise Misconfigured(
            f"the memories in {path} were embedded by {known.fingerprint} ({known.dimensions} dimensions),"
            f" the settings say {embedding.fingerprint} ({embedding.dimensions}): set SLOWWAVE_EMBEDDER"
            " back, or let `slowwave reembed` change them over"
        )


def put_embedding(db: sqlite3.Connection, embedding: Embedding) -> None:
    db.executemany(
        "INSERT OR REPLACE INTO about VALUES (?, ?)",
        [("embedder", embedding.fingerprint), ("dimensions", str(embedding.dimensions))],
    )


def _embedding(db: sqlite3.Connection) -> Embedding | None:
    about = _about(db)
    return Embedding(about["embedder"], int(about["dimensions"])) if "embedder" in about else None


def _about(db: sqlite3.Connection) -> dict[str, str]:
    return dict(db.execute("SELECT name, value FROM about").fetchall())


def _is_empty(db: sqlite3.Connection) -> bool:
    (some,) = db.execute(
        "SELECT EXISTS (SELECT 1 FROM memory) OR EXISTS (SELECT 1 FROM archive)"
    ).fetchone()
    return not some
