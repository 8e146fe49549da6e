"""Sleep's judgment without a model: what plainly says the same, or only more of the same, is joined."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from worker.core.finding.vectors import cosines
from worker.core.groups.judgment import MAX_GROUP, Candidacy, Group, Groups
from worker.core.groups.setting import Resolver
from worker.core.judging.group_rules import complaints
from worker.core.judging.reorganize import CENTRE
from worker.core.step import Prompt
from worker.rules.likeness import Looked
from worker.rules.verdicts import Verdict, verdict


@dataclass(frozen=True)
class RuleReorganize:
    """Asks nothing, ends nothing. `same` is the embedder's cosine for one statement in two wordings."""

    same: float
    max_group: int = MAX_GROUP
    resolver: Resolver = "rewrite"

    def ask(self, item: Candidacy) -> Sequence[Prompt]:
        return ()

    def read(self, item: Candidacy, replies: Sequence[BaseModel]) -> Groups:
        bench = _Bench(item, self.same)
        found = (one for one in bench.groups() if self._is_sound(item, one))
        return Groups(groups=tuple(found)[:1], new=())

    def _is_sound(self, item: Candidacy, group: Group) -> bool:
        found = Groups(groups=(group,), new=())
        return not complaints(item, found, self.max_group, self.resolver)


@dataclass(frozen=True)
class _Bench:
    item: Candidacy
    same: float

    def groups(self) -> Iterator[Group]:
        """Of what the question is about, the widest first."""
        alike = [CENTRE]
        for other in self.item.memory_labels:
            if other != CENTRE and all(self._is_same(other, one) for one in alike):
                alike.append(other)
        if len(alike) > 1:
            why = self._verdict(alike[1], CENTRE)
            yield Group(why=why.why if why else "", members=tuple(alike), relation="same")
        for other in self.item.memory_labels:
            found = self._verdict(CENTRE, other) if other != CENTRE else None
            if found and found.relation == "update" and found.keeps == "within":
                yield Group(why=found.why, members=(CENTRE, other), relation="update")

    def _is_same(self, one: str, other: str) -> bool:
        found = self._verdict(one, other)
        return found is not None and found.relation == "same"

    def _verdict(self, one: str, other: str) -> Verdict | None:
        newer, older = sorted((one, other), key=self._age, reverse=True)
        near = cosines([self.item.vector(one)], [self.item.vector(other)])[0, 0]
        mine, theirs = Looked(self.item.shown(newer)), Looked(self.item.shown(older))
        return verdict(mine, theirs, float(near), self.same)

    def _age(self, label: str) -> tuple[object, ...]:
        """As plan() orders members."""
        return self.item.shown(label).said_at, label
