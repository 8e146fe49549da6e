"""What a process keeps of a scope to search it: it is what the file holds, whoever wrote to it, and has a bound."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.memory import MemoryRecord
from schemas.scope import Scope
from tests.build import memory, vector
from tests.hold import HELD
from worker.adapters.stores import sqlite_index, sqlite_writer
from worker.adapters.stores.sqlite import SqliteStore
from worker.adapters.stores.sqlite_index import KEPT_POSTINGS, Index, Indexes
from worker.core.ports import Query

EMBEDDING = ("tests_8", 8)
WORDS = ("tea", "rum", "gin", "tea and rum")
#: Whether this process writes, what it does, to what, and whether it searches afterwards.
Acts = list[tuple[bool, str, str, bool]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with closing(SqliteStore(path)) as opened:
        opened.open(*EMBEDDING)
        yield opened


@pytest.fixture
def scope() -> Scope:
    return Scope(app="acme", user="ann")


def record(scope: Scope, text: str) -> MemoryRecord:
    return MemoryRecord(memory=memory(text, scope=scope), vector=vector(text))


def index_of(store: SqliteStore) -> Index:
    (kept,) = store._indexes._kept.values()
    return kept.index


def indexed(store: SqliteStore, many: int) -> int:
    """Ask so many scopes of two memories, and the first again; the bytes of one index."""
    scopes = [Scope(app=f"test-{uuid4()}", user="ann") for _ in range(many)]
    for scope in scopes:
        store.writer(scope, HELD).prepare()
        store.writer(scope, HELD).put_memories([record(scope, "x"), record(scope, "y")])
    for scope in (*scopes, scopes[0]):
        assert len(store.nominate(scope, [Query(vector("x"))], 5).rankings[0].by_vector) == 2
    return max((one.index.size_bytes for one in store._indexes._kept.values()), default=0)


def test_indexes_beyond_the_budget_are_let_go(store: SqliteStore) -> None:
    size = indexed(store, 1)
    store._indexes = Indexes(budget_bytes=2 * size)

    indexed(store, 3)

    assert list(store._indexes._kept) == [4, 2]


def test_an_index_beyond_the_budget_is_kept_alone_unless_it_is_huge(store: SqliteStore) -> None:
    size = indexed(store, 1)
    store._indexes = Indexes(budget_bytes=size // 2, largest_bytes=size)
    indexed(store, 2)
    assert list(store._indexes._kept) == [2]

    store._indexes = Indexes(budget_bytes=size // 2, largest_bytes=size - 1)
    indexed(store, 1)
    assert not store._indexes._kept


def test_postings_are_read_once_for_each_state_of_a_scope(store: SqliteStore, scope: Scope) -> None:
    def found(word: str) -> int:
        nominated = store.nominate(scope, [Query(None, terms=(word,))], 5)
        return len(nominated.rankings[0].by_words)

    writer = store.writer(scope, HELD)
    writer.prepare()
    writer.put_memories([record(scope, "tea"), record(scope, "tea and rum")])
    assert [found("tea"), found("rum"), found("gin")] == [2, 1, 0]
    index = index_of(store)
    assert index.lately.holders == {"tea": 2, "rum": 1}

    writer.put_memories([record(scope, "gin")])
    assert [found("tea"), found("rum"), found("gin")] == [2, 1, 1]


def test_a_record_that_another_process_changed_is_read_anew(
    store: SqliteStore, path: Path, scope: Scope
) -> None:
    def texts() -> set[str]:
        found = store.nominate(scope, [Query(vector("tea"))], 5).records.values()
        return {one.memory.text for one in found}

    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([record(scope, "tea"), record(scope, "rum")])
    assert texts() == texts() == {"tea", "rum"}
    index = index_of(store)
    assert {one.memory.text for one, _ in index.lately.records.values()} == {"tea", "rum"}

    with closing(SqliteStore(path)) as another:
        another.open(*EMBEDDING)
        tea = record(scope, "tea")
        changed = tea.memory.model_copy(update={"text": "green tea", "version": 2})
        another.writer(scope, HELD).put_memories([tea.model_copy(update={"memory": changed})])
        another.writer(scope, HELD).remove_memories([record(scope, "rum").memory.id])
    assert texts() == {"green tea"}


@example([(True, "put", "tea", True), (True, "change", "tea", True), (True, "remove", "tea", True)])
@example([(True, "put", "tea", True), (False, "remove", "tea", False), (True, "put", "rum", True)])
@given(
    st.lists(
        st.tuples(
            st.booleans(),
            st.sampled_from(["put", "change", "remove"]),
            st.sampled_from(WORDS),
            st.booleans(),
        ),
        max_size=8,
    )
)
@settings(max_examples=25, deadline=None)
def test_whoever_writes_what_a_search_finds_what_is_there(acts: Acts) -> None:
    scope = Scope(app="acme", user="ann")
    with TemporaryDirectory() as folder, ExitStack() as stack:
        ours, other = (
            stack.enter_context(closing(SqliteStore(Path(folder) / "store.db"))) for _ in range(2)
        )
        for store in (ours, other):
            store.open(*EMBEDDING)
        ours.writer(scope, HELD).prepare()
        for is_ours, act, text, is_searched in acts:
            one = record(scope, text)
            writer = (ours if is_ours else other).writer(scope, HELD)
            if act == "remove":
                writer.remove_memories([one.memory.id])
            else:
                says = text if act == "put" else f"{text} now"
                told = one.memory.model_copy(update={"text": says, "subject": says})
                writer.put_memories([MemoryRecord(memory=told, vector=vector(says))])
            if not is_searched:
                continue
            with closing(SqliteStore(Path(folder) / "store.db")) as fresh:
                fresh.open(*EMBEDDING)
                queries = [
                    Query(vector(says), tuple(says.split()), subject=subject)
                    for says in (text, f"{text} now")
                    for subject in (None, text)
                ]
                assert ours.nominate(scope, queries, 5) == fresh.nominate(scope, queries, 5)


def test_after_a_write_of_ours_only_what_was_written_is_read(
    store: SqliteStore, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search() -> None:
        store.nominate(scope, [Query(vector("tea"))], 5)

    writer = store.writer(scope, HELD)
    writer.prepare()
    writer.put_memories([record(scope, "tea"), record(scope, "rum")])
    search()
    monkeypatch.setattr(sqlite_index, "load_index", None)

    writer.put_memories([record(scope, "gin")])
    writer.remove_memories([record(scope, "rum").memory.id])
    search()

    read = {one.memory.text for one, _ in index_of(store).lately.records.values()}
    assert len(index_of(store).ids) == 2
    assert read == {"tea", "gin"}


def test_a_write_that_failed_is_none(
    store: SqliteStore, path: Path, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    def texts() -> set[str]:
        found = store.nominate(scope, [Query(vector("tea"))], 5).records.values()
        return {one.memory.text for one in found}

    def broken(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([record(scope, "tea")])
    assert texts() == {"tea"}
    with monkeypatch.context() as patched:
        patched.setattr(sqlite_writer, "put_memory", broken)
        with pytest.raises(sqlite3.OperationalError):
            store.writer(scope, HELD).put_memories([record(scope, "rum")])
    with closing(SqliteStore(path)) as another:
        another.open(*EMBEDDING)
        another.writer(scope, HELD).put_memories([record(scope, "gin")])

    assert texts() == {"tea", "gin"}


def test_records_that_are_kept_have_a_bound(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_index, "KEPT_RECORDS", 5)

    indexed(store, 4)

    kept = [len(one.index.lately.records) for one in store._indexes._kept.values()]
    assert 0 < sum(kept) <= 5


def test_postings_that_are_kept_have_a_bound(store: SqliteStore, scope: Scope) -> None:
    texts = [" ".join(f"w{at}x{n}" for n in range(30)) for at in range(2)]
    writer = store.writer(scope, HELD)
    writer.prepare()
    writer.put_memories([record(scope, text) for text in texts])

    for term in " ".join(texts).split():
        store.nominate(scope, [Query(None, terms=(term,))], 5)

    index = index_of(store)
    assert 0 < len(index.lately.postings) <= 2 * KEPT_POSTINGS
