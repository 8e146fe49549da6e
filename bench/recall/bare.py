"""The hybrid query of a store without us: what recall is measured against."""

import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from weaviate.classes.query import HybridFusion

from bench.recall.crowd import Crowd, Matrix
from schemas.memory import MemoryRecord
from worker.adapters.stores.weaviate_link import Room
from worker.core.texts.words import terms

#: By place of the question: the texts that the store finds.
Bare = Callable[[int], Sequence[str]]


class BareSqlite:
    """FTS5 and numpy over vectors in memory, then the rows of what either found. One connection for each thread."""

    def __init__(
        self, path: Path, crowd: Crowd, records: Sequence[MemoryRecord], pool: int
    ) -> None:
        self._path, self._crowd, self._pool = path, crowd, pool
        self._vectors: Matrix = crowd.vectors
        self._mine = threading.local()
        db = self._db()
        db.execute("CREATE TABLE memory (place INTEGER PRIMARY KEY, payload TEXT NOT NULL)")
        db.execute("CREATE VIRTUAL TABLE words USING fts5 (terms, content='')")
        for at, one in enumerate(records):
            db.execute("INSERT INTO memory VALUES (?, ?)", (at, one.memory.model_dump_json()))
            row = at, " ".join(terms(one.memory.text))
            db.execute("INSERT INTO words (rowid, terms) VALUES (?, ?)", row)
        db.execute("INSERT INTO words (words) VALUES ('optimize')")
        db.commit()

    def __call__(self, at: int) -> list[str]:
        places = [*self._near(at), *self._worded(at)]
        marks = ", ".join("?" * len(places))
        rows = self._db().execute(f"SELECT payload FROM memory WHERE place IN ({marks})", places)  # noqa: S608 - marks
        return [payload for (payload,) in rows]

    def _near(self, at: int) -> list[int]:
        cosines = self._vectors @ self._crowd.wanted[at]
        pool = min(self._pool, len(cosines))
        found: list[int] = np.argpartition(-cosines, pool - 1)[:pool].tolist()
        return found

    def _worded(self, at: int) -> list[int]:
        asked = " OR ".join(f'"{term}"' for term in dict.fromkeys(terms(self._crowd.questions[at])))
        rows = self._db().execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (asked, self._pool)
        )
        return [place for (place,) in rows]

    def _db(self) -> sqlite3.Connection:
        if not hasattr(self._mine, "db"):
            self._mine.db = sqlite3.connect(self._path)
        db: sqlite3.Connection = self._mine.db
        return db


def bare_weaviate(room: Room, vector: str, crowd: Crowd, pool: int) -> Bare:
    """One hybrid query of the tenant that slowwave filled, for as many as slowwave asks for by each ranking.

    `vector` is the name that vectors have there.
    """

    def ask(at: int) -> list[str]:
        answer = room.query.hybrid(
            " ".join(dict.fromkeys(terms(crowd.questions[at]))),
            vector=crowd.wanted[at].tolist(),
            target_vector=vector,
            query_properties=["terms"],
            fusion_type=HybridFusion.RELATIVE_SCORE,
            limit=pool,
            return_properties=["payload"],
        )
        return [str(one.properties["payload"]) for one in answer.objects]

    return ask
