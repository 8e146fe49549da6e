"""What very many scopes cost a Weaviate server while those that nobody works with rest: `python -m bench scopes`."""

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn
from uuid import uuid4

import numpy as np

from bench.figures import Figure, at_most, percentile, show
from deploy.weaviate_process import Place, free_block, launch, ready, stop
from deploy.weaviate_server import working
from schemas.base import Vector
from schemas.memory import Memory, MemoryRecord
from schemas.scope import Scope
from worker.adapters.stores.opening import open_store
from worker.adapters.stores.weaviate_tuning import Tuning
from worker.core.ports import Query, Store

DIMENSIONS = 384
NOW = datetime(2026, 1, 1, tzinfo=UTC)
#: Scopes that are written between two rests; scopes that are touched; scopes that are erased.
PORTION = 500
SAMPLE = 500
ERASED = 20
#: A server for many scopes is not kept as small as one for tests.
ENVIRONMENT = {"GOMEMLIMIT": "8GiB"}


class Unleased:
    """A lease that nobody else wants."""

    fence = 1

    def check(self) -> None:
        pass

    def overtaken(self, fence: int) -> NoReturn:
        raise AssertionError(f"fence {fence} in a store of the bench's own")


@dataclass(frozen=True)
class Weight:
    """What a process takes."""

    megabytes: float
    files: int

    @classmethod
    def of(cls, pid: int) -> "Weight":
        status = Path(f"/proc/{pid}/status").read_text().splitlines()
        fields = dict(line.split(":", 1) for line in status)
        files = sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
        return cls(int(fields["VmRSS"].split()[0]) / 1024, files)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench scopes", description=__doc__)
    parser.add_argument("--scopes", type=int, default=1_000, help="(1000)")
    parser.add_argument("--memories", type=int, default=5, help="of each scope (5)")
    parser.add_argument("--active", type=int, default=200, help="scopes that stay awake (200)")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    options = parser.parse_args(arguments)
    owners = [Scope(app="bench", user=f"user{at}") for at in range(options.scopes)]
    with tempfile.TemporaryDirectory(prefix="slowwave-bench-") as folder:
        place = Place(working(), Path(folder), free_block(), ENVIRONMENT)
        figures = [
            *_while_filled(place, owners, options.memories, options.active),
            *_after_restart(place, owners, options.active),
            Figure("disk", _size(place.data) / 1e6 / len(owners), "MB a scope"),
        ]
    title = f"{options.scopes:,} scopes of {options.memories} memories, {options.active:,} awake"
    show(title, figures, as_json=options.json)
    return 0


@contextmanager
def _serving(place: Place, active: int) -> Iterator[tuple[Store, int, float]]:
    """The store, the server's process, and how many seconds it took to start."""
    began = time.perf_counter()
    process = launch(place)
    try:
        server = ready(place, process)
        seconds = time.perf_counter() - began
        tuning = Tuning(rest_seconds=86_400, active_scopes=active)
        with closing(open_store(server.url, tuning=tuning)) as store:
            store.open("bench_384", DIMENSIONS)
            yield store, server.pid, seconds
    finally:
        stop(process)


def _while_filled(
    place: Place, owners: Sequence[Scope], memories: int, active: int
) -> Iterator[Figure]:
    with _serving(place, active) as (store, pid, _):
        empty = Weight.of(pid)
        seconds = [_fill(store, owner, memories) for owner in _resting(store, owners)]
        _rest(store)
        full = Weight.of(pid)
        yield Figure("server without scopes", empty.megabytes, "MB")
        yield Figure("server with all of them", full.megabytes, "MB")
        yield Figure("its open files without scopes", empty.files)
        yield Figure("its open files with all of them", full.files)
        yield from _two("making a scope and its memories", seconds)
        sample = random.Random(1).sample(owners[:-active], min(SAMPLE, len(owners) - active))
        yield from _two("recall in a resting scope", [_recall(store, one) for one in sample])
        # Those that were touched last are awake still.
        awake = sample[-active:]
        yield from _two("recall in one that is awake", [_recall(store, one) for one in awake])
        rested = _seconds(lambda: _rest(store))
        yield Figure("putting to rest what was touched", rested * 1000 / len(sample), "ms a scope")


def _after_restart(place: Place, owners: Sequence[Scope], active: int) -> Iterator[Figure]:
    with _serving(place, active) as (store, pid, seconds):
        yield Figure("restart until it serves", seconds, "s")
        yield Figure("server after the restart", Weight.of(pid).megabytes, "MB")
        gone = random.Random(2).sample(owners, ERASED)
        yield from _two("erasing a scope", [_erase(store, one) for one in gone])
        yield at_most("of those erased, memories left", sum(map(store.count, gone)), 0)


def _resting(store: Store, owners: Sequence[Scope]) -> Iterator[Scope]:
    """All of them, with a rest from time to time, as a worker takes it."""
    for at, owner in enumerate(owners):
        yield owner
        if at % PORTION == PORTION - 1:
            store.rest()


def _rest(store: Store) -> None:
    while store.rest():
        pass


def _fill(store: Store, owner: Scope, memories: int) -> float:
    writer = store.writer(owner, Unleased())
    records = [_record(owner, at) for at in range(memories)]
    return _seconds(writer.prepare) + _seconds(lambda: writer.put_memories(records))


def _record(owner: Scope, at: int) -> MemoryRecord:
    memory = Memory(
        id=uuid4(),
        scope=owner,
        version=1,
        text=f"Crate {at} of {owner.user} stands in the yard behind the boat house.",
        subject="user",
        said_by="user",
        turn_ids=(uuid4(),),
        said_at=NOW,
        created_at=NOW,
        updated_at=NOW,
        last_confirmed_at=NOW,
        last_run=uuid4(),
    )
    return MemoryRecord(memory=memory, vector=_vector())


def _vector() -> Vector:
    numbers = np.random.default_rng().normal(size=DIMENSIONS)
    return (numbers / np.linalg.norm(numbers)).astype("<f4").tobytes()


def _recall(store: Store, owner: Scope) -> float:
    query = Query(_vector(), terms=("crate", "yard"))
    return _seconds(lambda: store.nominate(owner, [query], 20))


def _erase(store: Store, owner: Scope) -> float:
    return _seconds(lambda: store.writer(owner, Unleased()).erase(NOW))


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _two(name: str, seconds: Iterable[float]) -> Iterator[Figure]:
    found = [1000 * one for one in seconds]
    yield Figure(f"{name}, p50", percentile(found, 0.5), "ms")
    yield Figure(f"{name}, p99", percentile(found, 0.99), "ms")


def _size(folder: Path) -> int:
    """Bytes on disk, as blocks are counted."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))
