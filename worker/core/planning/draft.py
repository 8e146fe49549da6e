"""Single changes as finished records, for one judgment."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from schemas.base import Vector
from schemas.ids import memory_id
from schemas.memory import ArchiveRecord, Memory, MemoryRecord, Reason
from schemas.plan import Add, File, Retire, Revise
from worker.core.groups import merging
from worker.core.groups.judgment import Candidacy, Group, ordinal
from worker.core.groups.members import Member, member
from worker.core.groups.outcome import Outcome, outcome
from worker.core.groups.setting import Setting
from worker.core.texts.words import normalised


@dataclass(frozen=True)
class Draft:
    """Makes the changes and keeps count of the facts that become none."""

    setting: Setting
    candidacy: Candidacy
    #: For each text that no member brings a vector for.
    vectors: Mapping[str, Vector]
    dropped: Counter[str] = field(default_factory=Counter)

    def outcome(self, group: Group) -> Outcome:
        """What a sound group comes to under the setting's policy."""
        return outcome(self.candidacy, group, self.setting.policy.resolver)

    def stored(
        self,
        labels: Iterable[str],
        why: str,
        links: tuple[UUID, ...] = (),
        flag: str | None = None,
    ) -> Iterator[Add]:
        """Facts added as they are; a request to forget is never stored, nor what nobody but a machine said."""
        for label in sorted(labels, key=ordinal):
            one = member(self.candidacy, label)
            fact = one.the_fact
            if one.is_request and fact.authority != "user":
                self.dropped["only a person may ask to forget"] += 1
            elif one.is_request:
                self.dropped["nothing known to forget"] += 1
            elif not self.stores(one):
                self.dropped[f"only the {fact.authority} said it"] += 1
            else:
                add = self.add([one], None, why)
                memory = add.record.memory.model_copy(update={"links": links, "flagged": flag})
                yield add.model_copy(
                    update={"record": MemoryRecord(memory=memory, vector=add.record.vector)}
                )

    def stores(self, fact: Member) -> bool:
        """Whether what this one says may be stored, by who said it."""
        return fact.the_fact.authority == "user" or self.setting.policy.remember_assistant

    def add(
        self,
        facts: Sequence[Member],
        text: str | None,
        why: str,
        after: str | None = None,
        happened_at: str | None = None,
    ) -> Add:
        """One new memory from the first of these facts; the others say the same and lend their turns."""
        first, *twins = facts
        born = self.born(first)
        memory = merging.confirmed(born, [twin.the_fact for twin in twins], self.setting.run)
        # The first is the newest also where all were said at one time: its end stands.
        memory = memory.model_copy(
            update={
                "until": born.until,
                "until_assumed": born.until_assumed,
                "after": after or born.after,
                "happened_at": happened_at or born.happened_at,
            }
        )
        vector = first.vector
        if text and normalised(text) != normalised(memory.text):
            memory = merging.worded(memory, text)
            vector = self.vector_of(text, facts)
        return Add(
            record=MemoryRecord(memory=memory, vector=vector),
            relation="new",
            why=why,
            turn_ids=memory.turn_ids,
        )

    def remaining(self, facts: Sequence[Member], found: Outcome, text: str, why: str) -> Add:
        """What a request to forget leaves of these facts; nothing stands again after it."""
        add = self.add(facts, text, why)
        memory = add.record.memory.model_copy(update={"after": None})
        return add.model_copy(
            update={
                "record": MemoryRecord(memory=memory, vector=add.record.vector),
                "turn_ids": _turns(found),
            }
        )

    def revise(
        self, found: Outcome, old: Member, memory: Memory, group: Group, reason: Reason
    ) -> Revise:
        """The next version of `old`, in the words of the outcome."""
        text = found.text or old.shown.text
        revised = merging.revised(memory, text, self.setting.run, self.setting.now)
        vector = self.vector_of(text, found.members)
        return Revise(
            record=MemoryRecord(memory=revised, vector=vector),
            archive=self._archive(old.memory, old.vector, old.memory.id, group, reason),
            relation=group.relation,
            why=group.why,
            turn_ids=_turns(found),
            said=found.said,
        )

    def retire(
        self, old: Member, by: UUID | None, found: Outcome, group: Group, reason: Reason
    ) -> Retire:
        return Retire(
            archive=self._archive(old.memory, old.vector, by, group, reason),
            relation=group.relation,
            why=group.why,
            turn_ids=_turns(found),
        )

    def file(self, fact: Member, by: UUID, group: Group, reason: Reason) -> File:
        """History at birth: archived under the id it would have had."""
        return File(
            archive=self._archive(self.born(fact), fact.vector, by, group, reason),
            relation=group.relation,
            why=group.why,
            turn_ids=fact.the_fact.turn_ids,
        )

    def id_of(self, one: Member) -> UUID:
        """A memory's own, or that under which a fact is born."""
        if one.record:
            return one.memory.id
        return memory_id(self.setting.scope.key, self.setting.run, one.ordinal)

    def born(self, one: Member) -> Memory:
        fact, setting = one.the_fact, self.setting
        return merging.born(
            fact,
            id=self.id_of(one),
            scope=setting.scope,
            run=setting.run,
            now=setting.now,
            metadata=setting.metadata(fact.turn_ids),
        )

    def vector_of(self, text: str, members: Iterable[Member]) -> Vector:
        """The embedding of a text that one of the members or the judge brought."""
        brought = {one.statement.text: one.vector for one in members if not one.has_lapsed}
        return brought[text] if text in brought else self.vectors[text]

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


def _turns(found: Outcome) -> tuple[UUID, ...]:
    facts = found.beside if found.kind == "beside" else found.facts
    return merging.union(*(fact.the_fact.turn_ids for fact in facts))
