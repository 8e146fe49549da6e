"""One SQLite file, shared by the threads of this process and by other processes."""

import errno
import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from worker.errors import Misconfigured, Unavailable

#: How long a writer waits for the others' turns to end.
BUSY_SECONDS = 10.0
#: Each connection's share of the page cache, in KiB.
CACHE_KIB = 8_192

#: SQLite's primary result codes (sqlite.org/rescode.html) → the class of error, and what to do.
REMEDIES: dict[int, tuple[type[Misconfigured | Unavailable], str]] = {
    sqlite3.SQLITE_BUSY: (Unavailable, "another process keeps it locked: end that one, or wait"),
    sqlite3.SQLITE_LOCKED: (Unavailable, "another process keeps it locked: end that one, or wait"),
    sqlite3.SQLITE_FULL: (Unavailable, "the disk is full: make room; nothing was half written"),
    sqlite3.SQLITE_IOERR: (Unavailable, "its disk is full or does not answer: look at the disk"),
    sqlite3.SQLITE_READONLY: (Misconfigured, "it is read-only: allow writing to it and its folder"),
    sqlite3.SQLITE_PERM: (Misconfigured, "allow reading and writing it and its folder"),
    sqlite3.SQLITE_CANTOPEN: (
        Misconfigured,
        "it cannot be opened: SLOWWAVE_STORE_URL must name a file in a folder that can be written to",
    ),
    sqlite3.SQLITE_NOTADB: (
        Misconfigured,
        "it is no SQLite database: let SLOWWAVE_STORE_URL name another file",
    ),
    sqlite3.SQLITE_CORRUPT: (
        Misconfigured,
        "it is damaged: put a backup in its place, or save what `sqlite3 FILE .recover` finds",
    ),
}
PRIMARY = 0xFF


class SqliteFile:
    """Lends connections: each is used by one thread at a time and kept for the next."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._idle: list[sqlite3.Connection] = []
        #: A forked child's inheritance: closing it would drop the parent's locks (sqlite.org/howtocorrupt).
        self._inherited: list[sqlite3.Connection] = []
        self._identity: tuple[int, int] | None = None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """All reads inside see one state of the file."""
        with self._transaction("BEGIN") as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """All or nothing."""
        with self._transaction("BEGIN IMMEDIATE") as db:
            yield db

    def create(self) -> None:
        """Make the file, readable by its owner only, where there is none; from now on it is the one."""
        self.close()
        with self._translated():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _make(self.path.resolve())
            self._identity = _identity(self.path)

    def use_wal(self) -> None:
        """Let readers and a writer work at once from now on (sqlite.org/wal)."""
        with self._lent() as db, self._translated():
            _use_wal(db)

    def rewrite(self) -> bool:
        """Write all of it anew; readers go on meanwhile, writers wait.

        False if the old pages are still there: what others read just then keeps them in the file or in its log.
        """
        with self._lent() as db, self._translated():
            db.execute("VACUUM")
            return _empty_log(db)

    @contextmanager
    def in_turn(self) -> Iterator[None]:
        """One after the other of all who rewrite, so that a writer waits for one rewriting and not for a row of them.

        Who has waited as long as a writer would goes on all the same.
        """
        with self._translated():
            folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            _wait_for_turn(folder)
            yield
        finally:
            os.close(folder)

    def empty_log(self) -> bool:
        """Let the log of recent writes (WAL) hold nothing any more; false while others read what is in it."""
        with self._lent() as db, self._translated():
            return _empty_log(db)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        if self._process == os.getpid():
            for db in idle:
                db.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lent() as db, self._translated():
            db.execute(begin)
            yield db
            db.execute("COMMIT")

    @contextmanager
    def _lent(self) -> Iterator[sqlite3.Connection]:
        """One that failed is closed, which rolls back what it had begun."""
        db = self._take()
        try:
            yield db
        except BaseException:
            db.close()
            raise
        with self._lock:
            self._idle.append(db)

    def _take(self) -> sqlite3.Connection:
        self._check_same()
        with self._lock:
            if self._process != os.getpid():
                self._inherited, self._idle, self._process = self._idle, [], os.getpid()
            if self._idle:
                return self._idle.pop()
        with self._translated():
            return _connect(self.path)

    def _check_same(self) -> None:
        """A connection goes on writing to a removed file, where nobody will ever read it."""
        try:
            same = self._identity in (None, _identity(self.path))
        except OSError:
            same = False
        if not same:
            raise Misconfigured(
                f"the store {self.path} was removed or replaced while in use: put it back, or start again"
                " to use what is there now; nothing was written",
                part="store",
            )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            kind = Unavailable if error.errno == errno.ENOSPC else Misconfigured
            raise kind(
                f"the store {self.path} cannot be made ({error.strerror}): SLOWWAVE_STORE_URL must name a"
                " file in a folder that can be written to and has room",
                part="store",
            ) from error
        except sqlite3.Error as error:
            known = REMEDIES.get(getattr(error, "sqlite_errorcode", 0) & PRIMARY)
            if known is None:
                raise
            kind_of_error, remedy = known
            raise kind_of_error(
                f"the store {self.path} failed ({error}): {remedy}", part="store"
            ) from error


def _make(path: Path) -> None:
    """One that is there is not opened: closing it would drop the locks of all that this process does with it.

    Another process would then take itself for the last, and remove the log that this one goes on with.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def _connect(path: Path) -> sqlite3.Connection:
    # `mode=rw`: a file that was removed while in use must not come back empty.
    db = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    db.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    # A turn leaves the inbox once it is stored, so what is committed has to survive a power cut.
    db.execute("PRAGMA synchronous = FULL")
    # What is removed is overwritten with zeros: see `sqlite_cleaning`.
    db.execute("PRAGMA secure_delete = ON")
    return db


def _empty_log(db: sqlite3.Connection) -> bool:
    (busy, *_) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _wait_for_turn(folder: int) -> None:
    deadline = time.monotonic() + BUSY_SECONDS
    while time.monotonic() < deadline:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.02)
        else:
            return


def _use_wal(db: sqlite3.Connection) -> None:
    """Two processes that switch at once get "locked" without SQLite waiting for them."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return
