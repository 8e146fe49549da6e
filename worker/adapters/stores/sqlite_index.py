"""A scope's live memories as arrays: exact cosine and BM25 over them."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from schemas.base import Vector
from worker.adapters.stores.indexed import Matrix, best, matrix, subject_key
from worker.adapters.stores.sqlite_about import Embedding
from worker.adapters.stores.sqlite_rows import Found, records_of

#: Weaviate's defaults, from Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009).
K1 = 1.2
B = 0.75
#: Memory that all indexes of a process may take; and one alone, so that a huge scope is not read anew for each search.
BUDGET_BYTES = 64 * 1024 * 1024
LARGEST_BYTES = 4 * BUDGET_BYTES

#: Rows of postings that are kept, for each memory of the scope.
KEPT_POSTINGS = 8
#: Records that all indexes of a process keep: to read one from its JSON takes longer than to find it.
KEPT_RECORDS = 1_000

#: Row numbers of the memories that hold a term, and how often each does.
Posting = tuple[NDArray[np.int64], NDArray[np.float64]]
#: For each position whether a search may find it.
Among = NDArray[np.bool_]


@dataclass
class Lately:
    """What was read so far of one state of a scope; shared by threads, and each use is one operation."""

    #: Term → how many memories hold it, and which.
    holders: dict[str, int] = field(default_factory=dict)
    postings: dict[str, Posting] = field(default_factory=dict)
    records: dict[UUID, Found] = field(default_factory=dict)


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
    lately: Lately = field(default_factory=Lately, compare=False)

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
        # Not `@`: for that OpenBLAS starts threads, which on busy cores wait for one another.
        cosines = np.vecdot(self.vectors, np.frombuffer(vector, dtype="<f4"))
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
        vectors = 0 if self.vectors is None else self.vectors.nbytes
        return vectors + (160 + 16 * KEPT_POSTINGS) * len(self.ids)


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


class Indexes:
    """The indexes used last; one that is older than its scope is loaded anew."""

    def __init__(
        self, budget_bytes: int = BUDGET_BYTES, largest_bytes: int = LARGEST_BYTES
    ) -> None:
        self._budget, self._largest = budget_bytes, largest_bytes
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

    def records(
        self, db: sqlite3.Connection, scope: int, index: Index, ids: Collection[UUID]
    ) -> list[Found]:
        """Of the state that the index is of; in order of id, without vectors where it has none."""
        kept = index.lately.records
        known = {id: found for id in ids if (found := kept.get(id))}
        if missing := set(ids) - known.keys():
            read = records_of(db, scope, missing, with_vectors=index.vectors is not None)
            new = {record.memory.id: (record, terms) for record, terms in read}
            known |= new
            self._keep_records(index, new)
        return [known[id] for id in sorted(known, key=lambda one: one.int)]

    def _keep_records(self, index: Index, new: Mapping[UUID, Found]) -> None:
        with self._lock:
            index.lately.records.update(new)
            others = [kept.lately.records for _, kept in self._kept.values() if kept is not index]
            total = sum(map(len, others)) + len(index.lately.records)
            for records in [*others, index.lately.records]:
                if total <= KEPT_RECORDS:
                    break
                total -= len(records)
                records.clear()

    def _keep(self, scope: int, generation: int, index: Index) -> None:
        with self._lock:
            self._kept[scope] = (generation, index)
            self._kept.move_to_end(scope)
            total = sum(kept.size_bytes for _, kept in self._kept.values())
            fewest = 1 if index.size_bytes <= self._largest else 0
            while total > self._budget and len(self._kept) > fewest:
                _, (_, oldest) = self._kept.popitem(last=False)
                total -= oldest.size_bytes
