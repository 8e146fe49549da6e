"""A scripted judge that knows which texts belong together, under every detector's questions; and how judges lie."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Reply = dict[str, Any]
Lie = Callable[[dict[str, Any], Reply], Reply]


@dataclass(frozen=True)
class Thing:
    """Statements about one thing, the newest first, and what stands afterwards."""

    texts: tuple[str, ...]
    relation: str
    text: str | None = None
    drops: tuple[str, ...] = ()
    after: str | None = None

    @property
    def told(self) -> Reply:
        words = {"drops": list(self.drops), "text": self.text, "after": self.after}
        return {"why": "as scripted", "relation": self.relation, **words}


@dataclass(frozen=True)
class Judge:
    """Answers `batchwise`, `listwise`, `pair` and `merge`; extraction by the text of the turn."""

    facts: Mapping[str, Sequence[Reply]]
    things: Sequence[Thing] = ()
    #: Turns a list judge's right reply into a wrong one.
    lie: Lie | None = None

    def __call__(self, job: str, document: dict[str, Any]) -> Reply:
        reply: Reply = getattr(self, job)(document)
        return self.lie(document, reply) if self.lie and job in {"batchwise", "listwise"} else reply

    def extraction(self, document: dict[str, Any]) -> Reply:
        found = [
            {**one, "turns": [turn["id"]]}
            for turn in document["turns"]
            for one in self.facts.get(turn["text"], ())
        ]
        return {"facts": found}

    def batchwise(self, document: dict[str, Any]) -> Reply:
        shown = {one["text"]: one["id"] for one in (*document["candidates"], *document["facts"])}
        asked = [one["id"] for one in document["facts"]]
        groups = []
        for thing in self.things:
            members = [shown[text] for text in thing.texts if text in shown]
            if len(members) == len(thing.texts) and not set(members).isdisjoint(asked):
                groups.append({**thing.told, "members": members})
        grouped = {member for group in groups for member in group["members"]}
        return {"groups": groups, "new": [one for one in asked if one not in grouped]}

    listwise = batchwise

    def pair(self, document: dict[str, Any]) -> Reply:
        texts = {document["fact"]["text"], document["candidate"]["text"]}
        thing = next(
            (one for one in self.things if one.texts[0] in texts and texts <= set(one.texts)), None
        )
        return {"why": "as scripted", "relation": thing.relation if thing else "separate"}

    def merge(self, document: dict[str, Any]) -> Reply:
        texts = {one["text"] for one in document["texts"]}
        thing = next(one for one in self.things if texts <= set(one.texts))
        return {name: value for name, value in thing.told.items() if name != "relation"}


def loses_the_detail(document: dict[str, Any], reply: Reply) -> Reply:
    """The newest words stand, and what the old ones said besides is neither kept nor dropped."""
    return _each_group(reply, drops=[], text=None, after=None)


def invents_a_detail(document: dict[str, Any], reply: Reply) -> Reply:
    groups = [
        {**group, "text": f"{group['text'] or ''} with 4711 friends of Ludmilla"}
        for group in reply["groups"]
    ]
    return {**reply, "groups": groups}


def calls_it_the_same(document: dict[str, Any], reply: Reply) -> Reply:
    """One verdict in the relation, another in the rest."""
    return _each_group(reply, relation="same")


def says_both(document: dict[str, Any], reply: Reply) -> Reply:
    """Each fact is in a group and new as well."""
    return {**reply, "new": [one["id"] for one in document["facts"]]}


def names_nobody(document: dict[str, Any], reply: Reply) -> Reply:
    """Members that were never offered."""
    return {**reply, "groups": [_with(group, "c99") for group in reply["groups"]]}


def names_another(document: dict[str, Any], reply: Reply) -> Reply:
    """A candidate that has nothing to do with it, in place of the right one."""
    candidates = [one["id"] for one in document["candidates"]]
    groups = []
    for group in reply["groups"]:
        others = [one for one in candidates if one not in group["members"]]
        groups.append(_with(group, others[0] if others else "c98"))
    return {**reply, "groups": groups}


def forgets_everything(document: dict[str, Any], reply: Reply) -> Reply:
    """As if somebody had asked to forget."""
    return _each_group(reply, relation="forget", text=None)


LIES: tuple[Lie, ...] = (
    loses_the_detail,
    invents_a_detail,
    calls_it_the_same,
    says_both,
    names_nobody,
    names_another,
    forgets_everything,
)


def _each_group(reply: Reply, **fields: Any) -> Reply:
    return {**reply, "groups": [{**group, **fields} for group in reply["groups"]]}


def _with(group: Reply, other: str) -> Reply:
    """Its facts, and another candidate in place of its own."""
    facts = [one for one in group["members"] if one.startswith("f")]
    return {**group, "members": [*facts, other]}
