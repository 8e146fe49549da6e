"""NeatMem with its embedded store, run by a Python that has `neatmem`; keyword search, entities and graph are off.

`PYTHON -m bench.adding.neatmem_driver BATCHES MODEL_URL`: see `bench.adding.passes`. It reads its settings from the
environment when it is imported: they are the caller's to set.
"""

import logging
import sys
from pathlib import Path
from typing import Any

from neatmem.config import MESSAGES_DB_PATH, build_memory_store  # type: ignore[import-not-found]
from neatmem.memory_add import add_memories  # type: ignore[import-not-found]
from neatmem.storage.message.factory import create_message_store  # type: ignore[import-not-found]
from openai import OpenAI

from bench.adding.passes import serve

USER, MOST = "bench", 100_000


def main(arguments: list[str]) -> int:
    batches, model_url = Path(arguments[0]), arguments[1]
    logging.disable(logging.WARNING)
    memory, messages = build_memory_store(), create_message_store(MESSAGES_DB_PATH)
    client = OpenAI(api_key="none", base_url=model_url)

    def add(batch: dict[str, Any]) -> None:
        told = {"user_id": USER, "metadata": {"timestamp": batch["date"]}}
        add_memories(memory, client, "locomo", batch["messages"], message_store=messages, **told)

    def texts() -> list[str]:
        found = memory.get_all(filters={"user_id": USER}, top_k=MOST)
        return [one["memory"] for one in found["results"]]

    serve(batches, add, texts)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
