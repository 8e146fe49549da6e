"""The rankings that a store makes of its live memories, made of records in hand."""

from collections.abc import Sequence
from uuid import UUID

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
    return Nominated(
        by_vector=_by_vector(query.vector, records)[:pool] if query.vector else (),
        by_words=_by_words(query.terms, records)[:pool],
        by_identifier=_by_identifier(query.identifiers, records)[:pool],
    )


def _by_vector(vector: Vector, records: Sequence[MemoryRecord]) -> tuple[UUID, ...]:
    near = [record for record in records if len(record.vector) == len(vector)]
    found = cosines([vector], [record.vector for record in near])
    return _best(near, found[0])


def _by_words(query: Sequence[str], records: Sequence[MemoryRecord]) -> tuple[UUID, ...]:
    texts = (terms(record.memory.text) for record in records)
    return _best_of_hits(records, bm25.scores(query, bm25.pool(texts, query)))


def _by_identifier(codes: Sequence[str], records: Sequence[MemoryRecord]) -> tuple[UUID, ...]:
    shared = [len(set(codes).intersection(record.memory.identifiers)) for record in records]
    return _best_of_hits(records, np.array(shared, dtype=np.float64))


def _best_of_hits(
    records: Sequence[MemoryRecord], scores: npt.NDArray[np.floating]
) -> tuple[UUID, ...]:
    hits: list[int] = np.flatnonzero(scores > 0).tolist()
    return _best([records[place] for place in hits], scores[hits])


def _best(records: Sequence[MemoryRecord], scores: npt.NDArray[np.floating]) -> tuple[UUID, ...]:
    order = np.argsort(-scores, kind="stable")
    return tuple(records[place].memory.id for place in order)
