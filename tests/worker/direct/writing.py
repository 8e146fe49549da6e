"""Statements and judgments for tests of direct writes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.desk import Desk, Judges
from worker.core.groups.judgment import Candidacy, Group, GroupRelation, Groups
from worker.core.judging.detectors import Judging
from worker.core.writing.stated import Stated, checked, stated
from worker.core.writing.written import Written
from worker.direct.remembering import remember


@dataclass
class Verdicts:
    """A judge that knows what two texts are to one another, and what it was asked."""

    #: Text of a fact → text of a memory → their relation.
    relations: Mapping[str, Mapping[str, GroupRelation]]
    asked: list[str] = field(default_factory=list)

    def __call__(self, case: Candidacy) -> Groups:
        groups, used = list[Group](), set[str]()
        for label in case.asked_labels:
            text = case.fact(label).text
            self.asked.append(text)
            known = self.relations.get(text, {})
            offered = {one: case.shown(one).text for one in case.offered_to(label)}
            members = [one for one, said in offered.items() if said in known and one not in used]
            if members and label not in used:
                used |= {label, *members}
                relation = known[offered[members[0]]]
                groups.append(Group(why="so", members=(label, *members), relation=relation))
        new = tuple(one for one in case.fact_labels if one not in used)
        return Groups(groups=tuple(groups), new=new)


def judged_by(table: Desk, relations: Mapping[str, Mapping[str, GroupRelation]]) -> Verdicts:
    """From now on, with updates in the newest words."""
    verdicts = Verdicts(relations)
    judging = Judging(Judges(verdicts), resolver="replace")
    table.parts = replace(table.parts, judging=judging)
    return verdicts


def saying(table: Desk, text: str, key: str = "", **fields: Any) -> Stated:
    """Known by its text, unless a key is given."""
    return stated(checked({"text": text, **fields}), table.scope, key or text, table.now)


def tell(table: Desk, text: str, key: str = "", **fields: Any) -> Written:
    """Remember one statement."""
    (done,) = remember(table.parts, table.scope, [saying(table, text, key, **fields)], table.now)
    return done
