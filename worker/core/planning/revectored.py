"""A plan under another embedder: the same changes, every vector made anew from its record's text."""

from collections.abc import Iterator, Mapping
from itertools import chain

from schemas.base import Vector
from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Add, Change, Confirm, File, Held, Plan, Retire, Revise


def texts_of(plan: Plan) -> tuple[str, ...]:
    """What its vectors are made from, each text once."""
    proposed = chain.from_iterable(held.proposal for held in plan.held)
    texts = (text for change in (*plan.changes, *proposed) for text in _texts(change))
    return tuple(dict.fromkeys(texts))


def revectored(plan: Plan, vectors: Mapping[str, Vector], embedder: str) -> Plan:
    """With a vector for each of `texts_of(plan)`, made by the embedder of this fingerprint."""
    return plan.model_copy(
        update={
            "changes": tuple(_change(one, vectors) for one in plan.changes),
            "held": tuple(_held(one, vectors) for one in plan.held),
            "embedder": embedder,
        }
    )


def _texts(change: Change) -> Iterator[str]:
    match change:
        case Add() | Confirm():
            yield change.record.memory.text
        case Revise():
            yield change.record.memory.text
            yield change.archive.archive.memory.text
        case Retire() | File():
            yield change.archive.archive.memory.text


def _change(change: Change, vectors: Mapping[str, Vector]) -> Change:
    match change:
        case Add() | Confirm():
            return change.model_copy(update={"record": _record(change.record, vectors)})
        case Revise():
            update = {
                "record": _record(change.record, vectors),
                "archive": _archive(change.archive, vectors),
            }
            return change.model_copy(update=update)
        case Retire() | File():
            return change.model_copy(update={"archive": _archive(change.archive, vectors)})


def _held(held: Held, vectors: Mapping[str, Vector]) -> Held:
    return held.model_copy(
        update={"proposal": tuple(_change(one, vectors) for one in held.proposal)}
    )


def _record(record: MemoryRecord, vectors: Mapping[str, Vector]) -> MemoryRecord:
    return record.model_copy(update={"vector": vectors[record.memory.text]})


def _archive(record: ArchiveRecord, vectors: Mapping[str, Vector]) -> ArchiveRecord:
    return record.model_copy(update={"vector": vectors[record.archive.memory.text]})
