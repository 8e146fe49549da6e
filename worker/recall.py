"""The read path: a question in, ranked memories out. It writes nothing and waits behind no queue."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from schemas.memory import Archive, ArchiveRecord, Memory, MemoryRecord
from schemas.scope import Scope
from worker.core.finding.rank import RRF_K, reciprocal_rank_fusion
from worker.core.finding.ranked import ranked
from worker.core.forgetting.hidden import Veil, veil, version_of
from worker.core.ports import Embedder, Nominated, Query, Reader
from worker.core.texts.identifiers import identifiers
from worker.core.texts.words import terms
from worker.core.views import standing, viewed

#: Memories that each ranking nominates for one answer.
POOL = 50


@dataclass(frozen=True)
class Recalled:
    """A memory that answers, and how well: 1 is first place in every ranking that found anything."""

    memory: Memory
    score: float


def recall(  # noqa: PLR0913 - a question, where to ask it, a bound and three times
    store: Reader,
    embedder: Embedder,
    scope: Scope,
    query: str,
    *,
    now: datetime,
    limit: int = 10,
    as_of: datetime | None = None,
    valid_at: datetime | None = None,
) -> list[Recalled]:
    """The best `limit` memories of the scope for this question, best first.

    Of those that are current; or of what was believed `as_of` a moment, or was true `valid_at` one: for these the
    whole scope is read (see `worker.core.views`). Raises `Unavailable` if the store or the embedder is out of reach.
    """
    ask = Query(
        vector=embedder.embed([query])[0], terms=terms(query), identifiers=identifiers(query)
    )
    if as_of is None and valid_at is None:
        found = store.nominate(scope, [ask], POOL)
        pool = [record.memory for record in found.records.values()]
        return _answers(found.rankings[0], standing(pool, now))[:limit]
    live, archives = list(store.memories(scope)), list(store.archives(scope))
    shown = viewed(
        [record.archive for record in archives],
        [record.memory for record in live],
        now,
        as_of=as_of,
        valid_at=valid_at,
    )
    is_comparable = store.about(scope).embedder == embedder.fingerprint
    records = _with_vectors(shown, live, archives) if is_comparable else _without(shown)
    return _answers(ranked(ask, records, POOL), shown)[:limit]


def _answers(names: Nominated, shown: Iterable[Memory]) -> list[Recalled]:
    memories = {memory.id: memory for memory in shown}
    rankings = [names.by_vector, names.by_words, names.by_identifier]
    best = sum(1 / (RRF_K + 1) for ranking in rankings if ranking)
    return [
        Recalled(memories[id], score / best)
        for id, score in reciprocal_rank_fusion(rankings)
        if id in memories
    ]


def _with_vectors(
    shown: Iterable[Memory], live: Iterable[MemoryRecord], archives: Iterable[ArchiveRecord]
) -> list[MemoryRecord]:
    """Each with the vector of its version."""
    vectors = {(one.memory.id, one.memory.version): one.vector for one in live}
    vectors |= {version_of(one.archive): one.vector for one in archives}
    return [MemoryRecord(memory=one, vector=vectors[one.id, one.version]) for one in shown]


def _without(shown: Iterable[Memory]) -> list[MemoryRecord]:
    return [MemoryRecord(memory=one, vector=b"") for one in shown]


def known(
    store: Reader,
    scope: Scope,
    now: datetime,
    *,
    as_of: datetime | None = None,
    valid_at: datetime | None = None,
) -> list[Memory]:
    """All that `recall` chooses from, the latest change first."""
    live = [record.memory for record in store.memories(scope)]
    if as_of is None and valid_at is None:
        return standing(live, now)
    archives = [record.archive for record in store.archives(scope)]
    return viewed(archives, live, now, as_of=as_of, valid_at=valid_at)


def earlier(store: Reader, scope: Scope) -> list[Archive]:
    """Every snapshot of the scope that may be shown, in order of memory id and version."""
    return veil_of(store, scope).archives(record.archive for record in store.archives(scope))


def veil_of(store: Reader, scope: Scope) -> Veil:
    """What of the scope no read may show. The whole scope is read only where something was forgotten."""
    if not store.forgotten(scope):
        return Veil()
    return veil(
        (record.archive for record in store.archives(scope)),
        (record.memory for record in store.memories(scope)),
    )
