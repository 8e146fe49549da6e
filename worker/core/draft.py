"""Single changes as finished records, for one judgment."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from schemas.base import Vector
from schemas.ids import memory_id
from schemas.memory import ArchiveRecord, Memory, MemoryRecord, Reason
from schemas.plan import Add, File, Retire, Revise
from worker.core import merging
from worker.core.current import current
from worker.core.judgment import Candidacy, Group
from worker.core.members import Member, member
from worker.core.setting import Setting
from worker.core.words import normalised


@dataclass(frozen=True)
class Draft:
    """Makes the changes and keeps count of the facts that become none."""

    setting: Setting
    candidacy: Candidacy
    #: For each text that no member brings a vector for.
    vectors: Mapping[str, Vector]
    dropped: Counter[str] = field(default_factory=Counter)

    def stored(
        self,
        labels: Iterable[str],
        why: str,
        links: tuple[UUID, ...] = (),
        flag: str | None = None,
    ) -> Iterator[Add]:
        """Facts added as they are; a request to forget is never stored, nor what nobody but a machine said."""
        for label in sorted(labels, key=lambda label: int(label[1:])):
            one = member(self.candidacy, label)
            fact = one.the_fact
            if fact.kind == "forget":
                self.dropped["nothing known to forget"] += 1
            elif fact.authority != "user" and not self.setting.policy.remember_assistant:
                self.dropped[f"only the {fact.authority} said it"] += 1
            else:
                add = self.add([one], None, why)
                memory = add.record.memory.model_copy(update={"links": links, "flagged": flag})
                yield add.model_copy(
                    update={"record": MemoryRecord(memory=memory, vector=add.record.vector)}
                )

    def add(
        self, facts: Sequence[Member], text: str | None, why: str, after: str | None = None
    ) -> Add:
        """One new memory from the first of these facts; the others say the same and lend their turns."""
        first, *twins = facts
        memory = merging.confirmed(
            self.born(first), [twin.the_fact for twin in twins], self.setting.run
        )
        memory = memory.model_copy(update={"after": after or memory.after})
        vector = self.vector(first)
        if text and text in self.vectors and normalised(text) != normalised(memory.text):
            memory = merging.worded(memory, text)
            vector = self.vectors[text]
        return Add(
            record=MemoryRecord(memory=memory, vector=vector),
            relation="new",
            why=why,
            turn_ids=memory.turn_ids,
        )

    def revise(
        self, old: Member, memory: Memory, speaker: Member, group: Group, reason: Reason
    ) -> Revise:
        """The next version of `old`: the group's words, or the speaker's own where it has none."""
        if group.text and group.text in self.vectors:
            return self.worded(old, memory, group.text, self.vectors[group.text], group, reason)
        text, vector = speaker.statement.text, self.vector(speaker)
        return self.worded(old, memory, text, vector, group, reason)

    def worded(  # noqa: PLR0913, PLR0917 - a revision has that many parts
        self,
        old: Member,
        memory: Memory,
        text: str,
        vector: Vector,
        group: Group,
        reason: Reason,
    ) -> Revise:
        """The next version of `old`, in these words."""
        revised = merging.revised(memory, text, self.setting.run, self.setting.now)
        return Revise(
            record=MemoryRecord(memory=revised, vector=vector),
            archive=self._archive(old.memory, old.the_record.vector, old.memory.id, group, reason),
            relation=group.relation,
            why=group.why,
            turn_ids=self._turns(group),
        )

    def retire(self, old: Member, by: UUID | None, group: Group, reason: Reason) -> Retire:
        return Retire(
            archive=self._archive(old.memory, old.the_record.vector, by, group, reason),
            relation=group.relation,
            why=group.why,
            turn_ids=self._turns(group),
        )

    def file(self, fact: Member, by: UUID, group: Group, reason: Reason) -> File:
        """History at birth: archived under the id it would have had."""
        return File(
            archive=self._archive(self.born(fact), self.vector(fact), by, group, reason),
            relation=group.relation,
            why=group.why,
            turn_ids=fact.the_fact.turn_ids,
        )

    def born(self, one: Member) -> Memory:
        fact, setting = one.the_fact, self.setting
        return merging.born(
            fact,
            id=memory_id(setting.scope.key, setting.run, one.ordinal),
            scope=setting.scope,
            run=setting.run,
            now=setting.now,
            metadata=setting.metadata(fact.turn_ids),
        )

    def stands(self, one: Member) -> Memory:
        """A memory as it stands now: with what stands again where its end has passed."""
        return current(one.memory, self.setting.now) or one.memory

    def vector_of(self, text: str, members: Iterable[Member]) -> Vector | None:
        """The embedding of a text that one of the members or the judge brought."""
        brought = {member.statement.text: self.vector(member) for member in members}
        return brought.get(text) or self.vectors.get(text)

    def vector(self, one: Member) -> Vector:
        return one.record.vector if one.record else self.candidacy.vectors[one.ordinal]

    def _archive(
        self, memory: Memory, vector: Vector, by: UUID | None, group: Group, reason: Reason
    ) -> ArchiveRecord:
        return merging.archived(
            memory,
            vector,
            by=by,
            reason=reason,
            why=group.why,
            run=self.setting.run,
            now=self.setting.now,
        )

    def _turns(self, group: Group) -> tuple[UUID, ...]:
        labels = [label for label in group.members if label.startswith("f")]
        return merging.union(*(self.candidacy.fact(label).turn_ids for label in labels))
