"""A scope's live memories as arrays: exact cosine and BM25 over them."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from schemas.base import Vector
from worker.adapters.stores.indexed import Matrix, best, matrix, subject_key
from worker.adapters.stores.sqlite_about import Embedding

#: Weaviate's defaults, from Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009).
K1 = 1.2
B = 0.75
#: Memory that all indexes of a process may take.
BUDGET_BYTES = 64 * 1024 * 1024

#: A term that more memories hold says little: it is left out where rarer ones fill the pool.
COMMON = 1_000

#: Row numbers of the memories that hold a term, and how often each does.
Posting = tuple[NDArray[np.int64], NDArray[np.float64]]
#: For each position whether a search may find it.
Among = NDArray[np.bool_]


@dataclass(frozen=True)
class Index:
    """One state of a scope, in order of memory id."""

    ids: tuple[str, ...]
    #: Row numbers in the file, ascending, and the position here of each.
    places: NDArray[np.int64]
    positions: NDArray[np.intp]
    #: Null where they are another embedder's than the one that asks.
    vectors: Matrix | None
    lengths: NDArray[np.float64]
    #: Key of a subject → the positions of the memories about it.
    subjects: Mapping[str, list[int]]

    def about(self, subject: str | None) -> Among:
        """Which positions hold a memory about the subject; all for no subject."""
        if subject is None:
            return np.ones(len(self.ids), dtype=np.bool_)
        among = np.zeros(len(self.ids), dtype=np.bool_)
        among[self.subjects.get(subject_key(subject), [])] = True
        return among

    def by_vector(self, vector: Vector, pool: int, among: Among) -> tuple[UUID, ...]:
        if self.vectors is None:
            return ()
        cosines = self.vectors @ np.frombuffer(vector, dtype="<f4")
        hits = np.flatnonzero(among)
        return self._ids(hits[best(cosines[hits], pool)])

    def by_words(self, postings: Iterable[Posting], pool: int, among: Among) -> tuple[UUID, ...]:
        """Best by BM25 over this scope alone, so that no other scope's words weigh in."""
        scores = np.zeros(len(self.ids))
        for places, times in postings:
            where = self.at(places)
            scores[where] += self._weights(where, times)
        hits = np.flatnonzero(among & (scores > 0))
        return self._ids(hits[best(scores[hits], pool)])

    def at(self, places: NDArray[np.int64]) -> NDArray[np.intp]:
        """Positions of rows."""
        return self.positions[np.searchsorted(self.places, places)]

    def _ids(self, positions: NDArray[np.intp]) -> tuple[UUID, ...]:
        return tuple(UUID(self.ids[position]) for position in positions)

    def _weights(self, where: NDArray[np.intp], times: NDArray[np.float64]) -> NDArray[np.float64]:
        rarity = np.log(1 + (len(self.ids) - len(where) + 0.5) / (len(where) + 0.5))
        relative_length = self.lengths[where] / self.lengths.mean()
        return np.asarray(rarity * times / (times + K1 * (1 - B + B * relative_length)))

    @property
    def size_bytes(self) -> int:
        return (0 if self.vectors is None else self.vectors.nbytes) + 160 * len(self.ids)


def load_index(db: sqlite3.Connection, scope: int, dimensions: int | None) -> Index:
    """Without vectors for no dimensions: they may be of several sizes."""
    rows = db.execute(
        "SELECT id, place, length, CASE WHEN ? THEN vector END, subject FROM vector WHERE scope = ?",
        (dimensions is not None, scope),
    ).fetchall()
    rows.sort()
    ids, places, lengths, vectors, subjects = zip(*rows, strict=True) if rows else ((),) * 5
    unsorted = np.array(places, dtype=np.int64)
    positions = np.argsort(unsorted)
    return Index(
        ids=ids,
        places=unsorted[positions],
        positions=positions,
        vectors=None if dimensions is None else matrix(vectors, dimensions),
        lengths=np.array(lengths, dtype=np.float64),
        subjects=_grouped(subjects),
    )


def _grouped(subjects: Iterable[str]) -> dict[str, list[int]]:
    positions: dict[str, list[int]] = {}
    for position, subject in enumerate(subjects):
        positions.setdefault(subject, []).append(position)
    return positions


class Postings:
    """Read while one set of queries is answered, each term once."""

    def __init__(self, db: sqlite3.Connection, scope: int, index: Index) -> None:
        self._db = db
        self._scope = scope
        self._index = index
        self._holders: dict[str, int] = {}
        self._read: dict[str, Posting] = {}

    def of(self, terms: Iterable[str], pool: int, among: Among) -> list[Posting]:
        """Rarest first: of those that few memories hold all, of the others as many as fill the pool.

        Reading a common term takes longer than all the rest, and could hardly change what comes first.
        """
        found: list[Posting] = []
        hits: set[int] = set()
        for holders, term in sorted((self._holders_of(term), term) for term in set(terms)):
            if holders > COMMON and len(hits) >= pool:
                break
            if holders:
                found.append(self._posting(term))
                places, _ = found[-1]
                hits.update(places[among[self._index.at(places)]].tolist())
        return found

    def _holders_of(self, term: str) -> int:
        if term not in self._holders:
            (self._holders[term],) = self._db.execute(
                "SELECT count(*) FROM posting WHERE scope = ? AND term = ?", (self._scope, term)
            ).fetchone()
        return self._holders[term]

    def _posting(self, term: str) -> Posting:
        if term not in self._read:
            rows = self._db.execute(
                "SELECT place, times FROM posting WHERE scope = ? AND term = ?", (self._scope, term)
            ).fetchall()
            places, times = zip(*rows, strict=True)
            self._read[term] = (np.array(places), np.array(times, dtype=np.float64))
        return self._read[term]


class Indexes:
    """The indexes used last; one that is older than its scope is loaded anew."""

    def __init__(self, budget_bytes: int = BUDGET_BYTES) -> None:
        self._budget = budget_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[int, tuple[int, Index]] = OrderedDict()

    def of(self, db: sqlite3.Connection, scope: int, embedding: Embedding) -> Index:
        generation, embedder = db.execute(
            "SELECT generation, embedder FROM scope WHERE number = ?", (scope,)
        ).fetchone()
        with self._lock:
            kept = self._kept.get(scope)
            if kept and kept[0] == generation:
                self._kept.move_to_end(scope)
                return kept[1]
        is_own = embedder == embedding.fingerprint
        index = load_index(db, scope, embedding.dimensions if is_own else None)
        self._keep(scope, generation, index)
        return index

    def _keep(self, scope: int, generation: int, index: Index) -> None:
        with self._lock:
            self._kept[scope] = (generation, index)
            self._kept.move_to_end(scope)
            total = sum(kept.size_bytes for _, kept in self._kept.values())
            while total > self._budget and self._kept:
                _, (_, oldest) = self._kept.popitem(last=False)
                total -= oldest.size_bytes
