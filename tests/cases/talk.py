"""What a scripted model finds in which turn, and how it judges."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.desk import Desk

#: (scope, similarities) → a desk.
AtDesk = Callable[..., Desk]


def found(text: str, *turns: str, **fields: Any) -> dict[str, Any]:
    """One fact of an extraction's reply; `turns` are texts of turns, by default the one it was found in."""
    given = {"subject": "user", "attribute": None, "kind": "fact", "volatile": False}
    return {**given, "text": text, "turns": turns, "happened_at": None, "until": None, **fields}


@dataclass
class Talk:
    """What the scripted model finds in which turn, and how it judges facts by their texts."""

    facts: Mapping[str, Sequence[dict[str, Any]]]
    #: (text of a fact, text of a candidate) → relation; the rest is separate.
    relations: Mapping[tuple[str, str], str] = field(default_factory=dict)
    #: Text of a fact → text of its group.
    texts: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, job: str, document: dict[str, Any]) -> Any:
        return self.extraction(document) if job == "extraction" else self.batchwise(document)

    def extraction(self, document: dict[str, Any]) -> dict[str, Any]:
        turns = (*document["context"], *document["turns"])
        ids = {turn["text"]: turn["id"] for turn in turns}
        facts = []
        for turn in document["turns"]:
            for one in self.facts.get(turn["text"], ()):
                cited = [ids[text] for text in one["turns"]] or [turn["id"]]
                facts.append({**one, "turns": cited})
        return {"facts": facts}

    def batchwise(self, document: dict[str, Any]) -> dict[str, Any]:
        texts = {one["id"]: one["text"] for one in (*document["candidates"], *document["facts"])}
        groups: list[tuple[set[str], str]] = []
        for one in document["facts"]:
            hits = {
                other: self.relations[one["text"], texts[other]]
                for other in one["candidates"]
                if (one["text"], texts[other]) in self.relations
            }
            if hits:
                groups = _joined(groups, {one["id"], *hits}, set(hits.values()))
        grouped = {member for members, _ in groups for member in members}
        return {
            "groups": [self._group(members, relation, texts) for members, relation in groups],
            "new": [one["id"] for one in document["facts"] if one["id"] not in grouped],
        }

    def _group(self, members: set[str], relation: str, texts: Mapping[str, str]) -> dict[str, Any]:
        text = next((self.texts[texts[id]] for id in members if texts[id] in self.texts), None)
        told = {"why": "as scripted", "members": sorted(members), "relation": relation}
        return {**told, "drops": [], "text": text, "after": None}


def _joined(
    groups: list[tuple[set[str], str]], members: set[str], relations: set[str]
) -> list[tuple[set[str], str]]:
    """The groups with one more; those that share a member are one, the stronger relation standing."""
    apart = []
    for others, relation in groups:
        if others & members:
            members, relations = members | others, relations | {relation}
        else:
            apart.append((others, relation))
    strongest = next(one for one in ("contradict", "update", "same") if one in relations)
    return [*apart, (members, strongest)]
