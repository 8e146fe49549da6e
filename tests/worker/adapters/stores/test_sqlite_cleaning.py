"""What was removed for good is nowhere in the bytes of the file, of its log, and of its shared memory."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from itertools import count
from pathlib import Path
from uuid import uuid4

import pytest

from schemas.memory import MemoryRecord
from schemas.scope import Scope
from tests.build import NOW
from tests.hold import HELD
from tests.worker.adapters.stores.keeping import archived, kept, record, run, texts
from worker.adapters.stores import sqlite_file
from worker.adapters.stores.sqlite import SqliteStore
from worker.adapters.stores.sqlite_file import SqliteFile
from worker.core.ports import Erased
from worker.errors import Unavailable

EMBEDDING = ("tests_8", 8)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(path)) as opened:
        opened.open(*EMBEDDING)
        yield opened


def spelled(path: Path, word: str) -> int:
    """How often the word is in any of the files, in whatever case."""
    return sum(
        file.read_bytes().lower().count(word.encode()) for file in path.parent.glob("memory.db*")
    )


def filled(store: SqliteStore, scope: Scope, word: str, among: Scope) -> list[MemoryRecord]:
    """The word in every place that keeps text, between the rows of another scope, and in rows that were moved."""
    number, records = count(), list[MemoryRecord]()
    for one in (scope, among):
        store.writer(one, HELD).prepare()
    for batch in range(16):
        for one, own in ((scope, word), (among, "other")):
            put = [
                record(
                    one,
                    " ".join(f"{own}{_scattered(number)}" for _ in range(5 + 60 * (n % 3))),
                    id=uuid4(),
                    subject=f"{own} {_scattered(number) % 30}",
                    attribute=f"{own} home",
                    identifiers=(f"{own}-{_scattered(number)}",),
                )
                for n in range(12)
            ]
            store.writer(one, HELD).put_memories(put)
            store.writer(one, HELD).put_archives([archived(of, reason="forgotten") for of in put])
            store.writer(one, HELD).put_run(run(one, f"{own} {batch}", model=own * 50))
            if one is scope:
                records += put
    return records


def _scattered(number: Iterator[int]) -> int:
    return next(number) * 7919 % 3001


def test_nothing_of_an_erased_scope_can_be_read_from_the_bytes(
    store: SqliteStore, path: Path, scope: Scope
) -> None:
    ben = Scope(app=scope.app, user="ben")
    filled(store, scope, "xylograph", ben)
    assert spelled(path, "xylograph") > 1000
    before = (list(store.memories(ben)), list(store.archives(ben)), list(store.runs(ben)))

    assert store.writer(scope, HELD).erase(NOW) == Erased(192, 192, 16)

    assert spelled(path, "xylograph") == 0
    assert spelled(path, "other") > 1000
    assert (list(store.memories(ben)), list(store.archives(ben)), list(store.runs(ben))) == before


def test_an_erased_scope_is_known_by_its_key_alone(store: SqliteStore, path: Path) -> None:
    """Even one that held nothing."""
    scope = Scope(app="xylograph", user="ann")
    store.writer(scope, HELD).prepare()
    assert spelled(path, "xylograph") > 0

    assert store.writer(scope, HELD).erase(NOW) == Erased()

    assert spelled(path, "xylograph") == 0
    assert spelled(path, scope.key) > 0


def test_what_is_purged_word_by_word_is_gone_from_the_bytes_after_the_next_cleaning(
    store: SqliteStore, path: Path, scope: Scope
) -> None:
    """Removed archives and memories, and runs that were written anew without it."""
    records = filled(store, scope, "xylograph", Scope(app=scope.app, user="ben"))
    writer = store.writer(scope, HELD)
    writer.remove_memories([one.memory.id for one in records])
    writer.remove_archives([(one.memory.id, one.memory.version) for one in records])
    for one in list(store.runs(scope)):
        writer.put_run(one.model_copy(update={"model": ""}))

    assert store.rest() == 0

    assert spelled(path, "xylograph") == 0
    assert len(list(store.runs(scope))) == 16


def test_removed_archives_leave_the_log_at_once(
    store: SqliteStore, path: Path, scope: Scope
) -> None:
    store.writer(scope, HELD).prepare()
    one = archived(record(scope, "The xylograph hangs in the hall."), reason="forgotten")
    store.writer(scope, HELD).put_archives([one])
    assert spelled(path, "xylograph") > 0

    store.writer(scope, HELD).remove_archives([(one.archive.memory.id, 1)])

    assert spelled(path, "xylograph") == 0


def _is_soiled(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT 1 FROM about WHERE name = 'soiled'").fetchone() is not None


def test_a_run_that_is_finished_or_taken_back_is_no_reason_to_clean(
    store: SqliteStore, path: Path, scope: Scope
) -> None:
    """Both come with every batch or undo; a finished run that is finished again had something taken out."""
    store.writer(scope, HELD).prepare()
    for state in ("open", "open", "applied", "undone"):
        store.writer(scope, HELD).put_run(run(scope, "r", state=state))
        assert not _is_soiled(path)

    store.writer(scope, HELD).put_run(run(scope, "r", state="undone"))

    assert _is_soiled(path)


def test_a_process_cleans_at_most_once_an_hour_and_only_what_is_soiled(
    store: SqliteStore, path: Path, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    cleanings, rewrite = list[SqliteFile](), SqliteFile.rewrite

    def counted(file: SqliteFile) -> bool:
        cleanings.append(file)
        return rewrite(file)

    monkeypatch.setattr(SqliteFile, "rewrite", counted)
    store.writer(scope, HELD).prepare()
    store.rest()
    with closing(SqliteStore(path)) as other:
        other.open(*EMBEDDING)
        assert cleanings == []
        store.writer(scope, HELD).remove_archives([(uuid4(), 1)])

        store.rest()
        assert cleanings == []
        other.rest()
        assert cleanings == [other._file]


def test_processes_that_clean_at_once_write_the_file_anew_once(
    store: SqliteStore, path: Path, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writers wait for each rewriting, and give up after a row of them."""
    cleanings, rewrite = list[SqliteFile](), SqliteFile.rewrite
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).remove_archives([(uuid4(), 1)])
    with closing(SqliteStore(path)) as other, ThreadPoolExecutor() as pool:
        other.open(*EMBEDDING)
        late = list[Future[int]]()

        def counted(file: SqliteFile) -> bool:
            cleanings.append(file)
            if file is store._file:
                late.append(pool.submit(other.rest))
                wait(late, timeout=0.1)
            return rewrite(file)

        monkeypatch.setattr(SqliteFile, "rewrite", counted)
        store.rest()
        assert late[0].result() == 0
    assert cleanings == [store._file]
    assert not _is_soiled(path)


