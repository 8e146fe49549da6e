"""A judge that knows the world: what is measured is what is made of its verdicts. A step that asks nobody."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from bench.nights.world import Told
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.groups.members import members_newest_first
from worker.core.step import Prompt


@dataclass(frozen=True)
class Oracle:
    """By text; texts that were never told are about nothing else."""

    known: Mapping[str, Told]

    def ask(self, item: Candidacy) -> Sequence[Prompt]:
        return ()

    def read(self, item: Candidacy, replies: Sequence[BaseModel]) -> Groups:
        groups = tuple(self._groups(item))
        grouped = {label for group in groups for label in group.members}
        return Groups(groups=groups, new=tuple(it for it in item.fact_labels if it not in grouped))

    def _groups(self, item: Candidacy) -> Iterator[Group]:
        """About each key one, of its newest fact and what that was offered."""
        taken = set[str]()
        facts = sorted(item.fact_labels, key=lambda it: item.fact(it).said_at, reverse=True)
        for fact in facts:
            mine = self._told(item, fact)
            if fact in taken or mine is None:
                continue
            offered = [it for it in item.offered_to(fact) if it not in taken]
            alike = [it for it in offered if (one := self._told(item, it)) and one.key == mine.key]
            if alike:
                taken |= {fact, *alike}
                yield self._group(item, (fact, *dict.fromkeys(alike)))

    def _group(self, item: Candidacy, members: tuple[str, ...]) -> Group:
        group = Group(why="of one slot", members=members, relation="same")
        told = {one.value for it in members if (one := self._told(item, it))}
        if len(told) == 1:
            return group
        newest = members_newest_first(item, group)[0]
        text = newest.statement.text
        return group.model_copy(update={"relation": "contradict", "text": text})

    def _told(self, item: Candidacy, label: str) -> Told | None:
        return self.known.get(item.shown(label).text)
