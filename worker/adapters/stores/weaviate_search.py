"""The four searches around one query, and the rankings made of what they find."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from weaviate.classes.query import Filter, MetadataQuery, Sort
from weaviate.collections.classes.filters import _Filters as Condition

from schemas.base import Vector
from schemas.memory import MemoryRecord
from worker.adapters.stores.indexed import (
    best,
    by_shared,
    identifier_keys,
    matrix,
    slot_key,
    subject_key,
)
from worker.adapters.stores.weaviate_link import Room
from worker.adapters.stores.weaviate_pages import PAYLOAD
from worker.core.ports import Nominated, Query

#: Hits beyond the pool, so that those of equal score at its border can be put in order of id.
TIES = 16
#: Memories with one of the wanted identifiers that are looked at, first ids first.
IDENTIFIED = 200

FOUND = [*PAYLOAD, "terms", "embedder"]


class Hit(NamedTuple):
    """A memory that was found."""

    payload: str
    #: Its words, as they were split when it was written.
    terms: str
    #: Whose vector it has; null for one of an earlier layout, which the scope's card tells.
    embedder: str | None
    score: float


Hits = list[Hit]
Search = Callable[[Room], Hits]


def searches(query: Query, vector: str, pool: int) -> tuple[Search, Search, Search, Search]:
    """By vector, words, slot and identifier, in this order; one that has nothing to ask finds nothing."""
    about = _about(query.subject)
    return (
        _by_vector(query.vector, vector, pool, about) if query.vector else _nothing,
        _by_words(query.terms, pool, about) if query.terms else _nothing,
        _by_slot(query.slot, pool, about) if query.slot else _nothing,
        _by_identifier(query.identifiers, about)
        if identifier_keys(query.identifiers)
        else _nothing,
    )


def read(hit: Hit, embedder: str | None) -> MemoryRecord:
    """Without its vector where it is not by this embedder, or where no vector of the scope is to be trusted."""
    record = MemoryRecord.model_validate_json(hit.payload)
    if embedder is not None and hit.embedder in {None, embedder}:
        return record
    return record.model_copy(update={"vector": b""})


def nominated(
    query: Query,
    found: Sequence[Hits],
    records: dict[str, MemoryRecord],
    pool: int,
) -> Nominated:
    """Rankings from the hits of the four searches, in the same order."""
    near, worded, slotted, identified = (
        sorted(((records[hit.payload], hit.score) for hit in hits), key=_by_id) for hits in found
    )
    ids = [record.memory.id for record, _ in worded]
    scores = np.array([score for _, score in worded])
    held = [
        (record.memory.id, identifier_keys(record.memory.identifiers)) for record, _ in identified
    ]
    return Nominated(
        by_slot=tuple(record.memory.id for record, _ in slotted),
        by_vector=_nearest(query.vector, [record for record, _ in near if record.vector], pool),
        by_words=tuple(ids[place] for place in best(scores, pool)),
        by_identifier=by_shared(identifier_keys(query.identifiers), held, pool),
    )


def _by_id(hit: tuple[MemoryRecord, float]) -> int:
    """A number, as ids are compared by themselves very slowly."""
    return hit[0].memory.id.int


def _nearest(vector: Vector | None, records: Sequence[MemoryRecord], pool: int) -> tuple[UUID, ...]:
    """By the exact cosine of the stored vectors, as the other store does."""
    if vector is None:
        return ()
    wanted = np.frombuffer(vector, dtype="<f4")
    cosines = matrix([record.vector for record in records], len(wanted)) @ wanted
    return tuple(records[place].memory.id for place in best(cosines, pool))


def _nothing(_: Room) -> Hits:
    return []


def _about(subject: str | None) -> Condition | None:
    return None if subject is None else Filter.by_property("subject").equal(subject_key(subject))


def _hit(hit: Any) -> Hit:
    given = hit.properties
    return Hit(
        str(given["payload"]),
        str(given["terms"]),
        given["embedder"],
        hit.metadata.score or 0.0,
    )


def _by_vector(vector: Vector, name: str, pool: int, about: Condition | None) -> Search:
    numbers: list[float] = np.frombuffer(vector, dtype="<f4").tolist()

    def search(room: Room) -> Hits:
        answer = room.query.near_vector(
            numbers,
            target_vector=name,
            limit=pool + TIES,
            filters=about,
            return_properties=FOUND,
        )
        return [_hit(one) for one in answer.objects]

    return search


def _by_words(terms: Sequence[str], pool: int, about: Condition | None) -> Search:
    # Once each: the server would count a repeated term twice.
    text = " ".join(dict.fromkeys(terms))

    def search(room: Room) -> Hits:
        answer = room.query.bm25(
            text,
            query_properties=["terms"],
            limit=pool + TIES,
            filters=about,
            return_properties=FOUND,
            return_metadata=MetadataQuery(score=True),
        )
        return [_hit(one) for one in answer.objects]

    return search


def _by_slot(slot: tuple[str, str], pool: int, about: Condition | None) -> Search:
    return _first_of(Filter.by_property("slot").equal(slot_key(slot)), pool, about)


def _by_identifier(identifiers: Sequence[str], about: Condition | None) -> Search:
    keys = list(identifier_keys(identifiers))
    return _first_of(Filter.by_property("identifiers").contains_any(keys), IDENTIFIED, about)


def _first_of(condition: Condition, limit: int, about: Condition | None) -> Search:
    wanted = condition if about is None else condition & about

    def search(room: Room) -> Hits:
        answer = room.query.fetch_objects(
            filters=wanted, limit=limit, sort=Sort.by_id(), return_properties=FOUND
        )
        return [_hit(one) for one in answer.objects]

    return search
