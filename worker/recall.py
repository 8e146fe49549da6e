"""The read path: a question in, ranked memories out. It writes nothing and waits behind no queue."""

from dataclasses import dataclass
from datetime import datetime

from schemas.memory import Memory
from schemas.scope import Scope
from worker.core.current import current
from worker.core.identifiers import identifiers
from worker.core.ports import Embedder, Query, Reader
from worker.core.rank import RRF_K, reciprocal_rank_fusion
from worker.core.words import terms

#: Memories that each ranking nominates for one answer.
POOL = 50


@dataclass(frozen=True)
class Recalled:
    """A memory that answers, and how well: 1 is first place in every ranking that found anything."""

    memory: Memory
    score: float


def recall(  # noqa: PLR0913 - a question, where to ask it, and two bounds
    store: Reader,
    embedder: Embedder,
    scope: Scope,
    query: str,
    *,
    now: datetime,
    limit: int = 10,
) -> list[Recalled]:
    """The best `limit` current memories of the scope for this question, best first.

    Raises `Unavailable` if the store or the embedder is out of reach.
    """
    ask = Query(
        vector=embedder.embed([query])[0], terms=terms(query), identifiers=identifiers(query)
    )
    found = store.nominate(scope, [ask], POOL)
    (names,) = found.rankings
    rankings = [names.by_vector, names.by_words, names.by_identifier]
    best = sum(1 / (RRF_K + 1) for ranking in rankings if ranking)
    answers = []
    for id, score in reciprocal_rank_fusion(rankings):
        if (memory := current(found.records[id].memory, now)) is not None:
            answers.append(Recalled(memory, score / best))
    return answers[:limit]
