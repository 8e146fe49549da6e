"""The store and Redis calls that a batch needs, without us: what its own time is measured against."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

import numpy as np
from redis import Redis
from weaviate.classes.query import Filter, HybridFusion

from bench.batch.talk import TURNS
from bench.batch.work import Work
from bench.recall.crowd import DIMENSIONS
from schemas.memory import MemoryRecord
from worker.adapters.stores.indexed import words_of
from worker.adapters.stores.weaviate_collections import ARCHIVE, MEMORY, RUN, Embedding
from worker.adapters.stores.weaviate_link import Room
from worker.adapters.stores.weaviate_objects import of_archive, of_memory, of_run
from worker.core.ports import Query

#: Memories that each ranking is asked for.
POOL = 20


class Bare(Protocol):
    def __call__(self, work: Work) -> Sequence[str]:
        """Look up what the facts are near, read what is to be changed, write: the payloads that were found."""
        ...


class BareSqlite:
    """FTS5, and numpy over the vectors, which are read once a batch; then one transaction, as durable as ours."""

    def __init__(self, path: Path, records: Sequence[MemoryRecord]) -> None:
        self._db = db = sqlite3.connect(path, isolation_level=None)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute(
            "CREATE TABLE memory (place INTEGER PRIMARY KEY, id TEXT UNIQUE, payload TEXT, vector BLOB)"
        )
        db.execute("CREATE TABLE archive (id TEXT PRIMARY KEY, payload TEXT, vector BLOB)")
        db.execute("CREATE TABLE run (id TEXT PRIMARY KEY, payload TEXT)")
        db.execute("CREATE VIRTUAL TABLE words USING fts5 (terms)")
        db.execute("BEGIN")
        for record in records:
            self._put(record)
        db.execute("COMMIT")
        db.execute("INSERT INTO words (words) VALUES ('optimize')")

    def __call__(self, work: Work) -> list[str]:
        places, vectors = self._vectors()
        near = {place for one in work.queries for place in self._near(places, vectors, one)}
        worded = {place for one in work.queries for place in self._worded(one)}
        found = self._payloads("place", near | worded)
        self._payloads("id", map(str, work.read))
        self._db.execute("BEGIN IMMEDIATE")
        for archive in work.archives:
            row = str(archive.archive.id), archive.archive.model_dump_json(), archive.vector
            self._db.execute("INSERT INTO archive VALUES (?, ?, ?)", row)
        for record in work.memories:
            self._put(record)
        run = str(work.run.id), work.run.model_dump_json()
        self._db.execute("INSERT INTO run VALUES (?, ?)", run)
        self._db.execute("COMMIT")
        return found

    def close(self) -> None:
        self._db.close()

    def _vectors(self) -> tuple[list[int], np.ndarray]:
        places, vectors = zip(*self._db.execute("SELECT place, vector FROM memory"), strict=True)
        return list(places), np.frombuffer(b"".join(vectors), "<f4").reshape(-1, DIMENSIONS)

    def _near(self, places: list[int], vectors: np.ndarray, query: Query) -> list[int]:
        cosines = np.vecdot(vectors, np.frombuffer(query.vector or b"", "<f4"))
        best = np.argpartition(-cosines, min(POOL, len(cosines)) - 1)[:POOL]
        return [places[at] for at in best.tolist()]

    def _worded(self, query: Query) -> list[int]:
        asked = " OR ".join(f'"{term}"' for term in dict.fromkeys(query.terms))
        found = self._db.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (asked, POOL)
        )
        return [place for (place,) in found]

    def _payloads(self, column: str, values: Iterable[int | str]) -> list[str]:
        wanted = [*values]
        marks = ", ".join("?" * len(wanted))
        rows = self._db.execute(f"SELECT payload FROM memory WHERE {column} IN ({marks})", wanted)  # noqa: S608 - marks
        return [payload for (payload,) in rows]

    def _put(self, record: MemoryRecord) -> None:
        memory = record.memory
        before = self._db.execute(
            "DELETE FROM memory WHERE id = ? RETURNING place", (str(memory.id),)
        ).fetchone()
        if before:
            self._db.execute("DELETE FROM words WHERE rowid = ?", before)
        row = str(memory.id), memory.model_dump_json(), record.vector
        (place,) = self._db.execute(
            "INSERT INTO memory (id, payload, vector) VALUES (?, ?, ?) RETURNING place", row
        ).fetchone()
        words = " ".join(words_of(memory))
        self._db.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", (place, words))


class BareWeaviate:
    """Hybrid queries at once, one fetch by ids, and one `insert_many` for each collection."""

    def __init__(self, room: Callable[[str], Room], embedding: Embedding) -> None:
        """`room` gives one tenant of a collection, filled as ours is."""
        self._memories, self._archives, self._runs = map(room, (MEMORY, ARCHIVE, RUN))
        self._embedding = embedding
        self._pool = ThreadPoolExecutor(4)

    def __call__(self, work: Work) -> list[str]:
        found = [one for some in self._pool.map(self._hybrid, work.queries) for one in some]
        wanted = Filter.by_id().contains_any([*map(str, work.read)])
        self._memories.query.fetch_objects(filters=wanted, return_properties=["payload"])
        embedding = self._embedding
        self._archives.data.insert_many([of_archive(one, embedding) for one in work.archives])
        self._memories.data.insert_many([of_memory(one, embedding) for one in work.memories])
        self._runs.data.insert_many(of_run(work.run)[:1])
        return found

    def close(self) -> None:
        self._pool.shutdown()

    def _hybrid(self, query: Query) -> list[str]:
        answer = self._memories.query.hybrid(
            " ".join(dict.fromkeys(query.terms)),
            vector=np.frombuffer(query.vector or b"", "<f4").tolist(),
            target_vector=self._embedding.vector,
            query_properties=["terms"],
            fusion_type=HybridFusion.RELATIVE_SCORE,
            limit=POOL,
            return_properties=["payload"],
        )
        return [str(one.properties["payload"]) for one in answer.objects]


class BareRedis:
    """Claim, read, keep the plan, commit: one round trip each, with the same bytes."""

    def __init__(self, client: Redis, turns: Sequence[bytes]) -> None:
        self._redis = client
        client.rpush("bare:turns", *turns)
        client.zadd("bare:due", {"scope": 0})

    def __call__(self, work: Work) -> None:
        plan = work.plan.model_dump_json()
        with self._redis.pipeline() as pipe:
            pipe.zpopmin("bare:due")
            pipe.zadd("bare:busy", {"scope": 1})
            pipe.set("bare:lease", 1)
            pipe.incr("bare:fence")
            pipe.execute()
        self._redis.lrange("bare:turns", 0, TURNS - 1)
        self._redis.set("bare:plan", plan)
        with self._redis.pipeline() as pipe:
            pipe.lpop("bare:turns", TURNS)
            pipe.delete("bare:plan", "bare:lease", "bare:busy")
            pipe.set("bare:recent", plan[:1_000])
            pipe.zadd("bare:due", {"scope": 0})
            pipe.execute()
