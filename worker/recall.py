"""The read path: a question in, ranked memories out. It writes nothing and waits behind no queue."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from uuid import UUID

from schemas.base import Vector
from schemas.memory import Archive, Memory
from schemas.scope import Scope
from worker.core.forgetting.hidden import Veil, veil
from worker.core.ports import Embedder, Query, Reader, Reranker
from worker.core.recalling.answer import Answer, Outdated
from worker.core.recalling.ask import Ask
from worker.core.recalling.calls import Calls, at_once
from worker.core.recalling.outdated import outdated
from worker.core.recalling.pipeline import answer, choosing, profiling, run, weighing
from worker.core.recalling.pool import Pool
from worker.core.recalling.questions import LONGEST_QUERY, Question, asked
from worker.core.recalling.reranking import to_rerank
from worker.core.views import standing, viewed
from worker.errors import SlowwaveError
from worker.pooling import Pooling

OTHER_VECTORS = (
    "the memories have vectors of another embedder: found by words and identifiers alone"
)


def recall(  # noqa: PLR0913 - who is asked, about whom, what, and when
    store: Reader,
    embedder: Embedder,
    scope: Scope,
    ask: Ask,
    now: datetime,
    *,
    reranker: Reranker | None = None,
    calls: Calls = at_once,
) -> Answer:
    """The memories of the scope that answer, of those that are current unless the ask names another time.

    One call of the embedder, one of the store where nothing is asked for besides: links and what was shown cost two
    more, one more where most of what was found was shown, and what has changed since two and one for each. Another
    time, history, a profile, and filters that leave less than was asked for read the whole scope.
    Without the embedder words and identifiers answer, without the reranker the order stays, and `degraded` says so.
    Raises `Unavailable` if the store is out of reach.
    """
    ask, plain = ask.settled(embedder.floor, embedder.same), asked(ask.queries)
    pooling = Pooling(store, scope, embedder.fingerprint, ask, now)
    if not plain.questions:
        found, problem = calls("store", pooling.profile), list[str]()
        left = run(profiling(ask), found.pool)
    else:
        vectors, problem = _embedded(embedder, plain.questions, calls)
        about = _only(ask.filters.subjects)
        queries = [*map(partial(_query, about), plain.questions, vectors)]
        found = calls("store", partial(pooling.pool, queries))
        problem = problem or _incomparable(found.pool)
        weighed = run(weighing(ask, plain.questions, now), found.pool)
        ordered, unranked = _reranked(reranker, plain.questions, weighed, calls)
        left = run(choosing(ask), ordered)
        problem = [*problem, *unranked]
    told = replace(answer(left), withdrawn=found.withdrawn, degraded=(*plain.notes, *problem))
    changed = [*told.withdrawn, *(one.memory.id for one in told.items if one.state == "correction")]
    if not changed:
        return told
    return _with_outdated(told, calls, partial(_overturned, store, scope, ask.shown, changed, now))


def _query(about: str | None, question: Question, vector: Vector | None) -> Query:
    return Query(vector, question.terms, question.codes, subject=about)


def _only(subjects: frozenset[str]) -> str | None:
    """The one that is asked about, which the stores look for themselves."""
    return next(iter(subjects)).casefold() if len(subjects) == 1 else None


def _embedded(
    embedder: Embedder, questions: Sequence[Question], calls: Calls
) -> tuple[Sequence[Vector | None], list[str]]:
    """A vector for each question; or none, and why."""
    texts = [question.text for question in questions]
    try:
        return calls("embedder", partial(embedder.embed, texts)), []
    except SlowwaveError as error:
        why = f"the embedder gave no vectors ({error}): found by words and identifiers alone"
        return [None] * len(questions), [why]


def _reranked(
    reranker: Reranker | None, questions: Sequence[Question], pool: Pool, calls: Calls
) -> tuple[Pool, list[str]]:
    """The pool in the reranker's order; or as it was, and why."""
    top = to_rerank(pool) if reranker else None
    if reranker is None or top is None:
        return pool, []
    query = "\n".join(question.text for question in questions)[:LONGEST_QUERY]
    try:
        return top.ordered(calls("reranker", partial(reranker.order, query, top.documents))), []
    except SlowwaveError as error:
        return pool, [f"the reranker gave no order ({error}): ours stays"]


def _with_outdated(told: Answer, calls: Calls, read: Callable[[], tuple[Outdated, ...]]) -> Answer:
    """With the words that hold no more; without them the corrections themselves still do."""
    try:
        return replace(told, outdated=calls("store", read))
    except SlowwaveError as error:
        why = f"what was shown before is not named ({error})"
        return replace(told, degraded=(*told.degraded, why))


def _overturned(
    store: Reader, scope: Scope, shown: Mapping[UUID, int], changed: Sequence[UUID], now: datetime
) -> tuple[Outdated, ...]:
    """Of memories that were shown and have changed, the shown versions that hold no more and may be told."""
    archives = [one.archive for id in changed for one in store.archives(scope, id)]
    live = [one.memory for one in store.memories(scope, changed)]
    return outdated(shown, changed, veil_of(store, scope).archives(archives), live, now)


def _incomparable(pool: Pool) -> list[str]:
    blind = bool(pool.entries) and not any(one.vector for one in pool.entries)
    return [OTHER_VECTORS] if blind else []


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
