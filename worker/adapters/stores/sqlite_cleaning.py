"""What was removed from the file for good must not be found in its bytes.

`secure_delete` overwrites what is removed. But where SQLite splits or joins pages it leaves copies of rows that moved
in the free middle of a page, and the log of recent writes holds pages as they were: only a file that was written anew
is sure to hold nothing beside what can be read from it. That takes about a second for 100 MB.
"""

import sqlite3

from worker.adapters.stores.sqlite_file import SqliteFile


def soil(db: sqlite3.Connection) -> None:
    """Note, with what is removed, that its bytes are still to go: a crash does not forget it."""
    db.execute(
        "INSERT INTO about VALUES ('soiled', '1')"
        " ON CONFLICT (name) DO UPDATE SET value = value + 1"
    )


def clean(file: SqliteFile) -> None:
    """Write the file anew if anything was removed for good since the last time.

    It stays noted where that fails (`Unavailable`: no room on the disk, another process writes for long), and where
    somebody read just then.
    """
    if _noted(file) is None:
        return
    with file.in_turn():
        # Another may have cleaned meanwhile.
        noted = _noted(file)
        if noted and file.rewrite():
            with file.writing() as db:
                db.execute("DELETE FROM about WHERE name = 'soiled' AND value = ?", (noted,))


def _noted(file: SqliteFile) -> str | None:
    with file.reading() as db:
        row = db.execute("SELECT value FROM about WHERE name = 'soiled'").fetchone()
    return row[0] if row else None
