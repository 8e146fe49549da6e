"""Judgment by a model, from lists: which facts and memories are about the same thing, and what stands afterwards."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast, get_args

from pydantic import BaseModel

from worker.core.groups.judgment import (
    MAX_GROUP,
    Candidacy,
    Group,
    GroupRelation,
    Groups,
    is_fact,
    most_members,
)
from worker.core.groups.outcome import outcome
from worker.core.groups.setting import Resolver
from worker.core.judging.group_rules import complaints
from worker.core.judging.judge_reply import GroupReply, JudgeReply, known_label
from worker.core.step import BadReply, Prompt

#: Complaints in one message to the model.
COMPLAINTS = 8


@dataclass(frozen=True)
class ListJudge:
    """All facts of a candidacy in one call, each with all its candidates. A step: `Candidacy` → `Groups`."""

    #: Most members of a group.
    max_group: int = MAX_GROUP
    #: `batchwise`, or `listwise` for instructions about a single fact.
    job: str = "batchwise"
    resolver: Resolver = "rewrite"

    def ask(self, item: Candidacy) -> Sequence[Prompt]:
        if not item.facts:
            return []
        document = {"facts": _facts(item), "candidates": _candidates(item)}
        forgets = any(item.fact(label).kind == "forget" for label in item.asked_labels)
        most = most_members(self.max_group, forgets=forgets)
        return [Prompt(self.job, document, JudgeReply, max_members=most)]

    def read(self, item: Candidacy, replies: Sequence[BaseModel]) -> Groups:
        if not replies:
            return Groups(groups=(), new=())
        (reply,) = replies
        return checked(
            item, _groups(item, cast("JudgeReply", reply)), self.max_group, self.resolver
        )


def checked(candidacy: Candidacy, groups: Groups, max_group: int, resolver: Resolver) -> Groups:
    """The finding without texts that make no difference. Raises `BadReply` that names the rules it breaks."""
    if wrong := complaints(candidacy, groups, max_group, resolver):
        raise BadReply(
            "; ".join(wrong[:COMPLAINTS]), plainly=f"{len(wrong)} rules of groups broken"
        )
    lean = (_lean(candidacy, group, resolver) for group in groups.groups)
    return groups.model_copy(update={"groups": tuple(lean)})


def _lean(candidacy: Candidacy, group: Group, resolver: Resolver) -> Group:
    """Without the texts that make no difference to what the group comes to."""
    if group.text is None and group.after is None:
        return group
    found = outcome(candidacy, group, resolver)
    for without in ({"text": None, "after": None}, {"text": None}, {"after": None}):
        lean = group.model_copy(update=without)
        if lean != group and outcome(candidacy, lean, resolver) == found:
            return lean
    return group


def _facts(candidacy: Candidacy) -> list[dict[str, Any]]:
    return [
        {
            "id": label,
            "text": fact.text,
            "kind": fact.kind,
            "subject": fact.subject,
            "said_at": moment(fact.said_at),
            "happened_at": fact.happened_at,
            "until": moment(fact.until),
            "candidates": list(candidacy.offered_to(label)),
        }
        for label in candidacy.asked_labels
        for fact in [candidacy.fact(label)]
    ]


def _candidates(candidacy: Candidacy) -> list[dict[str, Any]]:
    """Memories, and facts that are judged elsewhere."""
    elsewhere = [one for one in candidacy.fact_labels if one not in candidacy.asked_labels]
    return [
        {
            "id": label,
            "text": shown.text,
            "subject": shown.subject,
            "said_at": moment(shown.said_at),
            "happened_at": shown.happened_at,
            "until": moment(shown.until),
            "after": shown.after,
        }
        for label in (*candidacy.memory_labels, *elsewhere)
        for shown in [candidacy.shown(label)]
    ]


def moment(at: datetime | None) -> str | None:
    """As it is written in a document."""
    return at.isoformat(timespec="seconds") if at else None


def _groups(candidacy: Candidacy, reply: JudgeReply) -> Groups:
    """The reply under known labels. A fact alone in a group is new, as is the only one where nothing is said of it."""
    elsewhere = set(candidacy.fact_labels).difference(candidacy.asked_labels)
    groups, new = [], []
    for given in reply.groups:
        members = _members(candidacy, given)
        if len(members) == 1 and is_fact(members[0]):
            new += members
        elif any(not one.startswith("c") and one not in elsewhere for one in members):
            groups.append(_group(given, members))
    new += [f"f{one}" if one.isascii() and one.isdigit() else one for one in reply.new]
    new = [one for one in new if not one.startswith("c") and one not in elsewhere]
    if not groups and not new and len(candidacy.asked_labels) == 1:
        new = list(candidacy.asked_labels)
    return Groups(groups=tuple(groups), new=tuple(dict.fromkeys(new)))


def _members(candidacy: Candidacy, given: GroupReply) -> list[str]:
    spelled = [one for one in given.members if not one.isdigit()]
    members = [known_label(one, candidacy, spelled) for one in given.members]
    return list(dict.fromkeys(members))


def _group(given: GroupReply, members: list[str]) -> Group:
    if given.relation not in get_args(GroupRelation):
        choices = ", ".join(f'"{one}"' for one in get_args(GroupRelation))
        raise BadReply(
            f'"{given.relation}" is no relation: choose one of {choices}',
            plainly="a relation that there is not",
        )
    return Group(
        why=given.why,
        members=tuple(members),
        relation=cast("GroupRelation", given.relation),
        drops=tuple(drop for drop in given.drops if drop),
        text=given.text,
        after=given.after,
    )
