"""Keeps the stores of NeatMem for the bench of quality; run by a Python that has `neatmem`.

`PYTHON bench/quality/neatmem_driver.py FOLDER MODEL DIMENSIONS`: everything is kept in FOLDER, MODEL is asked at
`OPENAI_BASE_URL`. NeatMem reads its settings when it is imported, from the environment, which is the caller's to set.
One JSON document a line. In, and what comes back for each:

* `{"hear": {"user", "said_at", "messages", "facts", "asks_extraction"}}` → `{"facts": [text], "failed": null or why}`.
  Where `facts` is a list of texts they are what extraction finds, whatever the model says; it is asked for its costs
  alone, or not. Else the model's own come back.
* `{"look": {"user", "questions"}}` → `{"live": [{"id", "text"}], "past": [{"id", "text", "at", "heir"}],
  "hits": [[text]], "calls", "tokens", "seconds"}`, the last three since the first word of that user.

In between it asks `{"embed": [text]}` and reads `{"vectors": [[number]]}`: who calls has the embedder. That waiting is
in no `seconds`.
"""

import json
import logging
import os
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TextIO

from neatmem.config import MESSAGES_DB_PATH  # type: ignore[import-not-found]
from neatmem.memory_add import add_memories  # type: ignore[import-not-found]
from neatmem.memory_search import search_memories  # type: ignore[import-not-found]
from neatmem.memory_store import MemoryStore  # type: ignore[import-not-found]
from neatmem.storage.message.factory import (  # type: ignore[import-not-found]
    create_message_store,
)
from neatmem.storage.vector.factory import (  # type: ignore[import-not-found]
    create_vector_store,
)
from neatmem.utils.text_parsing import (  # type: ignore[import-not-found]
    extract_json,
    remove_code_blocks,
)
from openai import OpenAI, OpenAIError

EXTRACTION = "## New Messages"
MOST, FIRST = 100_000, 10


class Pipe:
    """Lines to and from who called; what libraries print goes to stderr."""

    def __init__(self) -> None:
        self._out: TextIO = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def write(self, document: Any) -> None:
        self._out.write(json.dumps(document) + "\n")
        self._out.flush()

    def read(self) -> dict[str, Any] | None:
        line = sys.stdin.readline()
        return json.loads(line) if line else None


