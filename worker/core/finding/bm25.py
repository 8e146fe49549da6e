"""BM25 over a pool of texts, so that every store's nominations are ranked alike.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf of
Apache Lucene's `BM25Similarity`, ln(1 + (N − n + 0.5) / (n + 0.5)), which is never negative.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

K1 = 1.2
B = 0.75

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Pool:
    """What each wanted term adds to the score of each of some texts."""

    weights: Mapping[str, Scores]
    #: How many texts there are.
    size: int


def pool(texts: Iterable[Sequence[str]], wanted: Iterable[str]) -> Pool:
    """From the terms of each text; of those only the wanted ones are looked at."""
    #: Term → places of the texts that hold it, as often as they do.
    holders: dict[str, list[int]] = {term: [] for term in wanted}
    looked_for, lengths = frozenset(holders), []
    for place, terms in enumerate(texts):
        lengths.append(len(terms))
        for term in looked_for.intersection(terms):
            holders[term] += [place] * terms.count(term)
    sizes = np.array(lengths, dtype=np.float64)
    norms = K1 * (1 - B + B * sizes / (sizes.mean() if sizes.any() else 1.0))
    return Pool({term: _weights(held, norms) for term, held in holders.items()}, len(lengths))


def _weights(holders: Sequence[int], norms: Scores) -> Scores:
    times = np.bincount(np.array(holders, dtype=np.intp), minlength=len(norms))
    held = np.count_nonzero(times)
    idf = np.log(1 + (len(norms) - held + 0.5) / (held + 0.5))
    return np.asarray(idf * times * (K1 + 1) / (times + norms))


def scores(query: Iterable[str], pool: Pool) -> Scores:
    """Of each text in its place: above 0 where it shares a term with the query, else 0."""
    found = np.zeros(pool.size)
    for term in dict.fromkeys(query):
        if term in pool.weights:
            found += pool.weights[term]
    return found
