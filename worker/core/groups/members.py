"""The members of a group as values, in order of the time they were said."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from schemas.base import Vector
from schemas.memory import Fact, Memory, MemoryRecord
from worker.core.groups.judgment import Candidacy, Group, facts_in, ordinal
from worker.core.groups.merging import AUTHORITY


@dataclass(frozen=True)
class Member:
    """A fact of the batch or a live memory, under its label; exactly one of `fact` and `record` is set."""

    label: str
    #: As the judge was shown it: a memory that has lapsed as what stands again.
    statement: Fact | Memory
    vector: Vector
    fact: Fact | None
    record: MemoryRecord | None

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
        """As it is stored."""
        return self.the_record.memory

    @property
    def shown(self) -> Memory:
        """As it stands at the moment of the question."""
        if isinstance(self.statement, Fact):
            raise TypeError(f"{self.label} is no memory")
        return self.statement

    @property
    def has_lapsed(self) -> bool:
        """Whether it stands for words that are not written down yet: `vector` is of others then."""
        return self.record is not None and self.statement != self.memory

    @property
    def is_request(self) -> bool:
        """Whether it asks to forget."""
        return self.fact is not None and self.fact.kind == "forget"

    @property
    def rank(self) -> int:
        """By who said it: the higher outranks, and what nobody said comes last."""
        return -1 if self.is_derived else AUTHORITY[self.statement.authority]

    @property
    def is_derived(self) -> bool:
        return self.record is not None and bool(self.record.memory.derived)

    @property
    def ordinal(self) -> int:
        return ordinal(self.label)


def member(candidacy: Candidacy, label: str) -> Member:
    statement, vector = candidacy.shown(label), candidacy.vector(label)
    if isinstance(statement, Fact):
        return Member(label, statement, vector, statement, None)
    return Member(label, statement, vector, None, candidacy.candidate(label))


def members_newest_first(candidacy: Candidacy, group: Group) -> list[Member]:
    """By the time said; at one time a fact is newer than a memory, a request to forget than what it may mean.

    Else a later fact is newer than an earlier.
    """
    return _newest_first(candidacy, group.members)


def _newest_first(candidacy: Candidacy, labels: Iterable[str]) -> list[Member]:
    return sorted((member(candidacy, label) for label in labels), key=_age, reverse=True)


def _age(one: Member) -> tuple[datetime, bool, bool, int, str]:
    is_fact = one.fact is not None
    place = one.ordinal if is_fact else 0
    return (one.statement.said_at, is_fact, one.is_request, place, one.label)


def labels(candidacy: Candidacy) -> frozenset[str]:
    return frozenset((*candidacy.fact_labels, *candidacy.memory_labels))


def sound(candidacy: Candidacy, groups: Iterable[Group]) -> tuple[Group, ...]:
    """The groups that only name what was offered, and nothing twice; the rest is left out whole.

    Replies are refused for the same reasons before they get here. This is the last line: whatever the judge
    and its reader did, no memory changes that was not offered to the centre of its group, and none twice.
    """
    used, kept = set[str](), list[Group]()
    for group in groups:
        if used.isdisjoint(group.members) and is_sound(candidacy, group.members):
            used |= set(group.members)
            kept.append(group)
    return tuple(kept)


def is_sound(candidacy: Candidacy, members: Sequence[str]) -> bool:
    """At least two, none twice, and all were offered to the centre."""
    names = set(members)
    if not 1 < len(names) == len(members) or not names <= labels(candidacy):
        return False
    return not strangers(candidacy, members)


def strangers(candidacy: Candidacy, members: Sequence[str]) -> tuple[str, ...]:
    """Members that were not offered to the centre of their group."""
    middle = centre(candidacy, members)
    offered = {middle, *candidacy.offered_to(middle)}
    return tuple(one for one in members if one not in offered)


def centre(candidacy: Candidacy, members: Sequence[str]) -> str:
    """What all others have to be offered to: the newest fact; among memories alone the newest of them."""
    return _newest_first(candidacy, facts_in(members) or members)[0].label


def asks_about(candidacy: Candidacy, fact: str, other: str) -> bool:
    """Whether this of two facts is judged with the other as its candidate: the newer, but a request is nobody's."""
    return not member(candidacy, other).is_request and centre(candidacy, (fact, other)) == fact
