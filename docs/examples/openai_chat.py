"""A chat that remembers, with the `openai` package: `OPENAI_API_KEY=… python docs/examples/openai_chat.py`.

Beside it runs `slowwave up`, or a worker on the same Redis and store. Say who you are, ask about it in another run.
"""

import os
import sys
from collections.abc import Iterator
from typing import Any

from openai import OpenAI

from producers.producer import Producer
from worker.interfaces.frameworks.chat_memory import ChatMemory
from worker.interfaces.frameworks.openai_chat import remembering
from worker.recaller import Recaller
from worker.settings import load
from worker.wiring import redis_url

MODEL = os.environ.get("OPENAI_MODEL", "gpt-4.1-mini")


def answered(client: OpenAI, messages: list[dict[str, str]]) -> Iterator[str]:
    stream: Any = client.chat.completions.create(
        model=MODEL,
        messages=messages,  # type: ignore[arg-type] # plain dicts of the right shape
        stream=True,
    )
    for chunk in stream:
        if chunk.choices:
            yield chunk.choices[0].delta.content or ""


def main() -> None:
    settings = load()
    recaller = Recaller.open(settings)
    messages: list[dict[str, str]] = []
    with (
        Producer(redis_url(settings)) as producer,
        ChatMemory(recaller, producer, app="example", user="alice") as memory,
    ):
        client = remembering(OpenAI(), memory)
        for line in sys.stdin:
            messages.append({"role": "user", "content": line.strip()})
            said = ""
            for piece in answered(client, messages):
                said += piece
                print(piece, end="", flush=True)
            print()
            messages.append({"role": "assistant", "content": said})
    recaller.close()


if __name__ == "__main__":
    main()
