"""Embeddings as numbers."""

import numpy as np
import pytest

from schemas.base import Vector
from worker.core.finding.vectors import cosines, is_unit


def unit(*numbers: float) -> Vector:
    vector: Vector = (np.array(numbers) / np.linalg.norm(numbers)).astype("<f4").tobytes()
    return vector


def test_each_row_meets_each_column() -> None:
    rows, columns = [unit(1, 0), unit(3, 4)], [unit(0, 1), unit(1, 0), unit(-1, 0)]

    assert cosines(rows, columns) == pytest.approx(np.array([[0, 1, -1], [0.8, 0.6, -0.6]]))


def test_a_cosine_never_leaves_its_range() -> None:
    close = (np.ones(3) * 0.57736).astype("<f4").tobytes()

    assert cosines([close], [close]).max() == 1.0


@pytest.mark.parametrize(
    ("numbers", "is_one"),
    [
        ((0.6, 0.8), True),
        ((0.6, 0.799), True),
        ((3, 4), False),
        ((0, 0), False),
        ((1.0,), False),
        ((np.nan, 0), False),
        ((np.inf, 0), False),
        ((1e30, 0), False),
    ],
)
def test_only_of_length_one_it_is_an_embedding(numbers: tuple[float, ...], *, is_one: bool) -> None:
    assert is_unit(np.array(numbers).astype("<f4").tobytes(), 2) == is_one


def test_nothing_has_no_cosines() -> None:
    assert cosines([], [unit(1, 0)]).shape == (0, 1)
    assert cosines([unit(1, 0)], []).shape == (1, 0)
