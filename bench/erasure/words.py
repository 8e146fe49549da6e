"""Words that stand nowhere else, one for each place that may keep what was said, and a model that puts them there."""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

SYLLABLES = [a + b for a in "bdfgklmnprtvz" for b in "aeiou"]
LENGTH = 6


def new_word(rng: Random) -> str:
    return "".join(rng.choices(SYLLABLES, k=LENGTH))


@dataclass(frozen=True)
class Topic:
    """A thing somebody speaks of three times: what it was, what it is, and the same in other words."""

    thing: str
    archive: str
    live: str
    #: Only in what was called the same, which a run keeps.
    said: str
    #: Only in a judge's reason.
    why: str
    #: Only in a turn, beside what is a fact.
    recent: str

    @classmethod
    def new(cls, thing: str, rng: Random) -> "Topic":
        return cls(thing, *(new_word(rng) for _ in range(5)))

    @property
    def turns(self) -> tuple[str, ...]:
        return (
            f"The {self.thing} is {self.archive}",
            f"The {self.thing} is {self.live}",
            f"The {self.thing} is {self.live} {self.said}. Well, {self.recent}.",
        )

    @property
    def words(self) -> dict[str, str]:
        """Place → its word."""
        return {name: word for name, word in vars(self).items() if name != "thing"}


@dataclass(frozen=True)
class Scribe:
    """A model that takes the first sentence of each turn for a fact, and knows the topics."""

    topics: tuple[Topic, ...]

    def answer(self, job: str, document: dict[str, Any]) -> Any:
        if job == "extraction":
            return {"facts": [_fact(turn) for turn in document["turns"]]}
        shown = {one["id"]: one["text"] for one in document["candidates"]}
        groups = [*self._groups(document["facts"], shown)]
        taken = {one for group in groups for one in group["members"]}
        new = [one["id"] for one in document["facts"] if one["id"] not in taken]
        return {"groups": groups, "new": new}

    def _groups(
        self, facts: Iterable[dict[str, Any]], shown: dict[str, str]
    ) -> Iterable[dict[str, Any]]:
        for fact in facts:
            topic = next((one for one in self.topics if one.live in fact["text"]), None)
            words = [topic.archive, topic.live] if topic else []
            known = [one for one in fact["candidates"] if _has(shown.get(one, ""), words)]
            if topic and known:
                yield _group(topic, fact, known)


def _fact(turn: dict[str, Any]) -> dict[str, Any]:
    return {
        "text": turn["text"].split(". ")[0],
        "subject": "user",
        "attribute": None,
        "kind": "fact",
        "volatile": False,
        "turns": [turn["id"]],
        "happened_at": None,
        "until": None,
    }


def _has(text: str, words: Iterable[str]) -> bool:
    return any(word in text for word in words)


def _group(topic: Topic, fact: dict[str, Any], known: list[str]) -> dict[str, Any]:
    return {
        "why": f"so it is, {topic.why}",
        "members": [fact["id"], *known],
        "relation": "same" if topic.said in fact["text"] else "update",
        "drops": [],
        "text": None,
        "after": None,
    }
