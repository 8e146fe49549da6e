"""BM25 over a pool of texts, so that every store's nominations are ranked alike.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf of
Apache Lucene's `BM25Similarity`, ln(1 + (N − n + 0.5) / (n + 0.5)), which is never negative.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

K1 = 1.2
B = 0.75


@dataclass(frozen=True)
class Pool:
    """Term counts of each text, in order, and what is known of them together."""

    counts: tuple[Counter[str], ...]
    #: In how many texts a term occurs.
    frequency: Counter[str]
    mean_length: float


def pool(texts: Iterable[Sequence[str]]) -> Pool:
    """From the terms of each text."""
    counts = tuple(Counter(terms) for terms in texts)
    length = sum(map(Counter.total, counts))
    frequency = Counter(term for count in counts for term in count)
    return Pool(counts, frequency, length / len(counts) if counts else 0.0)


def scores(query: Iterable[str], pool: Pool) -> list[float]:
    """One score for each text of the pool, 0 where no term is shared."""
    weights = {term: _idf(term, pool) for term in set(query) if term in pool.frequency}
    return [_score(weights, counts, pool.mean_length) for counts in pool.counts]


def _idf(term: str, pool: Pool) -> float:
    n = pool.frequency[term]
    return log(1 + (len(pool.counts) - n + 0.5) / (n + 0.5))


def _score(weights: dict[str, float], counts: Counter[str], mean_length: float) -> float:
    norm = K1 * (1 - B + B * counts.total() / mean_length) if mean_length else K1
    found = ((weight, counts[term]) for term, weight in weights.items() if term in counts)
    return sum((weight * tf * (K1 + 1) / (tf + norm) for weight, tf in found), 0.0)
