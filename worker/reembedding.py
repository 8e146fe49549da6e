"""Another embedder for a scope that has vectors already: all of them are made anew, then it goes on."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TypeVar

from schemas.base import Vector
from schemas.memory import ArchiveRecord, Memory, MemoryRecord
from schemas.plan import Plan
from schemas.scope import Scope
from worker.core.planning.revectored import revectored, texts_of
from worker.core.ports import Embedder, Hold, Store
from worker.core.sleeping.note import Anew, Record, read_note

#: Texts of one call of the embedder.
PORTION = 64

T = TypeVar("T")


def change_over(store: Store, embedder: Embedder, scope: Scope, hold: Hold) -> int:
    """Make the scope's vectors anew if they are another embedder's; how many were made.

    Until it is done nothing of the scope is searched by vector. After a crash it goes on where it was. Raises what the
    embedder and the store raise, and `Misconfigured` where a newer version wrote down how far it is.
    """
    about = store.about(scope)
    if not about.is_prepared or about.embedder == embedder.fingerprint:
        return 0
    note, writer = read_note(about.sleep, scope), store.writer(scope, hold)
    # What was noted of a change that has been done since, or was begun with another embedder, says nothing of this one.
    is_begun = about.embedder is None and note.anew is not None
    begun = note.anew if is_begun else None
    if begun is None or begun.embedder != embedder.fingerprint:
        begun = Anew(embedder=embedder.fingerprint)
        writer.put_sleep(note.remaking(begun).model_dump_json())
    # Before the first, so that nobody compares the old vectors with the new.
    writer.put_embedder(None)
    made = 0
    for records in _portions(_left(store, scope, begun)):
        vectors = embedder.embed([_memory(one).text for one in records])
        again = _with(records, vectors)
        writer.put_memories([one for one in again if isinstance(one, MemoryRecord)])
        writer.put_archives([one for one in again if isinstance(one, ArchiveRecord)])
        so_far = Anew(embedder=embedder.fingerprint, after=_place(records[-1]))
        writer.put_sleep(note.remaking(so_far).model_dump_json())
        made += len(records)
    writer.put_embedder(embedder.fingerprint)
    writer.put_sleep(note.remaking(None).model_dump_json())
    return made


def _left(store: Store, scope: Scope, begun: Anew) -> Iterator[MemoryRecord | ArchiveRecord]:
    """In the order in which stores give them."""
    records = chain[MemoryRecord | ArchiveRecord](store.memories(scope), store.archives(scope))
    return (one for one in records if not begun.is_done(_place(one)))


def _memory(record: MemoryRecord | ArchiveRecord) -> Memory:
    return record.memory if isinstance(record, MemoryRecord) else record.archive.memory


def _place(record: MemoryRecord | ArchiveRecord) -> Record:
    memory = _memory(record)
    return int(isinstance(record, ArchiveRecord)), memory.id, memory.version


def under(plan: Plan, embedder: Embedder) -> Plan:
    """The plan with this embedder's vectors: one that was made before the change may still have to be applied."""
    return plan if plan.embedder in {"", embedder.fingerprint} else anew(plan, embedder)


def anew(plan: Plan, embedder: Embedder) -> Plan:
    """The plan with this embedder's vectors, whoever made those that it has."""
    vectors = dict[str, Vector]()
    for texts in _portions(texts_of(plan)):
        vectors |= zip(texts, embedder.embed(texts), strict=True)
    return revectored(plan, vectors, embedder.fingerprint)


def _portions(items: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(items)
    while portion := list(islice(rest, PORTION)):
        yield portion


def _with(
    records: Sequence[MemoryRecord | ArchiveRecord], vectors: Iterable[Vector]
) -> list[MemoryRecord | ArchiveRecord]:
    pairs = zip(records, vectors, strict=True)
    return [one.model_copy(update={"vector": vector}) for one, vector in pairs]
