"""A scope as sleep sees it: all that lives at a glance, and what one slice is cut from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import takewhile
from typing import Protocol
from uuid import UUID

from schemas.memory import Memory, MemoryRecord
from schemas.scope import Scope
from worker.core.groups.judgment import MAX_GROUP
from worker.core.groups.setting import PassName
from worker.core.ports import Query
from worker.core.sleeping.fading import quiet_since

#: When a memory was last changed, and its id: the order in which a pass goes over a scope.
Place = tuple[datetime, UUID]


def place_of(memory: Memory, came: Mapping[UUID, datetime] | None = None) -> Place:
    """`came`: the run of an import → when that was, which is when its memories changed here, however old they are."""
    return max(memory.updated_at, (came or {}).get(memory.last_run, memory.updated_at)), memory.id


@dataclass(frozen=True)
class Glance:
    """Of one live memory what tells a pass whether to take it up."""

    place: Place
    last_run: UUID
    until: datetime | None = None
    pinned: bool = False
    flagged: bool = False
    links: tuple[UUID, ...] = ()
    version: int = 1
    #: Of what nobody said: what it was derived from, and which version of each.
    derived: Mapping[UUID, int] = field(default_factory=dict)
    #: The last sign of life of what may fade: see `worker.core.sleeping.fading`; null for what never does.
    quiet_since: datetime | None = None

    @classmethod
    def of(cls, memory: Memory, came: Mapping[UUID, datetime] | None = None) -> "Glance":
        return cls(
            place=place_of(memory, came),
            last_run=memory.last_run,
            until=memory.until,
            pinned=memory.pinned,
            flagged=memory.flagged is not None,
            links=memory.links,
            version=memory.version,
            derived=memory.derived,
            quiet_since=quiet_since(memory),
        )


@dataclass(frozen=True)
class Bounds:
    """How far a pass looks, and how much it does at once."""

    #: Cosine from which two memories may be about the same thing.
    floor: float
    #: Memories that each ranking of the store may nominate for one.
    pool: int = 20
    max_group: int = MAX_GROUP
    #: Groups of one slice.
    groups: int = 8


@dataclass(frozen=True)
class Night:
    """A scope and how far each pass has come in it."""

    scope: Scope
    now: datetime
    bounds: Bounds
    live: Mapping[UUID, Glance]
    #: What was changed until then has been looked at.
    marks: Mapping[PassName, Place] = field(default_factory=dict)
    #: Runs whose work is settled: see `worker.core.sleeping.own`.
    own: frozenset[UUID] = frozenset()
    #: Run of an import → when that was.
    came: Mapping[UUID, datetime] = field(default_factory=dict)

    def is_new(self, name: PassName, place: Place) -> bool:
        """Whether the pass has not looked at it yet; what claims to be of the future has to wait for it."""
        mark = self.marks.get(name)
        return place[0] <= self.now and (mark is None or place > mark)


@dataclass(frozen=True)
class Due:
    """A memory that a pass takes up."""

    #: Where it stands in the pass.
    place: Place
    #: Its own place when it was looked at: one that was changed since is due again later.
    seen: Place

    @property
    def id(self) -> UUID:
        return self.seen[1]


@dataclass(frozen=True)
class Sight:
    """What a slice is cut from, read under the lease."""

    night: Night
    #: What is due, in order, with its record.
    due: Sequence[tuple[Due, MemoryRecord]]
    #: What was found around it.
    around: Mapping[UUID, MemoryRecord] = field(default_factory=dict)
    #: Of what sleep has joined before → what it was made of.
    parents: Mapping[UUID, Sequence[MemoryRecord]] = field(default_factory=dict)
    #: What sleep has joined before and of which it is not known any more what it was made of.
    unknown: frozenset[UUID] = frozenset()


@dataclass(frozen=True)
class Slice:
    """What is done under one lease."""

    #: How many of those that are due it is done with.
    done: int
    #: Memories that are judged together, no memory twice; each group is about its first.
    groups: tuple[tuple[MemoryRecord, ...], ...] = ()
    #: Memories that the pass changes by itself, each for its own sake.
    records: tuple[MemoryRecord, ...] = ()
    #: Of what sleep has joined before → what it was made of.
    parents: Mapping[UUID, Sequence[MemoryRecord]] = field(default_factory=dict)

    @property
    def looked_at(self) -> int:
        return len(self.records) or self.done

    def before(self, first: UUID, due: Sequence[Due]) -> "Slice":
        """What comes before the group about this memory, one of those that are due."""
        at = [one.id for one in due].index(first)
        groups = tuple(takewhile(lambda group: group[0].memory.id != first, self.groups))
        return replace(self, done=at, groups=groups)


class Pass(Protocol):
    """One way of going over a scope. All methods are pure."""

    @property
    def name(self) -> PassName: ...

    #: How many of those that are due are read at once.
    @property
    def portion(self) -> int: ...

    #: Whether it keeps its place; else what is done is no longer due.
    @property
    def keeps_place(self) -> bool: ...

    def due(self, night: Night) -> list[Due]:
        """What it has still to take up, in order."""
        ...

    def queries(self, records: Sequence[MemoryRecord]) -> list[Query]:
        """What to look for around these."""
        ...

    def first_slice(self, sight: Sight) -> Slice:
        """The first slice of what is due; the rest is cut anew, from what is there by then."""
        ...
