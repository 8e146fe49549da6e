"""Records as Weaviate's objects, and back."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

import numpy as np
from weaviate.classes.data import DataObject

from schemas.base import Vector
from schemas.ids import uuid_of
from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Run
from worker.adapters.stores.indexed import identifier_keys, slot_key, subject_key, words_of
from worker.adapters.stores.weaviate_collections import WRITTEN, Embedding

CHANCE = random.SystemRandom()
#: Most objects, and most bytes of payload, of one request; the server takes 100 MB.
CHUNK = 200
CHUNK_BYTES = 16 * 1024 * 1024

Object = DataObject[dict[str, object], None]


def of_memory(record: MemoryRecord, embedding: Embedding) -> Object:
    memory = record.memory
    properties: dict[str, object] = {
        "payload": record.model_dump_json(),
        "terms": " ".join(words_of(memory)),
        "subject": subject_key(memory.subject),
        "identifiers": list(identifier_keys(memory.identifiers)),
        "embedder": embedding.fingerprint,
    }
    if memory.slot:
        properties |= {
            "slot": slot_key(memory.slot),
            "pair": json.dumps(memory.slot, ensure_ascii=False),
        }
    return _object(memory.id, properties, {embedding.vector: reindexed(record.vector)})


def of_archive(record: ArchiveRecord, embedding: Embedding) -> Object:
    archive = record.archive
    properties: dict[str, object] = {
        "payload": record.model_dump_json(),
        "memory": str(archive.memory.id),
        "reason": archive.reason,
    }
    if archive.replaced_by:
        properties["replaced_by"] = str(archive.replaced_by)
    return _object(archive.id, properties, {embedding.vector: reindexed(record.vector)})


def of_run(run: Run) -> list[Object]:
    """An open run has a place of its own, where one that is written too late hides no finished one.

    A finished one takes that place as well: it held the whole plan.
    """
    places = [open_place(run.id)] if run.state == "open" else [run.id, open_place(run.id)]
    properties: dict[str, object] = {
        "payload": run.model_dump_json(),
        "state": run.state,
        "turns": [str(turn) for turn in run.turn_ids],
    }
    return [unsearched(place, properties) for place in places]


def open_place(run: UUID) -> UUID:
    """Where a run stands while it is open."""
    return uuid_of("open run", str(run))


def unsearched(uuid: UUID, properties: dict[str, object]) -> Object:
    """An object that no search by vector looks for; it has one to be indexed anew by: see `reindexed`."""
    return _object(uuid, properties, {WRITTEN: [CHANCE.random(), 1.0]})


def _object(
    uuid: UUID, properties: dict[str, object], vectors: Mapping[str, list[float]]
) -> Object:
    return DataObject(uuid=uuid, properties=properties, vector=dict(vectors))


def reindexed(vector: Vector) -> list[float]:
    """The same direction at a length that no earlier write had; the record keeps the exact vector.

    A write that is cut short may leave an object that no search finds, and the server leaves the indexes
    alone when the same object comes again. One whose vector differs is indexed anew, all of it.
    """
    stretch = np.float32(1 + CHANCE.random() / 1024)
    stretched: list[float] = (np.frombuffer(vector, dtype="<f4") * stretch).tolist()
    return stretched


def pair_of(text: str) -> tuple[str, str]:
    subject, attribute = json.loads(text)
    return subject, attribute


def in_requests(objects: Sequence[Object]) -> Iterator[list[Object]]:
    """Pieces that one request can carry."""
    piece: list[Object] = []
    size = 0
    for one in objects:
        # A character of JSON text takes up to 4 bytes.
        payload = 4 * len(str((one.properties or {})["payload"]))
        if piece and (len(piece) == CHUNK or size + payload > CHUNK_BYTES):
            yield piece
            piece, size = [], 0
        piece.append(one)
        size += payload
    if piece:
        yield piece
