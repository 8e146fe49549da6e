"""A model that takes every turn for one fact, and knows what a request to forget means.

It is an oracle for the judging: what a request names is known from the data set's own targets, and everything that it
is offered and that holds such a target is what was meant. So what is measured with it is the machinery: which
candidates are found, what is hidden, purged and recalled. It says nothing about how well any model understands a
request.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.forgetting.gatemem import holds
from worker.core.groups.judgment import MAX_GROUP, is_fact, most_members
from worker.core.hearing.forget_requests import asks_to_forget
from worker.core.texts.lengths import LONGEST_TEXT

#: Explicit requests only: what tells that something was deleted is said as any other fact.
REQUEST = re.compile(
    r"(?:(?:^|[.:;!?]\s+)(?:please\s+(?:\w+\s+)?)?|\bplease\s+(?:\w+\s+)?|\b(?:want|need|like)\s+(?:you\s+)?to\s+)"
    r"(?:delete|remove|forget|erase|purge|wipe|scrub)\b|\brequest(?:ing|s)?\s+(?:the\s+)?(?:deletion|removal)\b",
    re.IGNORECASE,
)


def asks(text: str) -> bool:
    """Whether somebody explicitly asks to forget something."""
    return bool(REQUEST.search(text)) and asks_to_forget(text)


def named(text: str, targets: Iterable[str]) -> tuple[str, ...]:
    """What a request names of what has to go; nothing where it is no request."""
    return tuple(one for one in targets if holds(text, one)) if asks(text) else ()


@dataclass
class Oracle:
    """Answers by job; counts what it was offered."""

    #: Whether requests in the conversation count; else they are facts as any other.
    hears_requests: bool = True
    #: What has to be gone at the checkpoints that follow.
    targets: tuple[str, ...] = ()
    #: Text of a request → of the memories and facts that it was offered, the texts that hold what it names.
    offered: dict[str, set[str]] = field(default_factory=dict)
    #: Memories among those that had no place in its group.
    crowded_out: int = 0

    def answer(self, job: str, document: dict[str, Any]) -> Any:
        match job:
            case "extraction":
                return {"facts": [*map(self._fact, filter(_is_persons, document["turns"]))]}
            case "redact":
                return {"text": _without(document["text"], document["forget"])}
            case _:
                return self._groups(document)

    def named_in(self, text: str) -> tuple[str, ...]:
        return named(text, self.targets) if self.hears_requests else ()

    def _fact(self, turn: dict[str, Any]) -> dict[str, Any]:
        return {
            "text": turn["text"][:LONGEST_TEXT],
            "subject": turn["speaker"],
            "attribute": None,
            "kind": "forget" if self.named_in(turn["text"]) else "fact",
            "volatile": False,
            "turns": [turn["id"]],
            "happened_at": None,
            "until": None,
        }

    def _groups(self, document: dict[str, Any]) -> dict[str, Any]:
        """Each request with what it means; all else is new."""
        shown = {one["id"]: one for one in (*document["candidates"], *document["facts"])}
        groups, taken = [], set[str]()
        for fact in document["facts"]:
            if fact["kind"] != "forget":
                continue
            meant = self._meant(fact, shown)
            free = [one for one in meant if one not in taken]
            members = free[: most_members(MAX_GROUP, forgets=True) - 1]
            self.crowded_out += len([one for one in free if not is_fact(one)][len(members) :])
            if members:
                taken.update(members, [fact["id"]])
                groups.append(_group(fact, members))
        facts = (fact["id"] for fact in document["facts"])
        return {"groups": groups, "new": [one for one in facts if one not in taken]}

    def _meant(self, fact: dict[str, Any], shown: dict[str, dict[str, Any]]) -> list[str]:
        """Of what is offered, what holds a target that the request names and was said by then; memories first."""
        targets = self.named_in(fact["text"])
        meant = [
            one
            for one in sorted(fact["candidates"], key=is_fact)
            if shown[one].get("kind") != "forget"
            and shown[one]["said_at"] <= fact["said_at"]
            and _tells(shown[one], targets)
        ]
        offered = self.offered.setdefault(fact["text"], set())
        offered.update(shown[one]["text"] for one in meant)
        return meant


def _is_persons(turn: dict[str, Any]) -> bool:
    return bool(turn["role"] == "user")


def _tells(one: dict[str, Any], targets: Iterable[str]) -> bool:
    said = f"{one['text']}\n{one.get('after') or ''}"
    return any(holds(said, target) for target in targets)


def _group(fact: dict[str, Any], members: Sequence[str]) -> dict[str, Any]:
    """All of it goes. The reason tells what, as a model's would: it has to go as well."""
    return {
        "why": f"somebody asks: {fact['text']}",
        "members": [fact["id"], *members],
        "relation": "forget",
        "drops": [],
        "text": None,
        "after": None,
    }


def _without(text: str, words: str) -> str:
    """The text without any of these words."""
    pattern = "|".join(re.escape(word) for word in sorted(words.split(), key=len, reverse=True))
    left = re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", "", text, flags=re.IGNORECASE)
    return " ".join(left.split())
