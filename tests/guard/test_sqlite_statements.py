"""Statements that a SQLite store runs, by what is done."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from schemas.scope import Scope
from tests.guard.agreed import Counts, agree
from tests.guard.conftest import at_desk
from tests.guard.store_acts import CASES, UNCHANGED
from tests.weaviate_service import opened

#: Transactions that read and that write, and the statements in them.
STATEMENTS: dict[str, Counts] = {
    "settling the first batch of a scope": {
        "reads": 10,
        "statements": 62,
        "commits": 14,
        "writes": 4,
    },
    "settling a batch of ten turns": {"reads": 10, "statements": 139, "commits": 15, "writes": 5},
    "settling a batch of chat": {"reads": 8, "statements": 27, "commits": 10, "writes": 2},
    "settling a batch whose plan was kept": {
        "reads": 5,
        "statements": 100,
        "commits": 10,
        "writes": 5,
    },
    "recalling": {"reads": 1, "statements": 15, "commits": 1},
    "recalling what is known of somebody": {"reads": 1, "statements": 2, "commits": 1},
    "a night over what changed": {"reads": 34, "statements": 79, "commits": 39, "writes": 5},
    "a night over what is as it was": {"reads": 17, "statements": 28, "commits": 18, "writes": 1},
}


@pytest.mark.parametrize("case", STATEMENTS)
def test_sqlite_runs(
    case: str, tmp_path: Path, embedding: tuple[str, int], counted: Redis, scope: Scope
) -> None:
    with traced() as ran:
        for store in opened(f"sqlite:///{tmp_path / 'traced.db'}", embedding):
            table = at_desk(store, counted, scope)
            with CASES[case](table) as act:
                ran.clear()
                act()
                found = Counter(map(_kind, ran))

    agree(case, found, STATEMENTS[case], f"STATEMENTS[{case!r}]", __file__)


def _kind(statement: str) -> str:
    known = {"BEGIN": "reads", "BEGIN IMMEDIATE": "writes", "COMMIT": "commits"}
    return known.get(statement, "statements")


@contextmanager
def traced() -> Iterator[list[str]]:
    """Statements of all connections that are made inside, without those of triggers."""
    ran, connect = list[str](), sqlite3.connect

    def heard(statement: str) -> None:
        if not statement.startswith("--"):
            ran.append(statement)

    def connected(*args: Any, **options: Any) -> sqlite3.Connection:
        db: sqlite3.Connection = connect(*args, **options)
        db.set_trace_callback(heard)
        return db

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", connected)
        yield ran


def test_a_night_over_what_is_as_it_was_is_agreed_to_write_nothing_but_its_fence() -> None:
    assert STATEMENTS[UNCHANGED]["writes"] == 1
