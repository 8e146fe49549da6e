"""Not ten times the same: maximal marginal relevance.

Carbonell and Goldstein, "The Use of MMR, Diversity-Based Reranking for Reordering Documents and Producing Summaries"
(SIGIR 1998).
"""

from collections.abc import Sequence

import numpy as np

from worker.core.recalling.links import beside
from worker.core.recalling.pool import Entry, Pool, Stage, best_first
from worker.core.recalling.signals import Numbers, likeness


def diversified(balance: float | None, unrelated: float | None) -> Stage:
    """Order by λ · score − (1 − λ) · the greatest likeness to those before it.

    Likeness is 0 for an embedder's unrelated texts and 1 for equal ones, whatever cosines these have. That to history
    costs what stands nothing, nor that to an earlier one beside it: a correction is like what it corrects.
    """
    if balance is None:
        return lambda pool: pool.with_entries(best_first(pool.entries))

    def stage(pool: Pool) -> Pool:
        entries = best_first(pool.entries)
        scores = np.array([one.score for one in entries])
        order = _order(balance * scores, (1 - balance) * _likeness(entries, unrelated or 0.0))
        return pool.with_entries(entries[place] for place in order)

    return stage


def _order(worth: Numbers, cost: Numbers) -> list[int]:
    """Places, each time the one of the greatest worth less the greatest cost beside those before; ties in order."""
    order: list[int] = []
    left, spent = worth.copy(), np.zeros(len(worth))
    for _ in worth:
        place = int((left - spent).argmax())
        order.append(place)
        left[place] = -np.inf
        np.maximum(spent, cost[:, place], out=spent)
    return order


def _likeness(entries: Sequence[Entry], unrelated: float) -> Numbers:
    """Of each to each that may come before it."""
    cosines = likeness(entries)
    found: Numbers = np.clip((cosines - unrelated) / (1 - unrelated), 0, 1).astype(np.float64)
    history = np.array([one.superseded for one in entries], dtype=bool)
    found[np.ix_(~history, history)] = 0
    for at, others in beside(entries).items():
        earlier = [one for one in others if _is_earlier(entries[one], entries[at])]
        found[at, earlier] = 0
    return found


def _is_earlier(one: Entry, other: Entry) -> bool:
    return one.memory.said_at < other.memory.said_at
