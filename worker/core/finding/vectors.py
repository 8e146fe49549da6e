"""Embeddings as numbers: float32 bytes in, cosines out."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from schemas.base import Vector

Matrix = npt.NDArray[np.float32]

#: How far the length of a unit vector may be from 1, for those who round to few digits.
TOLERANCE = 0.01


def cosines(rows: Sequence[Vector], columns: Sequence[Vector]) -> Matrix:
    """The cosine (−1 to 1) of each row with each column; all vectors are of unit length and one size."""
    if not rows or not columns:
        return np.zeros((len(rows), len(columns)), dtype=np.float32)
    product: Matrix = _matrix(rows) @ _matrix(columns).T
    return product.clip(-1.0, 1.0)


def is_unit(vector: Vector, dimensions: int) -> bool:
    """Whether it is as an embedder of this size makes them: no other may be compared."""
    if len(vector) != 4 * dimensions:
        return False
    numbers = np.frombuffer(vector, dtype="<f4").astype(np.float64)
    return bool(abs(np.linalg.norm(numbers) - 1) < TOLERANCE)


def _matrix(vectors: Sequence[Vector]) -> Matrix:
    return np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1)
