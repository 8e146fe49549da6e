"""What only a store in one file can get wrong: other processes, the disk, the file itself."""

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from schemas.memory import MemoryRecord
from schemas.scope import Scope
from tests.build import memory, uid, vector
from tests.hold import HELD
from worker.adapters.stores import sqlite_file
from worker.adapters.stores.sqlite import SqliteStore
from worker.core.ports import Query
from worker.errors import Misconfigured, Unavailable

ROOT = Path(__file__).parents[4]
EMBEDDING = ("tests_8", 8)
BATCH = 20

WRITER = """
    import sys
    from pathlib import Path
    from schemas.memory import MemoryRecord
    from schemas.scope import Scope
    from tests.build import memory, uid, vector
    from tests.hold import HELD
    from worker.adapters.stores.sqlite import SqliteStore

    path, user, batches = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    scope = Scope(app="processes", user=user)
    store = SqliteStore(path)
    store.open("tests_8", 8)
    store.writer(scope, HELD).prepare()
    for batch in range(batches):
        store.writer(scope, HELD).put_memories([
            MemoryRecord(
                memory=memory(f"{batch} word{n}", scope=scope, id=uid(f"{batch} {n}")),
                vector=vector(str(n)),
            )
            for n in range(20)
        ])
        print(batch, flush=True)
    store.close()
"""


def start(path: Path, user: str, batches: int) -> subprocess.Popen[str]:
    return run(WRITER, path, user, batches)


def run(program: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program), *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(path)
    opened.open(*EMBEDDING)
    yield opened
    opened.close()


def record(scope: Scope, text: str) -> MemoryRecord:
    return MemoryRecord(memory=memory(text, scope=scope), vector=vector(text))


def test_processes_open_and_write_a_new_file_at_once(path: Path) -> None:
    writers = [start(path, user, 5) for user in ("ann", "ann", "ben")]
    for writer in writers:
        writer.communicate(timeout=60)

    assert [writer.returncode for writer in writers] == [0, 0, 0]
    store = SqliteStore(path)
    store.open(*EMBEDDING)
    for user in ("ann", "ben"):
        assert store.count(Scope(app="processes", user=user)) == 5 * BATCH
    store.close()


@pytest.mark.parametrize("batches_before", [1, 7])
def test_a_writer_killed_halfway_leaves_whole_batches_only(path: Path, batches_before: int) -> None:
    scope = Scope(app="processes", user="ann")
    with start(path, "ann", 100_000) as writer:
        assert writer.stdout is not None
        for _ in range(batches_before):
            writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        acknowledged = batches_before + len(writer.stdout.readlines())
    store = SqliteStore(path)
    store.open(*EMBEDDING)

    texts = [one.memory.text for one in store.memories(scope)]
    found = store.nominate(scope, [Query(vector("0"), ("word0",))], pool=100_000).rankings[0]

    assert len(texts) in {BATCH * acknowledged, BATCH * (acknowledged + 1)}
    assert len(found.by_vector) == len(texts)
    assert len(found.by_words) == len(texts) / BATCH
    store.close()


def test_what_another_process_wrote_is_found_at_once(store: SqliteStore, path: Path) -> None:
    scope = Scope(app="processes", user="ann")
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([record(scope, "mine")])
    assert store.nominate(scope, [Query(vector("0"))], 100).rankings[0].by_vector != ()

    assert start(path, "ann", 1).communicate(timeout=60)[0] == "0\n"

    ranking = store.nominate(scope, [Query(vector("0"), ("word3",))], 100).rankings[0]
    assert len(ranking.by_vector) == BATCH + 1
    assert ranking.by_words == (uid("0 3"),)


def test_a_file_opened_twice_by_one_process_survives_that_another_has_closed_it(
    store: SqliteStore, path: Path, scope: Scope
) -> None:
    with closing(SqliteStore(path)) as second:
        second.open(*EMBEDDING)
        writer = store.writer(scope, HELD)
        writer.prepare()
        writer.put_memories([record(scope, "before")])

        assert start(path, "ann", 1).communicate(timeout=60)[0] == "0\n"

        assert path.with_name("memory.db-wal").exists()
        writer.put_memories([record(scope, "after")])
        assert start(path, "ben", 1).communicate(timeout=60)[0] == "0\n"
    store.close()

    with closing(SqliteStore(path)) as later:
        later.open(*EMBEDDING)
        assert {one.memory.text for one in later.memories(scope)} == {"before", "after"}
        assert later.count(Scope(app="processes", user="ann")) == BATCH


def test_a_full_disk_stores_nothing_by_halves(store: SqliteStore, path: Path, scope: Scope) -> None:
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([record(scope, "before")])
    with store._file.reading() as db:
        (pages,) = db.execute("PRAGMA page_count").fetchone()
        db.execute(f"PRAGMA max_page_count = {pages + 3}")

    with pytest.raises(Unavailable, match=rf"{path}.*full: make room"):
        store.writer(scope, HELD).put_memories(
            [record(scope, f"text {n} " * 50) for n in range(200)]
        )

    assert [one.memory.text for one in store.memories(scope)] == ["before"]
    store.writer(scope, HELD).put_memories([record(scope, "after")])
    assert store.count(scope) == 2


