"""The server of a small model comes up, or says why not."""

from pathlib import Path

import pytest

from tests.model.packages import NoModel
from tests.model.server import started
from tests.model.weights import SMOLLM2


def test_a_server_that_does_not_start_quotes_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    lacking = pytest.raises(NoModel, match="No module named 'xllamacpp'")

    with lacking, started(SMOLLM2, tmp_path / "server.log"):
        pytest.fail("it started")
