"""What both stores look records up by, so that both find the same."""

from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from schemas.base import Vector
from schemas.ids import uuid_of
from schemas.memory import ArchiveRecord, Memory, MemoryRecord
from schemas.scope import Scope
from worker.core.ports import Nominated, Nominations
from worker.core.texts.words import terms
from worker.errors import Unprocessable

#: Cosines and scores that differ by less are ties: both stores add in another order, and round otherwise.
DECIMALS = 5

Matrix = NDArray[np.float32]


def words_of(memory: Memory) -> tuple[str, ...]:
    """The terms of its text, and of what stands again after its end, which may be the current one by now."""
    return terms(memory.text) + (terms(memory.after) if memory.after else ())


def handed_out(
    rankings: Sequence[Nominated], found: Sequence[tuple[MemoryRecord, Sequence[str]]]
) -> Nominations:
    """From the records with their stored terms, which are those of the text where nothing follows it."""
    return Nominations(
        tuple(rankings),
        {record.memory.id: record for record, _ in found},
        {one.memory.id: tuple(terms) for one, terms in found if one.memory.after is None},
    )


def subject_key(subject: str) -> str:
    """Equal for subjects that differ in case only; of fixed length."""
    return str(uuid_of("subject", subject.casefold()))


def slot_key(slot: tuple[str, str]) -> str:
    """Equal for slots that differ in case only; of fixed length and free of separators."""
    subject, attribute = slot
    return str(uuid_of("slot", subject.casefold(), attribute.casefold()))


def identifier_keys(identifiers: Iterable[str]) -> tuple[str, ...]:
    """Each once; two are the same if they are equal but for case and white space around them."""
    keys = (identifier.strip().casefold() for identifier in identifiers)
    return tuple(dict.fromkeys(key for key in keys if key))


def matrix(vectors: Sequence[Vector], dimensions: int) -> Matrix:
    return np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), dimensions)


def best(scores: NDArray[np.floating], pool: int) -> NDArray[np.intp]:
    """Places of the `pool` highest scores; of equal ones the first places win."""
    rounded = np.round(scores, DECIMALS)
    if len(rounded) > pool > 0:
        border = np.partition(rounded, len(rounded) - pool)[len(rounded) - pool]
        near = np.flatnonzero(rounded >= border)
    else:
        near = np.arange(len(rounded))
    return near[np.argsort(-rounded[near], kind="stable")][:pool]


def by_shared(
    wanted: Sequence[str], holders: Iterable[tuple[UUID, Sequence[str]]], pool: int
) -> tuple[UUID, ...]:
    """Who holds any of the wanted keys: most shared first, ties by id."""
    keys = set(wanted)
    shared = ((-len(keys.intersection(held)), holder) for holder, held in holders)
    return tuple(holder for count, holder in sorted(shared) if count)[:pool]


def ids_in(ranking: Nominated) -> set[UUID]:
    """Every memory that any of its rankings names."""
    return {
        *ranking.by_slot,
        *ranking.by_vector,
        *ranking.by_words,
        *ranking.by_identifier,
    }


def check_memories(scope: Scope, records: Sequence[MemoryRecord], dimensions: int) -> None:
    """Raises `Unprocessable` for what must never be stored."""
    for record in records:
        _check(scope, record.memory, record.vector, dimensions)


def check_archives(scope: Scope, records: Sequence[ArchiveRecord], dimensions: int) -> None:
    """Raises `Unprocessable` for what must never be stored."""
    for record in records:
        _check(scope, record.archive.memory, record.vector, dimensions)


def _check(scope: Scope, memory: Memory, vector: Vector, dimensions: int) -> None:
    if memory.scope != scope:
        raise Unprocessable(
            f"memory {memory.id} belongs to scope {memory.scope.key}, not to {scope.key}: not stored"
        )
    if len(vector) != 4 * dimensions:
        raise Unprocessable(
            f"memory {memory.id} of scope {scope.key} has a vector of {len(vector)} bytes; the store's"
            f" embedder makes {dimensions} float32 ({4 * dimensions} bytes): not stored"
        )
    length = float(np.linalg.norm(np.frombuffer(vector, dtype="<f4")))
    if not np.isfinite(length) or length == 0:
        raise Unprocessable(
            f"memory {memory.id} of scope {scope.key} has a vector without a direction: not stored"
        )


def in_chunks(ids: Iterable[UUID], size: int) -> Iterator[list[UUID]]:
    """Each id once, in order of id."""
    ordered = sorted(set(ids))
    for start in range(0, len(ordered), size):
        yield ordered[start : start + size]
