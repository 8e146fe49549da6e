import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.adapters.embedders.unit import fingerprint, readable, unit


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_readable_text_can_always_be_encoded_and_has_no_nul(text: str) -> None:
    assert b"\0" not in readable(text).encode()


@pytest.mark.parametrize("broken", [[0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]])
def test_a_vector_without_direction_is_refused(broken: list[float]) -> None:
    with pytest.raises(ValueError, match="zero or not finite"):
        unit(np.array([[1.0, 0.0], broken]))


def test_huge_and_tiny_vectors_come_out_at_length_one() -> None:
    for vector in unit(np.array([[3e30, 4e30], [3e-30, 4e-30]])):
        assert np.frombuffer(vector, "<f4") == pytest.approx([0.6, 0.8])


@given(st.text(), st.text())
def test_different_models_have_different_legal_fingerprints(one: str, other: str) -> None:
    assert (fingerprint(one, 8) == fingerprint(other, 8)) == (one == other)
    assert fingerprint(one, 8).isidentifier()
    assert fingerprint(one, 8).isascii()


@pytest.mark.parametrize(
    "one, other",
    [("a-b", "a_b"), ("BAAI/bge-m3", "BAAI_bge_m3"), ("x" * 99, "x" * 98), ("1", "m_1")],
)
def test_names_that_look_alike_once_cleaned_stay_apart(one: str, other: str) -> None:
    assert fingerprint(one, 8) != fingerprint(other, 8)


def test_a_size_makes_another_fingerprint() -> None:
    assert fingerprint("m", 8) != fingerprint("m", 16)
