"""An embedder whose similarities are given: what the cases mean by a fake similarity of 0.97."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from schemas.base import Vector


@dataclass
class GivenSimilarities:
    """Every text has an axis of its own; `near` leans one text towards an earlier one by a cosine."""

    near: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    floor: float = 0.5
    same: float = 0.999
    dimensions: int = 64
    fingerprint: str = "given_64"
    seen: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [self._vector(text).astype("<f4").tobytes() for text in texts]

    def _vector(self, text: str) -> NDArray[np.float64]:
        if text not in self.seen:
            self.seen.append(text)
        axis = np.zeros(self.dimensions)
        axis[self.seen.index(text)] = 1.0
        if text not in self.near:
            return axis
        other, cosine = self.near[text]
        leaning: NDArray[np.float64] = cosine * self._vector(other) + np.sqrt(1 - cosine**2) * axis
        return leaning