def test_who_waited_long_for_another_to_clean_does_it_all_the_same(
    store: SqliteStore, path: Path, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.05)
    kept(store, scope, "The xylograph hangs in the hall.")
    with SqliteFile(path).in_turn():
        store.writer(scope, HELD).erase(NOW)

    assert spelled(path, "xylograph") == 0


def test_what_cannot_be_cleaned_while_another_reads_is_cleaned_later(
    path: Path, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.01)
    with closing(SqliteStore(path)) as store, closing(sqlite3.connect(path)) as reader:
        store.open(*EMBEDDING)
        kept(store, scope, "The xylograph hangs in the hall.")
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM memory").fetchone()

        assert store.writer(scope, HELD).erase(NOW) == Erased(memories=1)
        assert texts(store, scope) == set()
        assert spelled(path, "xylograph") > 0

        reader.rollback()
        store.rest()
        assert spelled(path, "xylograph") == 0


def test_an_erasure_stands_though_the_file_could_not_be_cleaned(
    store: SqliteStore, path: Path, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(store, scope, "The xylograph hangs in the hall.")
    with monkeypatch.context() as patched:

        def full(_: SqliteFile) -> bool:
            raise Unavailable("the disk is full")

        patched.setattr(SqliteFile, "rewrite", full)
        assert store.writer(scope, HELD).erase(NOW) == Erased(memories=1)

    assert store.about(scope).erased_at == NOW
    assert spelled(path, "xylograph") > 0
    assert store.writer(scope, HELD).erase(NOW) == Erased()
    assert spelled(path, "xylograph") == 0