def test_a_locked_file_is_unavailable(
    store: SqliteStore, path: Path, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.writer(scope, HELD).prepare()
    store.close()
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.01)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(Unavailable, match=rf"{path}.*another process") as caught:
        store.writer(scope, HELD).put_memories([record(scope, "x")])
    assert (caught.value.part, caught.value.may_be_text) == ("store", False)
    assert store.count(scope) == 0

    other.close()
    store.writer(scope, HELD).put_memories([record(scope, "x")])
    assert store.count(scope) == 1


def _plain_text(path: Path) -> None:
    path.write_text("This is no database, it is a text of some length.\n" * 100)


def _other_tables(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE invoice (number INTEGER)")
    db.close()


def _damaged(path: Path) -> None:
    store = SqliteStore(path)
    store.open(*EMBEDDING)
    store.close()
    content = bytearray(path.read_bytes())
    content[100:] = b"\xff" * (len(content) - 100)
    path.write_bytes(content)


def _newer_layout(path: Path) -> None:
    store = SqliteStore(path)
    store.open(*EMBEDDING)
    store.close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE about SET value = '99' WHERE name = 'layout'")
    db.close()


@pytest.mark.parametrize(
    "spoil, why",
    [
        (_plain_text, "no SQLite database"),
        (_other_tables, "other tables"),
        (_damaged, "damaged"),
        (_newer_layout, "layout 99"),
        (Path.mkdir, "must name a file"),
    ],
)
def test_a_file_that_is_no_store_is_named_and_left_alone(
    path: Path, spoil: Callable[[Path], None], why: str
) -> None:
    spoil(path)
    before = path.read_bytes() if path.is_file() else None
    store = SqliteStore(path)

    with pytest.raises(Misconfigured, match=why) as caught:
        store.open(*EMBEDDING)

    assert str(path) in str(caught.value)
    store.close()
    if before is not None:
        assert path.read_bytes() == before


def test_a_path_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = SqliteStore(tmp_path / "file" / "memory.db")

    with pytest.raises(Misconfigured, match=r"memory\.db.*SLOWWAVE_STORE_URL"):
        store.open(*EMBEDDING)


def test_a_file_removed_while_in_use_does_not_come_back_empty(
    store: SqliteStore, path: Path, scope: Scope
) -> None:
    store.writer(scope, HELD).prepare()
    store.close()
    for left in path.parent.glob("memory.db*"):
        left.unlink()

    with pytest.raises(Misconfigured, match=str(path)):
        store.writer(scope, HELD).put_memories([record(scope, "x")])
    assert not path.exists()


def _gone(path: Path) -> None:
    for left in path.parent.glob("memory.db*"):
        left.unlink()


def _replaced(path: Path) -> None:
    # Moved and not removed: a new file may get the number of one that nobody has open.
    path.rename(path.with_name("before.db"))
    _gone(path)
    with closing(SqliteStore(path)) as another:
        another.open(*EMBEDDING)


@pytest.mark.parametrize("change", [_gone, _replaced])
@pytest.mark.parametrize("idle", [True, False], ids=["idle", "closed"])
def test_nothing_is_written_to_a_file_that_is_no_longer_at_its_path(
    store: SqliteStore, path: Path, scope: Scope, change: Callable[[Path], None], idle: bool
) -> None:
    store.writer(scope, HELD).prepare()
    if not idle:
        store.close()
    change(path)

    for call in (
        lambda: store.writer(scope, HELD).put_memories([record(scope, "x")]),
        lambda: store.count(scope),
    ):
        with pytest.raises(Misconfigured, match=str(path)):
            call()


def test_a_store_opened_again_works_on_the_file_that_is_there(
    store: SqliteStore, path: Path, scope: Scope
) -> None:
    _gone(path)

    store.open(*EMBEDDING)
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([record(scope, "x")])

    with closing(SqliteStore(path)) as another:
        another.open(*EMBEDDING)
        assert another.count(scope) == 1


def test_only_its_owner_can_read_the_file(store: SqliteStore, path: Path, scope: Scope) -> None:
    store.writer(scope, HELD).prepare()

    assert {file.stat().st_mode & 0o777 for file in path.parent.glob("memory.db*")} == {0o600}


def test_an_empty_store_takes_another_embedder(store: SqliteStore, scope: Scope) -> None:
    store.writer(scope, HELD).prepare()
    query = Query(vector("x"))
    assert store.nominate(scope, [query], 5).rankings[0].by_vector == ()
    store.open("other_4", 4)
    assert store.nominate(scope, [Query(vector("x", 4))], 5).rankings[0].by_vector == ()
    store.writer(scope, HELD).put_memories(
        [MemoryRecord(memory=memory("x", scope=scope), vector=vector("x", 4))]
    )

    assert store.count(scope) == 1


FORK = """
    import os, sys
    from pathlib import Path
    from schemas.scope import Scope
    from tests.hold import HELD
    from worker.adapters.stores.sqlite import SqliteStore

    store, scope = SqliteStore(Path(sys.argv[1])), Scope(app="processes", user="ann")
    store.open("tests_8", 8)
    child = os.fork()
    store.writer(scope, HELD).prepare()
    assert store.count(scope) == 0
    store.close()
    sys.exit(os.waitpid(child, 0)[1] if child else 0)
"""


def test_parent_and_forked_child_both_use_the_store(path: Path) -> None:
    with run(FORK, path) as forking:
        assert forking.wait(timeout=60) == 0
