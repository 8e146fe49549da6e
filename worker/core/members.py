"""The members of a group as values, in order of the time they were said."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

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
    """By the time said; at one time a fact is newer than a memory, a later fact than an earlier."""
    members = [member(candidacy, label) for label in group.members]
    return sorted(members, key=_age, reverse=True)


def _age(one: Member) -> tuple[datetime, bool, int, str]:
    is_fact = one.fact is not None
    return (one.statement.said_at, is_fact, one.ordinal if is_fact else 0, one.label)


def labels(candidacy: Candidacy) -> frozenset[str]:
    facts = (f"f{at + 1}" for at in range(len(candidacy.facts)))
    return frozenset((*facts, *(f"c{at + 1}" for at in range(len(candidacy.candidates)))))


def sound(candidacy: Candidacy, groups: Iterable[Group]) -> tuple[Group, ...]:
    """The groups that only name what was offered, and nothing twice; the rest is left out whole.

    Replies are refused for the same reasons before they get here. This is the last line: whatever the judge
    and its reader did, no memory changes that was not offered to a fact of the group, and none twice.
    """
    used, kept = set[str](), list[Group]()
    for group in groups:
        if used.isdisjoint(group.members) and is_sound(candidacy, group.members):
            used |= set(group.members)
            kept.append(group)
    return tuple(kept)


def is_sound(candidacy: Candidacy, members: Sequence[str]) -> bool:
    """At least two, none twice, and all were offered to the newest fact among them."""
    names = set(members)
    if len(names) < 2 or len(names) != len(members) or not names <= labels(candidacy):  # noqa: PLR2004
        return False
    facts = [member(candidacy, label) for label in members if label.startswith("f")]
    if not facts:
        return False
    newest = max(facts, key=_age)
    return names <= {*candidacy.offered[newest.ordinal], newest.label}


def survivor_first(memories: list[Member]) -> list[Member]:
    """The most confirmed first, else the oldest; the pinned before all, since it may not be retired."""
    return sorted(
        memories,
        key=lambda m: (
            not m.memory.pinned,
            -m.memory.confirmations,
            m.memory.created_at,
            str(m.memory.id),
        ),
    )
