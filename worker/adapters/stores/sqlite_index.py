"""A scope's live memories as arrays: exact cosine and BM25 over them."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from schemas.base import Vector
from worker.adapters.stores.indexed import Matrix, best, matrix, subject_key
from worker.adapters.stores.sqlite_about import Embedding
from worker.adapters.stores.sqlite_rows import Found, json_of, records_of

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
#: Id, row number, length, vector and key of the subject of a memory.
Row = tuple[str, int, int, Vector | None, str]
#: For each position whether a search may find it.
Among = NDArray[np.bool_]


@dataclass
class Lately:
    """What was read so far of one state of a scope; shared by threads, and each use is one operation."""

    #: Term → how many memories hold it, and which.
    holders: dict[str, int] = field(default_factory=dict)
    postings: dict[str, Posting] = field(default_factory=dict)
    #: Rows of all these postings; a little off where threads meet.
    rows: int = 0
    records: dict[UUID, Found] = field(default_factory=dict)


@dataclass(frozen=True)
class Index:
    """One state of a scope, in order of memory id."""

    ids: tuple[str, ...]
    #: Row numbers in the file.
    places: NDArray[np.int64]
    #: Null where they are another embedder's than the one that asks.
    vectors: Matrix | None
    lengths: NDArray[np.float64]
    #: Key of the subject of each.
    subjects: NDArray[np.bytes_]
    lately: Lately = field(default_factory=Lately, compare=False)

    def about(self, subject: str | None) -> Among:
        """Which positions hold a memory about the subject; all for no subject."""
        if subject is None:
            return np.ones(len(self.ids), dtype=np.bool_)
        return np.asarray(self.subjects == subject_key(subject).encode())

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
        return self._by_place[np.searchsorted(self.places, places, sorter=self._by_place)]

    @cached_property
    def _by_place(self) -> NDArray[np.intp]:
        return np.argsort(self.places)

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
    return _index_of(rows, dimensions)


def renewed(db: sqlite3.Connection, scope: int, before: Index, changed: Collection[UUID]) -> Index:
    """What an earlier state with vectors has become by a change of these memories alone: only they are read."""
    rows = db.execute(
        "SELECT v.id, place, length, vector, v.subject FROM memory m JOIN vector v USING (place)"
        " WHERE m.scope = ? AND m.id IN (SELECT value FROM json_each(?))",
        (scope, json_of(changed)),
    ).fetchall()
    assert before.vectors is not None  # noqa: S101 - said above
    new, gone = _index_of(rows, before.vectors.shape[1]), {*map(str, changed)}
    ids = (*before.ids, *new.ids)
    stay = (at for at, id in enumerate(before.ids) if id not in gone)
    order = sorted((*stay, *range(len(before.ids), len(ids))), key=ids.__getitem__)
    records = before.lately.records.copy()
    for id in changed:
        records.pop(id, None)
    return Index(
        ids=tuple(ids[at] for at in order),
        places=np.concatenate([before.places, new.places])[order],
        vectors=np.concatenate([before.vectors, new.vectors])[order],
        lengths=np.concatenate([before.lengths, new.lengths])[order],
        subjects=np.concatenate([before.subjects, new.subjects])[order],
        lately=Lately(records=records),
    )


def _index_of(rows: list[Row], dimensions: int | None) -> Index:
    rows.sort()
    ids, places, lengths, vectors, subjects = zip(*rows, strict=True) if rows else ((),) * 5
    return Index(
        ids=ids,
        places=np.array(places, dtype=np.int64),
        vectors=None if dimensions is None else matrix(vectors, dimensions),
        lengths=np.array(lengths, dtype=np.float64),
        subjects=np.array(subjects, dtype="S36"),
    )


@dataclass(frozen=True)
class Kept:
    """An index, and what this process has written since the state that it is of."""

    index: Index
    #: Of the scope after the last of these writes.
    generation: int
    changed: frozenset[UUID] = frozenset()


class Indexes:
    """The indexes used last. What others have changed is loaded anew; after what this process wrote, only that.

    `changed` is told after each write, so that writes of others in between are noticed by the generation.
    """

    def __init__(
        self, budget_bytes: int = BUDGET_BYTES, largest_bytes: int = LARGEST_BYTES
    ) -> None:
        self._budget, self._largest = budget_bytes, largest_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[int, Kept] = OrderedDict()

    def changed(self, scope: int, generation: int, ids: Collection[UUID]) -> None:
        """What was written or removed by the transaction that led to this generation, once it is committed."""
        with self._lock:
            kept = self._kept.get(scope)
            if kept and kept.generation == generation - 1:
                self._kept[scope] = Kept(kept.index, generation, kept.changed.union(ids))

    def of(self, db: sqlite3.Connection, scope: int, embedding: Embedding) -> Index:
        generation, embedder = db.execute(
            "SELECT generation, embedder FROM scope WHERE number = ?", (scope,)
        ).fetchone()
        with self._lock:
            kept = self._kept.get(scope)
            if kept and kept.generation == generation and not kept.changed:
                self._kept.move_to_end(scope)
                return kept.index
        is_own = embedder == embedding.fingerprint
        if kept and kept.generation == generation and kept.index.vectors is not None and is_own:
            index = renewed(db, scope, kept.index, kept.changed)
        else:
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
            others = [
                one.index.lately.records for one in self._kept.values() if one.index is not index
            ]
            total = sum(map(len, others)) + len(index.lately.records)
            for records in [*others, index.lately.records]:
                if total <= KEPT_RECORDS:
                    break
                total -= len(records)
                records.clear()

    def _keep(self, scope: int, generation: int, index: Index) -> None:
        with self._lock:
            self._kept[scope] = Kept(index, generation)
            self._kept.move_to_end(scope)
            total = sum(kept.index.size_bytes for kept in self._kept.values())
            fewest = 1 if index.size_bytes <= self._largest else 0
            while total > self._budget and len(self._kept) > fewest:
                _, oldest = self._kept.popitem(last=False)
                total -= oldest.index.size_bytes
