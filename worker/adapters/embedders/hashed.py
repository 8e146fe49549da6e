"""Vectors without a model: hashed words and letter groups. Finds shared words, knows no meaning."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b

import numpy as np

from schemas.base import Vector
from worker.adapters.embedders.unit import fingerprint, readable, unit

#: Letters of a group; a word is framed by spaces first, so that its start and its end count.
GROUP_SIZES = (3, 4)
WORD = re.compile(r"[^\W_]+|[^\w\s]")
#: Names the way features are made: another way is another embedder.
RECIPE = "hash1"


class HashedEmbedder:
    """Feature hashing (Weinberger et al., ICML 2009), the same in every process."""

    #: Statements that share a telling word lie above, most strangers below.
    floor = 0.22
    #: Near-literal repetition only: where one digit differs it is still 0.96.
    same = 0.97

    def __init__(self, dimensions: int = 1024) -> None:
        self.dimensions = dimensions
        self.fingerprint = fingerprint(RECIPE, dimensions)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for feature, times in Counter(_features(readable(text))).items():
                place, sign = _place(feature)
                row[place % self.dimensions] += sign * times**0.5
            if not row.any():
                row[0] = 1.0
        return unit(rows)

    def close(self) -> None:
        """Holds nothing open."""


def _features(text: str) -> Iterator[str]:
    for word in WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        yield f"w{word}"
        framed = f" {word} "
        for size in GROUP_SIZES:
            yield from (framed[at : at + size] for at in range(len(framed) - size + 1))


def _place(feature: str) -> tuple[int, int]:
    """A place and a sign; the sign keeps collisions from adding up."""
    number = int.from_bytes(blake2b(feature.encode(), digest_size=8).digest(), "big")
    return number >> 1, 1 if number & 1 else -1
