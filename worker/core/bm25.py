"""BM25 over a pool of texts, so that every store's nominations are ranked alike.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf of
Apache Lucene's `BM25Similarity`, ln(1 + (N − n + 0.5) / (n + 0.5)), which is never negative.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

K1 = 1.2
B = 0.75


@dataclass(frozen=True)
class Pool:
    """An inverted index of some texts."""

    #: Term → how often it stands in which text, by the text's place.
    postings: Mapping[str, Mapping[int, int]]
    #: Terms in each text.
    lengths: tuple[int, ...]


def pool(texts: Iterable[Sequence[str]]) -> Pool:
    """From the terms of each text."""
    postings: dict[str, dict[int, int]] = {}
    lengths = []
    for place, terms in enumerate(texts):
        lengths.append(len(terms))
        for term, count in Counter(terms).items():
            postings.setdefault(term, {})[place] = count
    return Pool(postings, tuple(lengths))


def scores(query: Iterable[str], pool: Pool) -> dict[int, float]:
    """Place → score of each text that shares a term with the query; all are above 0."""
    found: dict[int, float] = {}
    mean = sum(pool.lengths) / len(pool.lengths) if pool.lengths else 0.0
    for term in dict.fromkeys(query):
        holders = pool.postings.get(term, {})
        idf = log(1 + (len(pool.lengths) - len(holders) + 0.5) / (len(holders) + 0.5))
        for place, count in holders.items():
            norm = K1 * (1 - B + B * pool.lengths[place] / mean)
            found[place] = found.get(place, 0.0) + idf * count * (K1 + 1) / (count + norm)
    return found
