"""How each memory of a pool fits each query: cosine, BM25 and identifiers, counted here for every store alike."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, product
from math import isqrt
from uuid import UUID

import numpy as np
import numpy.typing as npt

from schemas.base import Vector
from schemas.memory import MemoryRecord
from worker.core.finding import bm25
from worker.core.finding.ranked import ranked_places
from worker.core.finding.vectors import Matrix
from worker.core.ports import Query
from worker.core.recalling.pool import DECIMALS, Entry, Signal, identity
from worker.core.texts.words import terms

Numbers = npt.NDArray[np.float64]

#: Multiplications of one product: for more, OpenBLAS starts threads, which on busy cores wait for one another a
#: hundred times longer than the product takes. For a product with a single row it starts them much earlier.
AT_ONCE = 250_000


def directions(vectors: Sequence[Vector], size: int) -> Matrix:
    """A row for each; of zeros where there is none of this many bytes."""
    if size and all(len(vector) == size for vector in vectors):
        return np.frombuffer(b"".join(vectors), dtype="<f4").reshape(-1, size // 4)
    rows = np.zeros((len(vectors), size // 4), dtype=np.float32)
    for place, vector in enumerate(vectors):
        if size and len(vector) == size:
            rows[place] = np.frombuffer(vector, dtype="<f4")
    return rows


def likeness(entries: Sequence[Entry]) -> Matrix:
    """The cosine of each with each, 0 where there are no two vectors to compare."""
    longest = max((len(one.vector) for one in entries), default=0)
    rows = directions([one.vector for one in entries], longest)
    side = max(2, isqrt(AT_ONCE // max(1, rows.shape[1])))
    columns = rows.T.copy()
    found = np.empty((len(rows), len(rows)), dtype=np.float32)
    tiles = [slice(at, at + side) for at in range(0, len(rows), side)]
    for down, across in product(tiles, tiles):
        found[down, across] = rows[down] @ columns[:, across]
    return found.round(DECIMALS)


def nominated(entries: Sequence[Entry], queries: Iterable[Query], pool: int) -> list[Entry]:
    """Those that a store would nominate if these were all it has, in their order."""
    records = [MemoryRecord(memory=one.memory, vector=one.vector) for one in entries]
    places = {
        place
        for query in queries
        for ranking in ranked_places(query, records, pool)
        for place in ranking
    }
    return [entries[place] for place in sorted(places)]


def with_signals(
    entries: Sequence[Entry],
    queries: Sequence[Query],
    stored_terms: Mapping[UUID, tuple[str, ...]],
) -> list[Entry]:
    """With a signal for each query, in order of id.

    BM25 weighs a word by how many of these memories have it, not of the whole scope: so that it is the same whatever
    nominated them. `stored_terms` are those of texts that need not be split again.
    """
    entries = sorted(entries, key=identity)
    texts = [stored_terms.get(one.memory.id) or terms(one.memory.text) for one in entries]
    words = bm25.pool(texts, set(chain(*(query.terms for query in queries))))
    columns = [_signals(entries, query, bm25.scores(query.terms, words)) for query in queries]
    return [
        Entry(one.memory, one.vector, one.superseded, one.is_correction, found)
        for one, found in zip(entries, zip(*columns, strict=True), strict=True)
    ]


def _signals(entries: Sequence[Entry], query: Query, words: Numbers) -> list[Signal]:
    best = words.max(initial=0.0) or 1.0
    found = zip(_cosines(entries, query.vector), (words / best).round(DECIMALS), strict=True)
    codes = set(query.identifiers)
    return [
        Signal(cosine, float(word), _shared(codes, one))
        for one, (cosine, word) in zip(entries, found, strict=True)
    ]


def _cosines(entries: Sequence[Entry], vector: Vector | None) -> list[float | None]:
    if not vector:
        return [None] * len(entries)
    near = directions([one.vector for one in entries], len(vector)) @ np.frombuffer(vector, "<f4")
    return [
        round(cosine, DECIMALS) if len(one.vector) == len(vector) else None
        for one, cosine in zip(entries, near.clip(-1, 1).tolist(), strict=True)
    ]


def _shared(codes: set[str], entry: Entry) -> float:
    return len(codes.intersection(entry.memory.identifiers)) / len(codes) if codes else 0.0
