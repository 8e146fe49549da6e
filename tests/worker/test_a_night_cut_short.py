"""Two workers, two beats, a drain and a night in one scope, and `kill -9` in the middle of a plan."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from uuid import UUID

import pytest

from producers.producer import Producer
from schemas.memory import MemoryRecord
from schemas.scope import Scope
from tests.build import at, memory, uid
from tests.hold import HELD
from tests.redis_service import RedisServer
from tests.worker.mortal_sleeper import LAST, PLANS
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.adapters.inbox import Inbox
from worker.adapters.redis_server import connect
from worker.adapters.stores.sqlite import SqliteStore
from worker.core.sleeping.again import Bedtime

ROOT = Path(__file__).parents[2]
ANN = Scope(app="acme", user="ann")
THINGS = "tea coffee skiing chess rowing opera pottery baking fencing sailing hiking jazz".split()
WAIT_SECONDS = 60


def settings(folder: Path, redis_url: str) -> dict[str, str]:
    return {
        "SLOWWAVE_REDIS_URL": redis_url,
        "SLOWWAVE_STORE_URL": f"sqlite:///{folder / 'memory.db'}",
        "SLOWWAVE_DATA_DIR": str(folder),
        "SLOWWAVE_EMBEDDER": "hash",
        "SLOWWAVE_QUIET_SECONDS": "0",
        "SLOWWAVE_LEASE_SECONDS": "3",
        "SLOWWAVE_CONCURRENCY": "2",
        "SLOWWAVE_SLEEP_QUIET_SECONDS": "0",
        "SLOWWAVE_SLEEP_GROUPS": "2",
        "SLOWWAVE_SLEEP_MAX_SHARE": "1",
    }


@contextmanager
def running(
    folder: Path, name: str, *arguments: str, **own: str
) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.worker.mortal_sleeper", *arguments],
            env={**os.environ, **own},
            cwd=ROOT,
            stdout=log,
            stderr=log,
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_until(what: Callable[[], bool], folder: Path) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not what():
        said = "\n".join(log.read_text()[-3000:] for log in sorted(folder.glob("*.log")))
        assert time.monotonic() < deadline, said
        time.sleep(0.05)


def events(folder: Path, name: str) -> list[dict[str, str]]:
    lines = [line for log in folder.glob("worker*.log") for line in log.read_text().splitlines()]
    found = [json.loads(line) for line in lines if line.startswith("{")]
    return [one for one in found if one.get("event") == name]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """A scope in which everything is known twice."""
    embedder = HashedEmbedder()
    with closing(SqliteStore(tmp_path / "memory.db")) as store:
        store.open(embedder.fingerprint, embedder.dimensions)
        texts = [f"Likes {one}" for one in THINGS] + [f"The user likes {one}." for one in THINGS]
        records = [
            MemoryRecord(
                memory=memory(text, scope=ANN, said_at=at(day - 300), last_run=uid("batch")),
                vector=vector,
            )
            for day, (text, vector) in enumerate(zip(texts, embedder.embed(texts), strict=True))
        ]
        writer = store.writer(ANN, HELD)
        writer.prepare()
        writer.put_memories(records)
        yield store


def test_a_night_that_was_cut_short_is_gone_on_with_and_every_promise_holds(
    store: SqliteStore, redis_server: RedisServer, tmp_path: Path
) -> None:
    own = settings(tmp_path, redis_server.url)
    with ExitStack() as stack:
        redis = stack.enter_context(connect(redis_server.url))
        inbox = Inbox(redis)
        # Only the calendar makes it due in time.
        inbox.sleepers.due(ANN.key, Bedtime(after_seconds=3600))
        workers = [
            stack.enter_context(running(tmp_path, f"worker{at}", "worker", **own))
            for at in range(2)
        ]
        for at in range(2):
            schedule = str(tmp_path / f"schedule{at}")
            stack.enter_context(running(tmp_path, f"beat{at}", "beat", schedule, **own))

        wait_until(lambda: int(redis.get(PLANS) or 0) > 0, tmp_path)
        line = {"app": "acme", "user": "ann", "role": "user", "text": "I live in Oslo."}
        assert Producer(redis).publish(line).status == "accepted"
        wait_until(lambda: any(one.poll() is not None for one in workers), tmp_path)
        wait_until(lambda: store.count(ANN) == len(THINGS) + 1 and inbox.idle(), tmp_path)
        wait_until(lambda: not (inbox.status().sleep_due or inbox.status().asleep), tmp_path)
        status, parked = inbox.status(), inbox.parked(ANN.key)
        plans = int(redis.get(PLANS) or 0)

    assert sorted(one.returncode for one in workers) == [-9, 0]
    assert plans > LAST
    assert (status.pending_turns, status.plan_replays, parked) == (0, 0, [])
    _every_change_is_in_one_run_and_no_version_is_missing(store)
    called = Counter(one["slot"] for one in events(tmp_path, "called_to_sleep"))
    assert called
    assert set(called.values()) == {1}


def _every_change_is_in_one_run_and_no_version_is_missing(store: SqliteStore) -> None:
    runs = list(store.runs(ANN))
    assert {run.state for run in runs} == {"applied"}
    retired = Counter(
        change.memory_id for run in runs for change in run.changes if change.kind == "retire"
    )
    assert set(retired.values()) == {1}
    live = {one.memory.id: one.memory for one in store.memories(ANN)}
    assert len(retired) == len(THINGS)
    assert retired.keys().isdisjoint(live)
    versions: dict[UUID, list[int]] = {}
    for record in store.archives(ANN):
        archive = record.archive
        assert archive.run in {run.id for run in runs}
        assert archive.why
        versions.setdefault(archive.memory.id, []).append(archive.memory.version)
    for id, found in versions.items():
        last = live[id].version - 1 if id in live else len(found)
        assert found == [*range(1, last + 1)]
