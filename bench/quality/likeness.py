"""How near texts are to each other, of all that a set has."""

from collections.abc import Mapping, Sequence

import numpy as np

from schemas.base import Vector

#: As many hits as an answer has.
FIRST = 10


class Likeness:
    """Cosines of every two texts, computed once: thresholds are tried over the same ones many times."""

    def __init__(self, vectors: Mapping[str, Vector]) -> None:
        """Text → its vector of length 1, float32. Memory is 4 bytes for every two texts."""
        self._place = {text: place for place, text in enumerate(vectors)}
        rows = [np.frombuffer(vector, dtype="<f4") for vector in vectors.values()]
        matrix = np.stack(rows) if rows else np.empty((0, 0), dtype="<f4")
        self._cosines = matrix @ matrix.T

    def cosine(self, one: str, other: str) -> float:
        return float(self._cosines[self._place[one], self._place[other]])

    def nearest(self, text: str, among: Sequence[str], many: int = FIRST) -> list[int]:
        """Places of the nearest, the best first; of equals the earlier."""
        places = np.fromiter((self._place[one] for one in among), dtype=np.intp, count=len(among))
        cosines = self._cosines[self._place[text], places]
        if many == 1:
            return [int(cosines.argmax())] if len(among) else []
        return [int(place) for place in np.argsort(-cosines, kind="stable")[:many]]
