"""Another embedder for a scope that has vectors already: all of them are made anew, then it goes on."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from schemas.base import Vector
from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Plan
from schemas.scope import Scope
from worker.core.planning.revectored import revectored, texts_of
from worker.core.ports import Embedder, Hold, Store

#: Texts of one call of the embedder.
PORTION = 64

T = TypeVar("T")
R = TypeVar("R", MemoryRecord, ArchiveRecord)


def change_over(store: Store, embedder: Embedder, scope: Scope, hold: Hold) -> int:
    """Make the scope's vectors anew if they are another embedder's; how many were made.

    Until it is done nothing of the scope is searched by vector. What a crash left half done is done again from the
    start. Raises what the embedder and the store raise.
    """
    about = store.about(scope)
    if not about.is_prepared or about.embedder == embedder.fingerprint:
        return 0
    writer = store.writer(scope, hold)
    # First, so that nobody compares the old vectors with the new.
    writer.put_embedder(None)
    made = 0
    for memories in _portions(store.memories(scope)):
        vectors = embedder.embed([one.memory.text for one in memories])
        writer.put_memories(_with(memories, vectors))
        made += len(memories)
    for archives in _portions(store.archives(scope)):
        vectors = embedder.embed([one.archive.memory.text for one in archives])
        writer.put_archives(_with(archives, vectors))
        made += len(archives)
    writer.put_embedder(embedder.fingerprint)
    return made


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


def _with(records: Sequence[R], vectors: Iterable[Vector]) -> list[R]:
    pairs = zip(records, vectors, strict=True)
    return [one.model_copy(update={"vector": vector}) for one, vector in pairs]