class Embedder:
    """Asks who called."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe, self.seconds = pipe, 0.0

    def embed(self, text: str, _action: Any = None) -> list[float]:
        began = time.perf_counter()
        self._pipe.write({"embed": [text]})
        reply = self._pipe.read() or {}
        self.seconds += time.perf_counter() - began
        vector: list[float] = reply["vectors"][0]
        return vector


class Client:
    """A chat model that counts, and whose extraction may be given."""

    def __init__(self, asked: OpenAI) -> None:
        self._asked, self.spent = asked, Counter[str]()
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self.create))
        self.facts: list[str] | None = None
        self.asks_extraction = True
        #: What the last extraction came to.
        self.found: list[str] = []

    def create(self, **request: Any) -> Any:
        is_extraction = EXTRACTION in request["messages"][-1]["content"]
        if is_extraction and self.facts is not None:
            if self.asks_extraction:
                self._ask(request)
            self.found = self.facts
            return _completion(_extraction(self.facts))
        done = self._ask(request)
        if is_extraction:
            self.found = _texts(done.choices[0].message.content or "")
        return done

    def _ask(self, request: dict[str, Any]) -> Any:
        done = self._asked.chat.completions.create(**request)
        usage = done.usage
        self.spent.update(calls=1, tokens=usage.total_tokens if usage else 0)
        return done


def _extraction(facts: list[str]) -> str:
    """A reply that finds these."""
    named = enumerate(facts)
    found = [{"id": str(at), "text": text, "attributed_to": "user"} for at, text in named]
    return json.dumps({"memory": found})


def _texts(reply: str) -> list[str]:
    """What a reply finds; nothing where it cannot be read, as then nothing is kept."""
    try:
        found = json.loads(extract_json(remove_code_blocks(reply)), strict=False)["memory"]
        return [str(one["text"]) for one in found]
    except (ValueError, KeyError, TypeError):
        return []


def _completion(text: str) -> Any:
    message = SimpleNamespace(content=text)
    return SimpleNamespace(choices=[SimpleNamespace(message=message, finish_reason="stop")])


class Keeper:
    """All users' memories, in one store as NeatMem keeps them."""

    def __init__(self, folder: Path, model: str, dimensions: int, pipe: Pipe) -> None:
        self._model, self._embedder, self._client = model, Embedder(pipe), Client(OpenAI())
        vectors = create_vector_store(
            "qdrant",
            collection_name="neatmem",
            embedding_model_dims=dimensions,
            path=str(folder / "qdrant"),
            on_disk=False,
        )
        self._memory = MemoryStore(
            vector_store=vectors,
            embedding_model=self._embedder,
            history_db_path=str(folder / "history.db"),
        )
        self._messages = create_message_store(MESSAGES_DB_PATH)
        self._spent = defaultdict[str, Counter[str]](Counter)
        self._seconds = defaultdict[str, float](float)
        self._rows = 0
        self._past = defaultdict[str, list[dict[str, Any]]](list)

    def hear(self, order: dict[str, Any]) -> dict[str, Any]:
        user, client = order["user"], self._client
        client.facts, client.asks_extraction = order["facts"], order["asks_extraction"]
        began, waited, spent = time.perf_counter(), self._embedder.seconds, client.spent.copy()
        client.found = []
        failed = self._added(order)
        self._seconds[user] += time.perf_counter() - began - (self._embedder.seconds - waited)
        self._spent[user] += client.spent - spent
        self._past[user] += self._changes()
        return {"facts": client.found, "failed": failed}

    def _added(self, order: dict[str, Any]) -> str | None:
        try:
            add_memories(
                self._memory,
                self._client,
                self._model,
                order["messages"],
                user_id=order["user"],
                metadata={"timestamp": order["said_at"]},
                message_store=self._messages,
            )
        except (OpenAIError, ValueError, KeyError, AttributeError, TypeError) as error:
            return f"{type(error).__name__}: {error}"
        return None

    def _changes(self) -> list[dict[str, Any]]:
        """What was overwritten or removed since the last time; an updated memory is heir to its own words."""
        rows = self._memory.db.connection.execute(
            "SELECT rowid, memory_id, old_memory, updated_at, event FROM history WHERE rowid > ? ORDER BY rowid",
            (self._rows,),
        ).fetchall()
        self._rows = rows[-1][0] if rows else self._rows
        return [
            {"id": id, "text": old, "at": at, "heir": id if event == "UPDATE" else None}
            for _, id, old, at, event in rows
            if old is not None
        ]

    def look(self, order: dict[str, Any]) -> dict[str, Any]:
        user = order["user"]
        live = self._memory.get_all(filters={"user_id": user}, top_k=MOST)["results"]
        return {
            "live": [{"id": str(one["id"]), "text": one["memory"]} for one in live],
            "past": self._past[user],
            "hits": [self._hits(user, question) for question in order["questions"]],
            "calls": self._spent[user]["calls"],
            "tokens": self._spent[user]["tokens"],
            "seconds": self._seconds[user],
        }

    def _hits(self, user: str, question: str) -> list[str]:
        """Its dense search: the keyword and entity signals are off, as in hearing."""
        found = search_memories(
            self._memory,
            question,
            {"user_id": user},
            top_k=FIRST,
            use_entity=False,
            use_bm25=False,
        )
        ids = (one["id"] for one in found["results"])
        return [one["memory"] for id in ids if (one := self._memory.get(id)) is not None]


def main(arguments: list[str]) -> int:
    folder, model, dimensions = Path(arguments[0]), arguments[1], int(arguments[2])
    logging.disable(logging.CRITICAL)
    pipe = Pipe()
    keeper = Keeper(folder, model, dimensions, pipe)
    acts = {"hear": keeper.hear, "look": keeper.look}
    while (order := pipe.read()) is not None:
        ((name, given),) = order.items()
        pipe.write(acts[name](given))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
