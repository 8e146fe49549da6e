"""What a store keeps of eight facts, and of four revisions: rows, objects and bytes."""

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
from redis import Redis

from deploy.weaviate_process import Server
from schemas.scope import Scope
from tests.desk import Desk, scripted
from tests.guard import scene
from tests.guard.agreed import Counts, agree
from tests.guard.conftest import at_desk
from tests.weaviate_service import opened
from worker.adapters.stores.weaviate import WeaviateStore
from worker.adapters.stores.weaviate_collections import TENANTED

#: Of each table of SQLite, and of each collection of Weaviate, after each step.
ROWS: dict[str, Counts] = {
    "eight facts": {
        "about": 3,
        "scope": 1,
        "sqlite_sequence": 1,
        "fence": 1,
        "memory": 8,
        "vector": 8,
        "posting": 48,
        "run": 1,
        "run_turn": 8,
    },
    "four of them revised": {
        "about": 3,
        "scope": 1,
        "sqlite_sequence": 1,
        "fence": 1,
        "memory": 8,
        "vector": 8,
        "posting": 48,
        "archive": 4,
        "run": 2,
        "run_turn": 18,
    },
}
#: A run is two objects once it is finished: as it was opened, and as it ended.
OBJECTS: dict[str, Counts] = {
    "eight facts": {"MemoryRun": 2, "Memory": 8},
    "four of them revised": {"MemoryRun": 4, "MemoryArchive": 4, "Memory": 8},
}

#: Bytes of what SQLite keeps of one memory besides its index: of its record, and of its vector of 64 numbers.
BYTES: Counts = {"of a record": range(600, 1000), "of a vector": 256}


def learn(table: Desk, step: str) -> None:
    scene.say_what_is_known(table)
    if step == "eight facts":
        return
    with scripted(table, scene.JUDGE):
        scene.say(table, *scene.TEN_TURNS, days=30)
        table.settle()
    assert len(table.archives()) == len(scene.CHANGES)


@pytest.mark.parametrize("step", ROWS)
def test_sqlite_keeps(table: Desk, tmp_path: Path, step: str) -> None:
    learn(table, step)
    table.parts.store.close()

    with closing(sqlite3.connect(tmp_path / "memory.db")) as db:
        names = [
            name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        found = {name: db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names}  # noqa: S608

    agree(step, found, ROWS[step], f"ROWS[{step!r}]", __file__)


def test_a_memory_takes(table: Desk, tmp_path: Path) -> None:
    learn(table, "eight facts")
    table.parts.store.close()

    with closing(sqlite3.connect(tmp_path / "memory.db")) as db:
        record, vector = db.execute(
            "SELECT avg(length(CAST(payload AS BLOB))), avg(length(vector)) FROM memory JOIN vector USING (place)"
        ).fetchone()

    found = {"of a record": round(record), "of a vector": round(vector)}
    agree("a memory", found, BYTES, "BYTES", __file__)


@pytest.mark.parametrize("step", OBJECTS)
def test_weaviate_keeps(
    weaviate_server: Server, embedding: tuple[str, int], counted: Redis, step: str
) -> None:
    scope, found = Scope(app=f"guard-{uuid4()}", user="ann"), Counter[str]()
    for store in opened(f"{weaviate_server.url}&prefix=Guard", embedding):
        learn(at_desk(store, counted, scope), step)
        link: Any = cast("WeaviateStore", store)._link
        collections = link._here().client.collections
        for name in TENANTED:
            room = collections.use(link.address.prefix + name).with_tenant(scope.key)
            found[name] = room.aggregate.over_all(total_count=True).total_count

    agree(step, found, OBJECTS[step], f"OBJECTS[{step!r}]", __file__)
