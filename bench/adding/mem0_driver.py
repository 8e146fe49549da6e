"""mem0 with its embedded Qdrant on disk, run by a Python that has `mem0ai`.

`PYTHON -m bench.adding.mem0_driver BATCHES MODEL_URL FOLDER`: see `bench.adding.passes`. `MEM0_TELEMETRY` and
`MEM0_DIR` are the caller's to set.
"""

import sys
from pathlib import Path
from typing import Any

from mem0 import Memory  # type: ignore[import-not-found]

from bench.adding.passes import serve

USER, DIMENSIONS, MOST = "bench", 384, 100_000


def main(arguments: list[str]) -> int:
    batches, model_url, folder = Path(arguments[0]), arguments[1], Path(arguments[2])
    memory = Memory.from_config(_config(model_url, folder))

    def add(batch: dict[str, Any]) -> None:
        memory.add(batch["messages"], user_id=USER, metadata={"timestamp": batch["date"]})

    def texts() -> list[str]:
        found = memory.get_all(filters={"user_id": USER}, top_k=MOST)
        return [one["memory"] for one in found["results"]]

    serve(batches, add, texts)
    return 0


def _config(model_url: str, folder: Path) -> dict[str, Any]:
    endpoint = {"api_key": "none", "openai_base_url": model_url}
    place = {"path": str(folder / "qdrant"), "embedding_model_dims": DIMENSIONS, "on_disk": True}
    return {
        "llm": {"provider": "openai", "config": {**endpoint, "model": "locomo"}},
        "embedder": {
            "provider": "openai",
            "config": {**endpoint, "model": "locomo-embedding", "embedding_dims": DIMENSIONS},
        },
        "vector_store": {"provider": "qdrant", "config": place},
        "history_db_path": str(folder / "history.db"),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
