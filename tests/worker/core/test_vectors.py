"""Embeddings as numbers."""

import numpy as np
import pytest

from schemas.base import Vector
from worker.core.vectors import cosines


def unit(*numbers: float) -> Vector:
    vector: Vector = (np.array(numbers) / np.linalg.norm(numbers)).astype("<f4").tobytes()
    return vector


def test_each_row_meets_each_column() -> None:
    rows, columns = [unit(1, 0), unit(3, 4)], [unit(0, 1), unit(1, 0), unit(-1, 0)]

    assert cosines(rows, columns) == pytest.approx(np.array([[0, 1, -1], [0.8, 0.6, -0.6]]))


def test_a_cosine_never_leaves_its_range() -> None:
    close = (np.ones(3) * 0.57736).astype("<f4").tobytes()

    assert cosines([close], [close]).max() == 1.0


def test_nothing_has_no_cosines() -> None:
    assert cosines([], [unit(1, 0)]).shape == (0, 1)
    assert cosines([unit(1, 0)], []).shape == (1, 0)
