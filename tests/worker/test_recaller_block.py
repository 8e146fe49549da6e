"""What a chat backend puts before its model, by the library as the README shows it."""

import os
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from schemas.memory import MemoryRecord
from schemas.scope import Scope
from tests.build import memory
from tests.hold import HELD
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.adapters.stores.opening import open_store
from worker.errors import Misconfigured
from worker.recaller import Recaller
from worker.settings import Settings

ROOT = Path(__file__).parent.parent.parent
ASK = [{"role": "user", "content": "Where do I live?"}]


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store in which alice lives in Austin."""
    made = f"sqlite:///{tmp_path / 'memory.db'}"
    embedder, whose = HashedEmbedder(), Scope(app="acme", user="alice")
    with closing(open_store(made)) as store:
        store.open(embedder.fingerprint, embedder.dimensions)
        home = memory("Lives in Austin.", scope=whose)
        writer = store.writer(whose, HELD)
        writer.prepare()
        writer.put_memories([MemoryRecord(memory=home, vector=embedder.embed([home.text])[0])])
    return made


def test_the_readme_reads_back_what_is_known(url: str, tmp_path: Path) -> None:
    _, example, *_ = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    settings = {"STORE_URL": url, "EMBEDDER": "hash", "DATA_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", example],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {f"SLOWWAVE_{name}": value for name, value in settings.items()},
    )

    first, kind, *_, begin, _, line, end = done.stdout.splitlines()
    assert (first, kind) == ("Lives in Austin. 2026-05-02", "Be kind.")
    assert (begin, line, end) == ("<recalled>", "- Lives in Austin. (2026-05-02)", "</recalled>")


def test_a_block_is_written_under_the_settings_and_put_in_one_place(
    url: str, tmp_path: Path
) -> None:
    given = Settings(
        store_url=url,
        embedder="hash",
        data_dir=tmp_path,
        recall_begin="[[memory]]",
        recall_end="[[end]]",
        recall_max_tokens=5,
        _env_file=None,
    )
    with Recaller.open(given) as recaller:
        answer = recaller.recall("acme", "alice", "Where do I live?")
        once = recaller.with_block(ASK, answer)
        text = recaller.block(answer)

        assert recaller.with_block(once, answer, place="last") == once
        assert recaller.with_block(once, recaller.recall("acme", "ben")) == ASK

    assert once == [{"role": "system", "content": text}, *ASK]
    assert text.startswith("[[memory]]\n")
    assert "Lives in Austin." in text


def test_a_template_that_is_none_is_told_when_the_library_is_opened(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("item = 7")
    given = Settings(recall_template=tmp_path / "mine.toml", embedder="hash", _env_file=None)

    with pytest.raises(Misconfigured, match=r"mine\.toml: `corrected` is missing"):
        Recaller.open(given)
