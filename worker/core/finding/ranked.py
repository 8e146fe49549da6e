"""The rankings that a store makes of its live memories, made of records in hand."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from schemas.base import Vector
from schemas.memory import MemoryRecord
from worker.core.finding import bm25
from worker.core.finding.vectors import cosines
from worker.core.ports import Nominated, Query
from worker.core.texts.words import terms


def ranked(query: Query, records: Sequence[MemoryRecord], pool: int) -> Nominated:
    """The best `pool` by vector, by words and by shared identifiers; ties by id.

    A record without a vector, or with one of another size, is found by words alone.
    """
    records = sorted(records, key=lambda record: record.memory.id.int)
    by_vector, by_words, by_identifier = (
        tuple(records[place].memory.id for place in places)
        for places in ranked_places(query, records, pool)
    )
    return Nominated(by_vector=by_vector, by_words=by_words, by_identifier=by_identifier)


def ranked_places(
    query: Query, records: Sequence[MemoryRecord], pool: int
) -> tuple[list[int], list[int], list[int]]:
    """The same as places in the records; ties in their order."""
    return (
        _by_vector(query.vector, records)[:pool] if query.vector else [],
        _by_words(query.terms, records)[:pool],
        _by_identifier(query.identifiers, records)[:pool],
    )


def _by_vector(vector: Vector, records: Sequence[MemoryRecord]) -> list[int]:
    near = [place for place, record in enumerate(records) if len(record.vector) == len(vector)]
    found = cosines([vector], [records[place].vector for place in near])
    return _best(near, found[0])


def _by_words(query: Sequence[str], records: Sequence[MemoryRecord]) -> list[int]:
    texts = (terms(record.memory.text) for record in records)
    return _best_of_hits(bm25.scores(query, bm25.pool(texts, query)))


def _by_identifier(codes: Sequence[str], records: Sequence[MemoryRecord]) -> list[int]:
    shared = [len(set(codes).intersection(record.memory.identifiers)) for record in records]
    return _best_of_hits(np.array(shared, dtype=np.float64))


def _best_of_hits(scores: npt.NDArray[np.floating]) -> list[int]:
    hits: list[int] = np.flatnonzero(scores > 0).tolist()
    return _best(hits, scores[hits])


def _best(places: Sequence[int], scores: npt.NDArray[np.floating]) -> list[int]:
    order = np.argsort(-scores, kind="stable")
    return [places[at] for at in order.tolist()]
