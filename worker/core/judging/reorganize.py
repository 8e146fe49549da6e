"""Sleep's judgment by a model: which memories are about the same thing, and what stands afterwards."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast, get_args

from pydantic import BaseModel

from worker.core.groups.judgment import MAX_GROUP, Candidacy, Group, GroupRelation, Groups
from worker.core.groups.setting import Resolver
from worker.core.judging.judge import checked, moment
from worker.core.judging.judge_reply import GroupReply, JudgeReply
from worker.core.step import BadReply, Prompt

JOB = "reorganize"
#: What a model is shown as `m1` is `c1` to the rules.
SHOWN = re.compile(r"m?([1-9][0-9]{0,3})")
KNOWN = re.compile(r"\bc([1-9][0-9]{0,3})\b")
#: The one that the question is about: what the others are to each other was asked before.
CENTRE = "c1"


@dataclass(frozen=True)
class Reorganize:
    """Memories that were all nominated for each other, in one call. A step: `Candidacy` without facts → `Groups`."""

    max_group: int = MAX_GROUP
    resolver: Resolver = "rewrite"

    def ask(self, item: Candidacy) -> Sequence[Prompt]:
        memories = [
            {
                "id": f"m{label[1:]}",
                "text": shown.text,
                "subject": shown.subject,
                "said_at": moment(shown.said_at),
            }
            for label in item.memory_labels
            for shown in [item.shown(label)]
        ]
        return [Prompt(JOB, {"memories": memories}, JudgeReply, max_members=self.max_group)]

    def read(self, item: Candidacy, replies: Sequence[BaseModel]) -> Groups:
        (reply,) = replies
        groups = tuple(map(_group, cast("JudgeReply", reply).groups))
        found = Groups(groups=tuple(one for one in groups if len(one.members) > 1), new=())
        try:
            found = checked(item, found, self.max_group, self.resolver)
        except BadReply as bad:
            raise BadReply(KNOWN.sub(r"m\1", bad.told), plainly=str(bad)) from None
        return about_the_centre(found)


def about_the_centre(found: Groups) -> Groups:
    """Only the group of what the question is about."""
    groups = tuple(one for one in found.groups if CENTRE in one.members)
    return found.model_copy(update={"groups": groups})


def _group(given: GroupReply) -> Group:
    relations = [one for one in get_args(GroupRelation) if one != "forget"]
    if given.relation not in relations:
        choices = ", ".join(f'"{one}"' for one in relations)
        raise BadReply(
            f'"{given.relation}" is no relation: choose one of {choices}',
            plainly="a relation that there is not",
        )
    return Group(
        why=given.why,
        members=tuple(dict.fromkeys(map(_known, given.members))),
        relation=cast("GroupRelation", given.relation),
        drops=tuple(drop for drop in given.drops if drop),
        text=given.text,
        after=given.after,
    )


def _known(given: str) -> str:
    """A label that was never shown stays as it is, and is refused."""
    label = SHOWN.fullmatch(given)
    return f"c{label[1]}" if label else f"?{given}"
