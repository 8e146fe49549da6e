"""One score for each memory of a pool, with what it is made of."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt

from worker.core.finding.rank import RRF_K
from worker.core.recalling.ask import Ask, Fusion, Weights
from worker.core.recalling.pool import Entry, Pool, Stage
from worker.core.recalling.signals import Numbers

#: Times recalled that are worth half of the most that use can add.
HALF_USE = 5
SECONDS_A_DAY = 86_400

Parts = dict[str, float]


def scored(ask: Ask, at: datetime) -> Stage:
    """Score each as it stands at a moment; the order stays.

    Relevance is that to the query which it fits best, so that of several questions each has its answers. The score is
    (relevance + recency + use − superseded) as weighted, over the most that it can be: 1.
    """

    def stage(pool: Pool) -> Pool:
        relevances = relevance(pool.entries, ask.weights, ask.fusion)
        whole = 1 + ask.weights.recency + ask.weights.use
        return pool.with_entries(
            entry.scored(_shared_out(parts | _besides(entry, ask, at), whole), fits)
            for entry, (fits, parts) in zip(pool.entries, relevances, strict=True)
        )

    return stage


def _shared_out(parts: Parts, whole: float) -> Parts:
    return {name: part / whole for name, part in parts.items() if part}


def recency(entry: Entry, half_life_days: float, at: datetime) -> float:
    """1 when it is said, half of it after each half-life; what does not fade, or was said in the future, is 1."""
    if not entry.memory.volatile:
        return 1.0
    age = max(0.0, (at - entry.memory.said_at).total_seconds() / SECONDS_A_DAY)
    return float(0.5 ** (age / half_life_days))


def relevance(
    entries: Sequence[Entry], weights: Weights, fusion: Fusion
) -> list[tuple[int, Parts]]:
    """For each memory the place of the query that it fits best, and the parts of its relevance, 0 to 1 together."""
    if not entries:
        return []
    queries = len(entries[0].signals)
    columns = [_to_one(entries, query, weights, fusion) for query in range(queries)]
    return [
        max(enumerate(rows), key=lambda row: sum(row[1].values()))
        for rows in zip(*columns, strict=True)
    ]


def _to_one(entries: Sequence[Entry], query: int, weights: Weights, fusion: Fusion) -> list[Parts]:
    signals = [one.signals[query] for one in entries]
    cosines = np.array([np.nan if s.cosine is None else s.cosine for s in signals])
    rankings = {
        "cosine": (weights.cosine, cosines, ~np.isnan(cosines)),
        **{
            name: (weight, values, values > 0)
            for name, weight, values in (
                ("bm25", weights.bm25, np.array([s.bm25 for s in signals])),
                ("codes", weights.codes, np.array([s.codes for s in signals])),
            )
        },
    }
    found = {name: one for name, one in rankings.items() if one[0] and one[2].any()}
    total = sum(weight for weight, _, _ in found.values())
    shares = {
        name: (weight / total * _share(values, has, fusion, stretched=name == "cosine")).tolist()
        for name, (weight, values, has) in found.items()
    }
    return [{name: share[place] for name, share in shares.items()} for place in range(len(entries))]


def _share(
    values: Numbers, has: npt.NDArray[np.bool_], fusion: Fusion, *, stretched: bool
) -> Numbers:
    """0 to 1, 0 for those that the ranking does not have.

    By rank, where equals share one; or by value, a cosine stretched from the pool's least to its greatest: what lies
    between an embedder's unrelated and its equal texts may be a tenth or all of the scale.
    """
    known = values[has]
    if fusion == "rrf":
        ranks = np.searchsorted(np.sort(-known), -known, side="left") + 1
        known = (RRF_K + 1) / (RRF_K + ranks)
    elif stretched:
        spread = np.ptp(known)
        known = (known - known.min()) / spread if spread else np.ones_like(known)
    share = np.zeros(len(values))
    share[has] = known
    return share


def _besides(entry: Entry, ask: Ask, at: datetime) -> Parts:
    weights, uses = ask.weights, entry.memory.uses
    return {
        "recency": weights.recency * recency(entry, ask.half_life_days, at),
        "use": weights.use * uses / (uses + HALF_USE),
        "superseded": -weights.superseded * entry.superseded,
    }
