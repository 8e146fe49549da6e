"""Who judges for the bench of sleep: an oracle that knows what was planted, and one that calls all the same."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from bench.scripted_model import Script, ScriptedModel
from bench.sleep.planting import Said

#: Characters of a token, for an estimate that is the same everywhere.
CHARACTERS = 4


class Judge(ScriptedModel):
    """Tells tokens by the characters that it read and wrote."""

    def __init__(self, script: Script) -> None:
        super().__init__(script, lambda: 0.0)

    def answer(self, body: bytes) -> tuple[int, Any] | None:
        answered = super().answer(body)
        if answered is not None and "choices" in answered[1]:
            document = answered[1]
            read = sum(len(one["content"]) for one in json.loads(body)["messages"])
            wrote = len(document["choices"][0]["message"]["content"])
            tokens = read // CHARACTERS, wrote // CHARACTERS
            names = ("prompt_tokens", "completion_tokens", "total_tokens")
            document["usage"] = dict(zip(names, (*tokens, sum(tokens)), strict=True))
        return answered


@dataclass(frozen=True)
class Oracle:
    """What a model would answer that never errs: what is measured is what sleep makes of it."""

    known: dict[str, Said] = field(default_factory=dict)

    def learn(self, said: Iterable[Said]) -> None:
        self.known.update((one.text, one) for one in said)

    def answer(self, job: str, document: dict[str, Any]) -> Any:
        """Of `reorganize` alone; a text that was never planted is about nothing else."""
        memories = document["memories"]
        about = [self.known.get(one["text"]) for one in memories]
        mine = about[0]
        if mine is None:
            return {"groups": [], "new": []}
        found = [
            (memory["id"], one)
            for memory, one in zip(memories, about, strict=True)
            if one is not None and one.thing == mine.thing
        ]
        if len(found) == 1:
            return {"groups": [], "new": []}
        values = [one.value for _, one in found if one.is_over]
        group = {
            "why": "planted",
            "members": [id for id, _ in found],
            "relation": "contradict" if values else "same",
            "drops": values,
            "text": None,
            "after": None,
        }
        return {"groups": [group], "new": []}


def careless(_: str, document: dict[str, Any]) -> Any:
    """What is asked about and the nearest say the same, whatever they say."""
    members = [one["id"] for one in document["memories"][:2]]
    group = {"why": "looks alike", "members": members, "relation": "same"}
    return {"groups": [group | {"drops": [], "text": None, "after": None}], "new": []}
