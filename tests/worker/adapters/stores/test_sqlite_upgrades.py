"""A file that an older version made, as it was dumped from one."""

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from schemas.scope import Scope
from tests.build import uid, vector
from tests.hold import Holding
from worker.adapters.stores import sqlite_about
from worker.adapters.stores.sqlite import SqliteStore
from worker.adapters.stores.sqlite_upgrades import UPGRADES
from worker.core.ports import About, Query
from worker.errors import LeaseLost, Misconfigured

EMBEDDING = ("tests_8", 8)
LAYOUT_3 = Path(__file__).with_name("layout_3.sql").read_text(encoding="utf-8")

FULL = Scope(app="acme", user='Zoë "x" \\ o\'hara')
HISTORY, RUNS, BARE = (
    Scope(app="acme", user=f"{what} only") for what in ("history", "runs", "prepared")
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "memory.db"
    with closing(sqlite3.connect(made)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(LAYOUT_3)
    return made


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(path)) as opened:
        opened.open(*EMBEDDING)
        yield opened


def dumped(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return [*db.iterdump()]


def test_everything_of_an_older_file_is_there(store: SqliteStore) -> None:
    query = Query(vector("Lives in Austin."), ("code",), ("err_mem_4412",), ("user", "home"))
    (ranking,) = store.nominate(FULL, [query], 5).rankings

    home, code = uid("Lives in Austin."), uid("The code is ERR_MEM_4412.")
    assert ranking.by_vector == (home, code)
    assert ranking.by_words == ranking.by_identifier == (code,)
    assert ranking.by_slot == (home,)
    assert {one.memory.text for one in store.memories(FULL)} == {
        "Lives in Austin.",
        "The code is ERR_MEM_4412.",
    }
    assert [one.archive.memory.text for one in store.archives(FULL, home)] == ["Lives in Seattle."]
    assert [one.archive.memory.text for one in store.forgotten(FULL)] == ["Has a secret."]
    assert [one.archive.memory.text for one in store.archives(HISTORY)] == ["Had a cat."]
    assert [one.id for one in store.runs(FULL, [uid("t1")])] == [uid("run")]
    run = store.run(RUNS, uid("run"))
    assert run is not None
    assert run.state == "parked"


def test_the_scopes_of_an_older_file_are_known_by_name_and_embedder(store: SqliteStore) -> None:
    """One without any record never said its names: it has no room until it is prepared again."""
    named = sorted([FULL, HISTORY, RUNS], key=lambda one: one.key)

    assert list(store.scopes()) == named
    assert [store.about(one) for one in named] == [About("tests_8", is_prepared=True)] * 3
    assert store.about(BARE) == About()


def test_the_numbers_and_fences_of_scopes_outlive_an_upgrade(
    store: SqliteStore, path: Path
) -> None:
    with pytest.raises(LeaseLost, match="3 was overtaken by 4"):
        store.writer(BARE, Holding(3)).prepare()
    store.writer(BARE, Holding(4)).prepare()

    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT number, user FROM scope ORDER BY number").fetchall() == [
            (1, FULL.user),
            (2, HISTORY.user),
            (3, RUNS.user),
            (5, BARE.user),
        ]


def test_an_upgraded_file_is_laid_out_as_a_new_one(
    store: SqliteStore, path: Path, tmp_path: Path
) -> None:
    with closing(SqliteStore(tmp_path / "new.db")) as new:
        new.open(*EMBEDDING)

    assert _layout(path) == _layout(tmp_path / "new.db")


def _layout(path: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(path)) as db:
        names = db.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
        (about,) = db.execute("SELECT value FROM about WHERE name = 'layout'").fetchone()
        return {"layout": about} | {
            name: db.execute(f"PRAGMA table_xinfo({name})").fetchall()
            if kind == "table"
            else sql and " ".join(sql.split())
            for kind, name, sql in names
        }


def _cuts() -> list[int]:
    return [*range(1, UPGRADES[3].count(";") + 2)]


@pytest.mark.parametrize("done", _cuts())
def test_a_crash_in_the_middle_of_an_upgrade_leaves_the_older_file_whole(
    path: Path, done: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements = UPGRADES[3].split(";")[:done]
    broken = ";".join([*statements, "SELECT * FROM nowhere"])
    before = dumped(path)
    with monkeypatch.context() as patched, closing(SqliteStore(path)) as store:
        patched.setattr(sqlite_about, "UPGRADES", {3: broken})
        with pytest.raises(sqlite3.OperationalError, match="nowhere"):
            store.open(*EMBEDDING)

    assert dumped(path) == before
    with closing(SqliteStore(path)) as store:
        store.open(*EMBEDDING)
        assert store.count(FULL) == 2


def test_another_embedder_leaves_the_older_file_as_it_is(path: Path) -> None:
    before = dumped(path)
    with closing(SqliteStore(path)) as store, pytest.raises(Misconfigured, match="reembed"):
        store.open("another_8", 8)

    assert dumped(path) == before


def test_several_that_open_an_older_file_at_once_upgrade_it_once(path: Path) -> None:
    together = threading.Barrier(4)

    def counted(_: int) -> int:
        with closing(SqliteStore(path)) as store:
            together.wait()
            store.open(*EMBEDDING)
            return store.count(FULL)

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(counted, range(4))) == [2] * 4


def test_what_an_older_version_removed_is_cleaned_away(store: SqliteStore, path: Path) -> None:
    """It did not overwrite what it removed."""
    (noted,) = _noted(path)
    store.rest()

    assert noted
    assert _noted(path) == []


def _noted(path: Path) -> list[Any]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT value FROM about WHERE name = 'soiled'").fetchall()
