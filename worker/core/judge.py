"""Judgment by a model: which facts and memories are about the same thing, and what stands afterwards.

A detector is facts per call × targets per fact; the default puts all facts of a batch into one call.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from pydantic import BaseModel

from worker.core.group_rules import complaints
from worker.core.judge_reply import GroupReply, JudgeReply, known_label
from worker.core.judgment import MAX_GROUP, Candidacy, Group, GroupRelation, Groups, is_fact
from worker.core.outcome import outcome
from worker.core.step import BadReply, Prompt

#: Complaints in one message to the model.
COMPLAINTS = 8


@dataclass(frozen=True)
class Batchwise:
    """All facts of a candidacy in one call, any number of targets each. A step: `Candidacy` → `Groups`."""

    #: Most members of a group.
    max_group: int = MAX_GROUP

    def ask(self, item: Candidacy) -> Sequence[Prompt]:
        if not item.facts:
            return []
        document = {"facts": _facts(item), "candidates": _candidates(item)}
        return [Prompt("batchwise", document, JudgeReply, max_members=self.max_group)]

    def read(self, item: Candidacy, replies: Sequence[BaseModel]) -> Groups:
        if not replies:
            return Groups(groups=(), new=())
        (reply,) = replies
        groups = _groups(item, cast("JudgeReply", reply))
        if wrong := complaints(item, groups, self.max_group):
            raise BadReply(
                "; ".join(wrong[:COMPLAINTS]), plainly=f"{len(wrong)} rules of groups broken"
            )
        return Groups(groups=tuple(_lean(item, group) for group in groups.groups), new=groups.new)


def _lean(candidacy: Candidacy, group: Group) -> Group:
    """Without the texts that make no difference to what the group comes to."""
    if group.text is None and group.after is None:
        return group
    found = outcome(candidacy, group)
    for without in ({"text": None, "after": None}, {"text": None}, {"after": None}):
        lean = group.model_copy(update=without)
        if lean != group and outcome(candidacy, lean) == found:
            return lean
    return group


def _facts(candidacy: Candidacy) -> list[dict[str, Any]]:
    return [
        {
            "id": label,
            "text": fact.text,
            "kind": fact.kind,
            "subject": fact.subject,
            "said_at": fact.said_at.isoformat(timespec="seconds"),
            "until": fact.until.isoformat(timespec="seconds") if fact.until else None,
            "candidates": list(offered),
        }
        for label, fact, offered in zip(
            candidacy.fact_labels, candidacy.facts, candidacy.offered, strict=True
        )
    ]


def _candidates(candidacy: Candidacy) -> list[dict[str, Any]]:
    shown = {label: candidacy.shown(label) for label in candidacy.memory_labels}
    return [
        {
            "id": label,
            "text": memory.text,
            "subject": memory.subject,
            "said_at": memory.said_at.isoformat(timespec="seconds"),
            "until": memory.until.isoformat(timespec="seconds") if memory.until else None,
            "after": memory.after,
        }
        for label, memory in shown.items()
    ]


def _groups(candidacy: Candidacy, reply: JudgeReply) -> Groups:
    """The reply under known labels; a fact alone in a group is new, candidates in `new` say nothing."""
    groups, new = [], []
    for given in reply.groups:
        members = _members(candidacy, given)
        if len(members) == 1 and is_fact(members[0]):
            new += members
        elif any(not one.startswith("c") for one in members):
            groups.append(_group(given, members))
    for one in reply.new:
        label = f"f{one}" if one.isascii() and one.isdigit() else one
        if not label.startswith("c"):
            new.append(label)
    return Groups(groups=tuple(groups), new=tuple(dict.fromkeys(new)))


def _members(candidacy: Candidacy, given: GroupReply) -> list[str]:
    spelled = [one for one in given.members if not one.isdigit()]
    members = [known_label(one, candidacy, spelled) for one in given.members]
    return list(dict.fromkeys(members))


def _group(given: GroupReply, members: list[str]) -> Group:
    if given.relation not in get_args(GroupRelation):
        choices = ", ".join(f'"{one}"' for one in get_args(GroupRelation))
        raise BadReply(f'"{given.relation}" is no relation: choose one of {choices}')
    return Group(
        why=given.why,
        members=tuple(members),
        relation=cast("GroupRelation", given.relation),
        drops=tuple(drop for drop in given.drops if drop),
        text=given.text,
        after=given.after,
    )
