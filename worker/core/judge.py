"""Judgment by a model: which facts and memories are about the same thing, and what stands afterwards.

A detector is facts per call × targets per fact; the default puts all facts of a batch into one call.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from pydantic import BaseModel

from worker.core.group_rules import complaints, writes_text
from worker.core.judge_reply import GroupReply, JudgeReply, known_label
from worker.core.judgment import MAX_GROUP, Candidacy, Group, GroupRelation, Groups
from worker.core.members import members_newest_first
from worker.core.standing import standing
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
    """Without a text that nothing would be written from, or that is the newest member's own."""
    if not writes_text(candidacy, group) and not _keeps_details(candidacy, group):
        return group.model_copy(update={"text": None, "after": None})
    newest = members_newest_first(candidacy, group)[0].label
    own = group.relation in {"update", "contradict"} and group.text == candidacy.shown(newest).text
    return group.model_copy(update={"text": None}) if own else group


def _keeps_details(candidacy: Candidacy, group: Group) -> bool:
    """Whether the text is what keeps a detail that the one memory said again lacks."""
    if group.relation != "same" or group.text is None:
        return False
    statements = [candidacy.shown(label) for label in group.members]
    known = [candidacy.shown(label).text for label in group.members if label.startswith("c")]
    return standing(statements, *known, group.text) == group.text


def _facts(candidacy: Candidacy) -> list[dict[str, Any]]:
    return [
        {
            "id": f"f{at}",
            "text": fact.text,
            "kind": fact.kind,
            "subject": fact.subject,
            "said_at": fact.said_at.isoformat(timespec="seconds"),
            "until": fact.until.isoformat(timespec="seconds") if fact.until else None,
            "candidates": list(offered),
        }
        for at, (fact, offered) in enumerate(
            zip(candidacy.facts, candidacy.offered, strict=True), start=1
        )
    ]


def _candidates(candidacy: Candidacy) -> list[dict[str, Any]]:
    shown = {f"c{at}": candidacy.shown(f"c{at}") for at in range(1, len(candidacy.candidates) + 1)}
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
        if len(members) == 1 and members[0].startswith("f"):
            new += members
        elif any(not one.startswith("c") for one in members):
            groups.append(_group(candidacy, given, members))
    for one in reply.new:
        label = f"f{one}" if one.isascii() and one.isdigit() else one
        if not label.startswith("c"):
            new.append(label)
    return Groups(groups=tuple(groups), new=tuple(dict.fromkeys(new)))


def _members(candidacy: Candidacy, given: GroupReply) -> list[str]:
    spelled = [one for one in given.members if not one.isdigit()]
    members = [known_label(one, candidacy, spelled) for one in given.members]
    return list(dict.fromkeys(members))


def _group(candidacy: Candidacy, given: GroupReply, members: list[str]) -> Group:
    if given.relation not in get_args(GroupRelation):
        choices = ", ".join(f'"{one}"' for one in get_args(GroupRelation))
        raise BadReply(f'"{given.relation}" is no relation: choose one of {choices}')
    return Group(
        why=given.why,
        members=tuple(members),
        relation=cast("GroupRelation", given.relation),
        drops=tuple(drop for drop in given.drops if drop),
        text=given.text,
        after=given.after if _temporary(candidacy, members) else None,
    )


def _temporary(candidacy: Candidacy, members: Sequence[str]) -> bool:
    """Whether a fact among them has an end; only then does anything stand again."""
    facts = {f"f{at}": fact for at, fact in enumerate(candidacy.facts, start=1)}
    return any(facts[one].until for one in members if one in facts)
