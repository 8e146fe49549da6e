"""Judgment by a model, pair by pair: one call for each fact and each of its candidates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator

from schemas.memory import Fact
from worker.core.groups.judgment import MAX_GROUP, Candidacy, Group, Groups, most_members
from worker.core.groups.members import asks_about
from worker.core.judging.gathering import STRONGEST
from worker.core.judging.judge import moment
from worker.core.reply_fields import Plain, Reply, label
from worker.core.step import BadReply, Prompt

#: What models write where two things have nothing in common.
SEPARATE = frozenset({"separate", "new", "none", "null", "different", "unrelated", "distinct"})


def verdict(value: Any) -> Any:
    word = label(value)
    return "separate" if word is None or (isinstance(word, str) and word in SEPARATE) else word


class PairReply(Reply):
    """The reason first: small models judge better so."""

    why: Plain = ""
    relation: Annotated[
        Literal["same", "update", "contradict", "forget", "separate"], BeforeValidator(verdict)
    ]


@dataclass(frozen=True)
class PairJudge:
    """A call for each pair; what is not separate is one group, whose words are still to be found.

    A step: `Candidacy` → `Groups`.
    """

    #: Most members of a group: of more hits the best ranked stand.
    max_group: int = MAX_GROUP

    def ask(self, item: Candidacy) -> Sequence[Prompt]:
        return [
            Prompt("pair", {"fact": _fact(item, one), "candidate": _shown(item, other)}, PairReply)
            for one, other in _pairs(item)
        ]

    def read(self, item: Candidacy, replies: Sequence[BaseModel]) -> Groups:
        hits: dict[str, list[tuple[str, PairReply]]] = {fact: [] for fact in item.asked_labels}
        for at, ((fact, other), reply) in enumerate(zip(_pairs(item), replies, strict=True)):
            said = cast("PairReply", reply)
            _check(item, fact, said, at)
            if said.relation != "separate":
                hits[fact].append((other, said))
        groups = [
            _group(fact, found[: self._most(item.fact(fact)) - 1])
            for fact, found in hits.items()
            if found
        ]
        return Groups(
            groups=tuple(groups), new=tuple(fact for fact, found in hits.items() if not found)
        )

    def _most(self, fact: Fact) -> int:
        return most_members(self.max_group, forgets=fact.kind == "forget")


def _pairs(candidacy: Candidacy) -> list[tuple[str, str]]:
    """Each asked fact with what it was offered; of two facts the newer asks, and nobody about a request to forget."""
    return [
        (fact, other)
        for fact in candidacy.asked_labels
        for other in candidacy.offered_to(fact)
        if other in candidacy.memory_labels or asks_about(candidacy, fact, other)
    ]


def _check(candidacy: Candidacy, fact: str, said: PairReply, at: int) -> None:
    forgets = candidacy.fact(fact).kind == "forget"
    if said.relation == "forget" and not forgets:
        raise BadReply(
            'the fact is not of kind "forget": its relation cannot be "forget"',
            plainly="a fact was judged to be a request to forget",
            at=at,
        )
    if forgets and said.relation not in {"forget", "separate"}:
        raise BadReply(
            'the fact asks to forget: its relation is "forget" or "separate"',
            plainly="a request to forget was judged to be a fact",
            at=at,
        )


def _group(fact: str, hits: Sequence[tuple[str, PairReply]]) -> Group:
    relations = {said.relation for _, said in hits}
    strongest = next(one for one in STRONGEST if one in relations)
    return Group(
        why="; ".join(dict.fromkeys(said.why for _, said in hits if said.why)),
        members=(fact, *(other for other, _ in hits)),
        relation=strongest,
        written=False,
    )


def _fact(candidacy: Candidacy, label: str) -> dict[str, Any]:
    return {"kind": candidacy.fact(label).kind, **_shown(candidacy, label)}


def _shown(candidacy: Candidacy, label: str) -> dict[str, Any]:
    shown = candidacy.shown(label)
    return {
        "text": shown.text,
        "subject": shown.subject,
        "said_at": moment(shown.said_at),
        "happened_at": shown.happened_at,
        "until": moment(shown.until),
    }
