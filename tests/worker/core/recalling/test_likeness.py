"""How like memories are to one another, computed in portions."""

import numpy as np
import pytest

from tests.build import memory, vector
from worker.core.recalling import signals
from worker.core.recalling.pool import Entry
from worker.core.recalling.signals import likeness


def entries(many: int, size: int = 8) -> list[Entry]:
    return [Entry(memory(f"m{at}"), vector(f"m{at}", size)) for at in range(many)]


@pytest.mark.parametrize("portion", [1, 60, 250_000])
def test_likeness_is_the_cosine_of_each_with_each_whatever_the_portions(
    portion: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signals, "AT_ONCE", portion)
    some = entries(7)
    rows = np.array([np.frombuffer(one.vector, "<f4") for one in some])

    assert np.allclose(likeness(some), rows @ rows.T, atol=1e-5)


def test_what_has_no_vector_to_compare_is_like_nothing() -> None:
    some = [*entries(2), Entry(memory("bare")), *entries(1, size=4)]
    found = likeness(some)

    assert np.allclose(np.diag(found), [1, 1, 0, 0], atol=1e-5)
    assert not found[2:].any()


def test_nothing_is_like_nothing() -> None:
    assert likeness([]).shape == (0, 0)
    assert likeness([Entry(memory("bare"))]).tolist() == [[0.0]]
