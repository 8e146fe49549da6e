"""The members of a group as values, in order of the time they were said."""

from collections.abc import Iterable
from dataclasses import dataclass

from schemas.memory import Fact, Memory, MemoryRecord
from worker.core.judgment import Candidacy, Group


@dataclass(frozen=True)
class Member:
    """A fact of the batch or a live memory, under its label; exactly one of the two is set."""

    label: str
    fact: Fact | None
    record: MemoryRecord | None

    @property
    def statement(self) -> Fact | Memory:
        return self.the_fact if self.fact else self.memory

    @property
    def the_fact(self) -> Fact:
        if self.fact is None:
            raise AssertionError(f"{self.label} is no fact")
        return self.fact

    @property
    def the_record(self) -> MemoryRecord:
        if self.record is None:
            raise AssertionError(f"{self.label} is no memory")
        return self.record

    @property
    def memory(self) -> Memory:
        return self.the_record.memory

    @property
    def ordinal(self) -> int:
        """Place in its own list, from 0."""
        return int(self.label[1:]) - 1


def member(candidacy: Candidacy, label: str) -> Member:
    if label.startswith("f"):
        return Member(label, candidacy.fact(label), None)
    return Member(label, None, candidacy.candidate(label))


def members_newest_first(candidacy: Candidacy, group: Group) -> list[Member]:
    """By the time said; of those said at one time a fact is newer than a memory, a later fact than an earlier."""
    members = [member(candidacy, label) for label in group.members]
    return sorted(
        members,
        key=lambda m: (m.statement.said_at, m.fact is not None, m.ordinal if m.fact else 0, m.label),
        reverse=True,
    )


def labels(candidacy: Candidacy) -> frozenset[str]:
    facts = (f"f{at + 1}" for at in range(len(candidacy.facts)))
    return frozenset((*facts, *(f"c{at + 1}" for at in range(len(candidacy.candidates)))))


def sound(candidacy: Candidacy, groups: Iterable[Group]) -> tuple[Group, ...]:
    """The groups that only name what was offered, and nothing twice; the rest is left out whole.

    Replies are refused for the same reasons before they get here. This is the last line: whatever the judge
    and its reader did, no memory changes that was not offered to a fact of the group, and none twice.
    """
    known, used, kept = labels(candidacy), set[str](), list[Group]()
    for group in groups:
        names = set(group.members)
        facts = [label for label in group.members if label.startswith("f")]
        if len(names) != len(group.members) or not names <= known or names & used or not facts:
            continue
        newest_fact = next(m for m in members_newest_first(candidacy, group) if m.fact)
        offered = {*candidacy.offered[newest_fact.ordinal], newest_fact.label}
        if not names <= offered or (len(names) == 1):
            continue
        used |= names
        kept.append(group)
    return tuple(kept)
