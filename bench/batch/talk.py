"""Batches of ten turns that say four things anew about a crowd, and a model that judges them at once. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import numpy as np

from bench.recall.crowd import DIMENSIONS, NOW, OWN, Crowd, vector_of
from schemas.base import Vector
from schemas.memory import MemoryRecord
from schemas.scope import Scope
from worker.adapters.model import Completion, Message
from worker.core.step import Prompt

TURNS, FACTS = 10, 4
#: Words that a fact has beside those of the memory that it is an update of.
NEWS = ("lately", "again")
FINGERPRINT = "bench_384"


@dataclass(frozen=True)
class Saying:
    """What one turn says, and the memory that it brings up to date."""

    about: MemoryRecord
    text: str
    vector: Vector


@dataclass(frozen=True)
class Batch:
    sayings: Sequence[Saying]

    def turns(self, scope: Scope, nth: int) -> list[dict[str, Any]]:
        """A turn in two says something, until there is nothing left to say; the others are small talk."""
        said = {2 * at: one.text for at, one in enumerate(self.sayings)}
        return [
            {
                "app": scope.app,
                "user": scope.user,
                "conversation": "1",
                "role": "assistant" if at % 2 else "user",
                "text": said.get(at, f"I see, go on with {nth}."),
                "said_at": (NOW + timedelta(hours=nth, minutes=at)).isoformat(),
                "id": f"{nth}-{at}",
            }
            for at in range(TURNS)
        ]


def filled(crowd: Crowd, scope: Scope) -> list[MemoryRecord]:
    """The crowd's records with a slot each, as extraction gives them."""
    return [
        one.model_copy(
            update={
                "memory": one.memory.model_copy(
                    update={"attribute": one.memory.text.split()[1].rstrip(".")}
                )
            }
        )
        for one in crowd.records(scope)
    ]


def batches(records: Sequence[MemoryRecord], many: int) -> list[Batch]:
    """So many, each about other memories, or fewer where the crowd is small."""
    of = min(many, len(records) // FACTS)
    return [
        Batch([saying(record, at) for at, record in _share(records, nth, of)]) for nth in range(of)
    ]


def _share(records: Sequence[MemoryRecord], nth: int, of: int) -> list[tuple[int, MemoryRecord]]:
    """Far apart in the order of the crowd."""
    places = [nth + at * of for at in range(FACTS)]
    return [(place, records[place]) for place in places]


def saying(record: MemoryRecord, seed: int) -> Saying:
    noise = np.random.default_rng(seed).standard_normal(DIMENSIONS, dtype=np.float32)
    near = np.frombuffer(record.vector, "<f4") + OWN * noise / np.linalg.norm(noise)
    text = f"{record.memory.text.rstrip('.')} {' '.join(NEWS)}."
    return Saying(record, text, vector_of(near / np.linalg.norm(near)))


def said_anew(text: str) -> str:
    """The memory's text from the fact's."""
    return text.removesuffix(f" {' '.join(NEWS)}.") + "."


@dataclass
class Heard:
    """A model and an embedder in one process, which know what is said: both answer at once."""

    said: Mapping[str, Saying]
    fingerprint: str = FINGERPRINT
    dimensions: int = DIMENSIONS
    floor: float = 0.86
    same: float = 0.962
    #: What it was asked, in order.
    asked: list[Prompt] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [self.said[text].vector for text in texts]

    def complete(self, prompt: Prompt, messages: Sequence[Message]) -> Completion:
        self.asked.append(prompt)
        answers = {"extraction": self._facts, "pair": paired}
        return Completion(json.dumps(answers.get(prompt.job, judged)(prompt.document)))

    def close(self) -> None:
        """Nothing is open."""

    def _facts(self, document: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "facts": [
                {
                    "text": turn["text"],
                    "subject": said.about.memory.subject,
                    "attribute": said.about.memory.attribute,
                    "kind": "fact",
                    "volatile": False,
                    "turns": [turn["id"]],
                    "happened_at": None,
                    "until": None,
                }
                for turn in document["turns"]
                if (said := self.said.get(turn["text"]))
            ]
        }


def judged(document: Mapping[str, Any]) -> dict[str, Any]:
    """Each fact is an update of the memory that it says anew, and stands afterwards."""
    known = {one["text"]: one["id"] for one in document["candidates"]}
    olders = {one["id"]: known.get(said_anew(one["text"])) for one in document["facts"]}
    return {
        "groups": [
            {
                "why": "it is said anew",
                "members": [fact, older],
                "relation": "update",
                "drops": [],
                "text": None,
                "after": None,
            }
            for fact, older in olders.items()
            if older
        ],
        "new": [fact for fact, older in olders.items() if not older],
    }


def paired(document: Mapping[str, Any]) -> dict[str, Any]:
    """The same of one fact and one memory."""
    is_older = document["candidate"]["text"] == said_anew(document["fact"]["text"])
    return {"why": "it is said anew", "relation": "update" if is_older else "separate"}
