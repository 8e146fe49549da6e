"""Order what recall found: cosine and BM25, each as a rank, fused."""

import math
from collections.abc import Iterable, Sequence
from uuid import UUID

#: From Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual rank learning
#: methods" (SIGIR 2009).
RRF_K = 60


def reciprocal_rank_fusion(rankings: Iterable[Sequence[UUID]]) -> list[tuple[UUID, float]]:
    """Best first, ties by id; the score is the sum of 1 / (60 + rank)."""
    parts: dict[UUID, list[float]] = {}
    for ranking in rankings:
        for rank, id in enumerate(ranking, start=1):
            parts.setdefault(id, []).append(1 / (RRF_K + rank))
    # fsum rounds once, so that equal ranks tie whatever the order of the rankings.
    scores = ((id, math.fsum(shares)) for id, shares in parts.items())
    return sorted(scores, key=lambda item: (-item[1], str(item[0])))
