"""Times the search of mem0 over the same vectors, with its embedded Qdrant; run by a Python that has `mem0ai`.

`PYTHON bench/recall/peer.py FOLDER SECONDS CALLERS`: FOLDER holds `crowd.json` (texts, questions), `vectors.npy` and
`wanted.npy`. `MEM0_TELEMETRY` and `MEM0_DIR` are the caller's to set. Prints one JSON document: version, and
milliseconds of each call by one caller and by several at once.
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
from mem0 import Memory  # type: ignore[import-not-found]

USER, LIMIT, PORTION = "bench", 20, 1_000


def main(arguments: list[str]) -> int:
    folder, seconds, callers = Path(arguments[0]), float(arguments[1]), int(arguments[2])
    crowd = json.loads((folder / "crowd.json").read_text())
    vectors, wanted = np.load(folder / "vectors.npy"), np.load(folder / "wanted.npy")
    memory = Memory.from_config(_config(folder, vectors.shape[1]))
    looked_up = dict(zip(crowd["questions"], wanted.tolist(), strict=True))
    memory.embedding_model = _LookedUp(looked_up)
    for at in range(0, len(vectors), PORTION):
        texts = crowd["texts"][at : at + PORTION]
        memory.vector_store.insert(
            vectors=vectors[at : at + PORTION].tolist(),
            payloads=[{"data": text, "user_id": USER, "hash": str(at)} for text in texts],
            ids=[str(UUID(int=at + nth)) for nth in range(len(texts))],
        )

    def asked(question: str) -> float:
        began = time.perf_counter()
        memory.search(question, filters={"user_id": USER}, top_k=LIMIT)
        return 1000 * (time.perf_counter() - began)

    questions = crowd["questions"]
    asked(questions[0])
    alone = _until(seconds, questions, asked)
    with ThreadPoolExecutor(callers) as pool:
        shares = [questions[nth::callers] for nth in range(callers)]
        began = time.perf_counter()
        found = list(pool.map(lambda mine: _until(seconds, mine, asked), shares))
        lasted = time.perf_counter() - began
    together = [one for mine in found for one in mine]
    document = {
        "version": version("mem0ai"),
        "alone": alone,
        "together": together,
        "a_second": len(together) / lasted,
        "megabytes": _megabytes(),
    }
    print(json.dumps(document))
    return 0


class _LookedUp:
    """An embedder that answers at once."""

    def __init__(self, vectors: dict[str, list[float]]) -> None:
        self._vectors = vectors

    def embed(self, text: str, _action: Any = None) -> list[float]:
        return self._vectors[text]


def _until(seconds: float, questions: list[str], asked: Any) -> list[float]:
    """At least one."""
    until = time.perf_counter() + seconds
    found = []
    for question in questions:
        found.append(asked(question))
        if time.perf_counter() > until:
            break
    return found


def _config(folder: Path, dimensions: int) -> dict[str, Any]:
    unused = {"provider": "openai", "config": {"api_key": "none"}}
    place = {"path": str(folder / "qdrant"), "embedding_model_dims": dimensions, "on_disk": True}
    return {
        "vector_store": {"provider": "qdrant", "config": place},
        "embedder": unused,
        "llm": unused,
        "history_db_path": str(folder / "history.db"),
    }


def _megabytes() -> float:
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
