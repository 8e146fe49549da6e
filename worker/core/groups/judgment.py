"""What is put to a judge, and what it finds: groups of facts and memories about the same thing."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from schemas.base import Frozen, Text, Vector
from schemas.memory import Fact, Memory, MemoryRecord
from worker.core.current import current

GroupRelation = Literal["same", "update", "contradict", "forget"]

#: Most members of a group, unless the settings say otherwise.
MAX_GROUP = 8
#: What a person asks to forget may stand in that many times as many memories as are ever one thing.
FORGET_FACTOR = 3


def most_members(max_group: int, *, forgets: bool) -> int:
    """Members that a group may have."""
    return max_group * FORGET_FACTOR if forgets else max_group


def is_fact(label: str) -> bool:
    """Whether it labels a fact; else a memory."""
    return label.startswith("f")


def ordinal(label: str) -> int:
    """Place in its own list, from 0."""
    return int(label[1:]) - 1


def facts_in(labels: Iterable[str]) -> tuple[str, ...]:
    return tuple(label for label in labels if is_fact(label))


def memories_in(labels: Iterable[str]) -> tuple[str, ...]:
    return tuple(label for label in labels if not is_fact(label))


@dataclass(frozen=True)
class Candidacy:
    """Facts of a batch, the live memories that might be about the same things, and who was offered what.

    Facts are labelled `f1…` and candidates `c1…`, in the order of the tuples. Without facts every candidate was
    nominated with every other.
    """

    facts: tuple[Fact, ...]
    vectors: tuple[Vector, ...]
    candidates: tuple[MemoryRecord, ...]
    #: For each fact the labels offered to it: candidates, and other facts of the batch; best first.
    offered: tuple[tuple[str, ...], ...]
    #: Cosine of a fact's label and an offered label (−1 to 1).
    cosines: dict[tuple[str, str], float] = field(default_factory=dict)
    #: The moment of the question: memories are shown as they stand then. Null: as they are stored.
    asked_at: datetime | None = None
    #: Facts that are to be judged; the others are judged elsewhere and may only be joined. Null: all.
    asked: tuple[str, ...] | None = None

    @property
    def fact_labels(self) -> tuple[str, ...]:
        return tuple(f"f{at}" for at in range(1, len(self.facts) + 1))

    @property
    def asked_labels(self) -> tuple[str, ...]:
        return self.fact_labels if self.asked is None else self.asked

    @property
    def memory_labels(self) -> tuple[str, ...]:
        return tuple(f"c{at}" for at in range(1, len(self.candidates) + 1))

    def fact(self, label: str) -> Fact:
        return self.facts[ordinal(label)]

    def candidate(self, label: str) -> MemoryRecord:
        return self.candidates[ordinal(label)]

    def vector(self, label: str) -> Vector:
        return self.vectors[ordinal(label)] if is_fact(label) else self.candidate(label).vector

    def offered_to(self, label: str) -> tuple[str, ...]:
        """What may be joined with it, best first."""
        if is_fact(label):
            return self.offered[ordinal(label)]
        return () if self.facts else self.memory_labels

    def shown(self, label: str) -> Fact | Memory:
        """What the judge sees: a fact, or a memory as it stands at the moment of the question."""
        if is_fact(label):
            return self.fact(label)
        memory = self.candidate(label).memory
        return (current(memory, self.asked_at) if self.asked_at else None) or memory


class Group(Frozen):
    """Facts and memories about the same thing, and what stands afterwards."""

    why: str
    #: Labels; the relation is that of the newest to the rest.
    members: tuple[str, ...]
    relation: GroupRelation
    #: Literal pieces of older members that are no longer true.
    drops: tuple[str, ...] = ()
    #: Null where the newest member's own words stand; under `forget` what remains.
    text: Text | None = None
    #: The text that stands again once the newest member's `until` has passed; under `forget` the memory's.
    after: Text | None = None
    #: Whether who found it has also said which words stand; else that is still to be asked.
    written: bool = True


class Groups(Frozen):
    """Each fact is in exactly one group or in `new`."""

    groups: tuple[Group, ...]
    new: tuple[str, ...]
    #: Label of a fact that is added as it is because its judgment failed → why.
    flagged: dict[str, str] = {}
