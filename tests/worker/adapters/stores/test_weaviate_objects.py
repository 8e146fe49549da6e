import numpy as np
import pytest

from tests.build import record, vector
from worker.adapters.stores import weaviate_objects
from worker.adapters.stores.weaviate_collections import Embedding
from worker.adapters.stores.weaviate_objects import in_requests, of_memory, pair_of, reindexed

EMBEDDING = Embedding("tests_8", 8)


def test_no_two_writes_of_a_vector_are_equal_and_all_have_its_direction() -> None:
    exact = np.frombuffer(vector("x"), "<f4")
    written = [np.array(reindexed(vector("x")), "<f4") for _ in range(20)]

    assert len({one.tobytes() for one in written}) > 15
    for one in written:
        assert np.dot(one, exact) / np.linalg.norm(one) > 1 - 1e-6


def test_a_record_without_slot_has_none_in_its_object() -> None:
    bare = of_memory(record("x"), EMBEDDING).properties
    slotted = of_memory(record("x", subject="Zoë", attribute="a: b"), EMBEDDING).properties

    assert bare.keys() == {"payload", "terms", "subject", "identifiers", "embedder"}
    assert pair_of(str(slotted["pair"])) == ("Zoë", "a: b")


def test_requests_are_bounded_in_objects_and_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    small = [of_memory(record(f"text {n}"), EMBEDDING) for n in range(401)]
    assert [len(piece) for piece in in_requests(small)] == [200, 200, 1]

    monkeypatch.setattr(weaviate_objects, "CHUNK_BYTES", 10)
    assert [len(piece) for piece in in_requests(small[:3])] == [1, 1, 1]
    assert list(in_requests([])) == []
