"""The words of a group whose judge has only said how its members stand to one another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import BaseModel

from worker.core.groups.judgment import Candidacy, Group, Groups, facts_in
from worker.core.groups.members import members_newest_first
from worker.core.groups.outcome import UNFAITHFUL, outcome
from worker.core.groups.setting import Resolver
from worker.core.judging.group_rules import complaints
from worker.core.judging.judge import checked, moment
from worker.core.judging.part import part
from worker.core.reply_fields import Nullable, Plain, Reply, Texts
from worker.core.step import Prompt


class MergeReply(Reply):
    """As in a judge's group, without members and relation."""

    why: Plain = ""
    drops: Texts = []
    text: Nullable = None
    after: Nullable = None


@dataclass(frozen=True)
class Unwritten:
    """A group, and a candidacy of its facts alone that has its labels."""

    candidacy: Candidacy
    group: Group
    #: Label in the group → label in the whole.
    labels: dict[str, str]

    @classmethod
    def of(cls, candidacy: Candidacy, group: Group) -> "Unwritten":
        smaller, labels = part(candidacy, facts_in(group.members))
        new = {old: label for label, old in labels.items()}
        members = tuple(new[one] for one in group.members)
        return cls(smaller, group.model_copy(update={"members": members}), labels)


def lacks_words(candidacy: Candidacy, group: Group, resolver: Resolver) -> bool:
    """Whether a model has to say which words stand: the newest member's own would cost a detail, be it for a while."""
    if group.written:
        return False
    if group.relation == "forget":
        return True
    if resolver != "rewrite":
        return False
    one = Unwritten.of(candidacy, group)
    if group.relation == "same":
        return outcome(one.candidacy, one.group, resolver).flag == UNFAITHFUL
    newest = members_newest_first(one.candidacy, one.group)[0].statement
    return newest.until is not None or bool(complaints(one.candidacy, *_alone(one.group), resolver))


@dataclass(frozen=True)
class Merging:
    """One call for one group. A step: `Unwritten` → the `Group` with its words, under the labels of the whole."""

    resolver: Resolver = "rewrite"

    def ask(self, item: Unwritten) -> Sequence[Prompt]:
        newest, *_ = members = members_newest_first(item.candidacy, item.group)
        document = {
            "relation": item.group.relation,
            "texts": [
                {
                    "id": one.label,
                    "text": one.statement.text,
                    "kind": one.statement.kind,
                    "subject": one.statement.subject,
                    "said_at": moment(one.statement.said_at),
                    "happened_at": one.statement.happened_at,
                    "until": moment(one.statement.until),
                    "after": one.statement.after,
                }
                for one in members
            ],
            "newest": newest.label,
        }
        return [Prompt("merge", document, MergeReply)]

    def read(self, item: Unwritten, replies: Sequence[BaseModel]) -> Group:
        (reply,) = replies
        said = cast("MergeReply", reply)
        written = item.group.model_copy(
            update={
                "why": item.group.why or said.why,
                "drops": tuple(drop for drop in said.drops if drop),
                "text": said.text,
                "after": said.after,
                "written": True,
            }
        )
        (group,) = checked(item.candidacy, *_alone(written), self.resolver).groups
        return group.model_copy(
            update={"members": tuple(item.labels[one] for one in group.members)}
        )


def _alone(group: Group) -> tuple[Groups, int]:
    """As a finding, with the size that the group has: that was looked at when it was joined."""
    return Groups(groups=(group,), new=()), len(group.members)
