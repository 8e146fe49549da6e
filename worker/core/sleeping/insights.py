"""What several memories say together and none of them says: which are put to a model."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from schemas.memory import Memory, MemoryRecord
from worker.core.groups.setting import PassName
from worker.core.ports import Query
from worker.core.sleeping.company import cosine, queries_around
from worker.core.sleeping.night import Due, Glance, Night, Sight, Slice

#: Memories that are looked around for at once.
PORTION = 48
#: Memories that are worth a question.
LEAST = 3
#: Insights that a question is told of.
KNOWN = 8
#: What was derived in that time before counts as of this night, also where one was broken off.
TONIGHT = timedelta(hours=12)


@dataclass(frozen=True)
class Insights:
    """What was changed is looked at once, with what is near it. Once enough is derived the next night goes on."""

    #: Of one night.
    most: int = 5
    name: PassName = "insights"
    portion: int = PORTION
    keeps_place: bool = True

    def due(self, night: Night) -> list[Due]:
        """The next few, as what is derived meanwhile may have been enough."""
        if derived_tonight(night.live.values(), night.now) >= self.most:
            return []
        found = (
            Due(one.place, one.place)
            for one in night.live.values()
            if night.is_new(self.name, one.place) and not one.derived
        )
        return sorted(found, key=lambda due: due.place)[:PORTION]

    def queries(self, records: Sequence[MemoryRecord]) -> list[Query]:
        return queries_around(records)

    def first_slice(self, sight: Sight) -> Slice:
        """What was looked at beside another is not looked at again by itself."""
        groups: list[tuple[MemoryRecord, ...]] = []
        used = set[UUID]()
        for at, (_, record) in enumerate(sight.due):
            group = _gathered(sight, record, used)
            if len(group) < LEAST:
                continue
            if len(groups) == sight.night.bounds.groups:
                return Slice(at, tuple(groups))
            used |= {one.memory.id for one in group}
            known = _known(sight, group, used)
            used |= {one.memory.id for one in known}
            groups.append((*group, *known))
        return Slice(len(sight.due), tuple(groups))


def derived_tonight(live: Iterable[Glance], now: datetime) -> int:
    """Of these memories those that were derived in this night so far."""
    return sum(bool(one.derived) and one.place[0] > now - TONIGHT for one in live)


def _gathered(sight: Sight, record: MemoryRecord, used: set[UUID]) -> tuple[MemoryRecord, ...]:
    """The memory with the nearest that are of the same subject and voice; none where it is taken, or no evidence."""
    if record.memory.id in used or not _is_evidence(record.memory):
        return ()
    near = [
        one
        for one in sight.around.values()
        if one.memory.id not in used | {record.memory.id}
        and _is_evidence(one.memory)
        and _are_of_one(record.memory, one.memory)
        and cosine(record, one) >= sight.night.bounds.floor
    ]
    return (record, *_nearest(record, near)[: sight.night.bounds.max_group - 1])


def _known(
    sight: Sight, group: Sequence[MemoryRecord], used: set[UUID]
) -> tuple[MemoryRecord, ...]:
    """What was derived about the subject and is near, or rests on one of these."""
    ids = {one.memory.id for one in group}
    found = [
        one
        for one in sight.around.values()
        if one.memory.id not in used
        and one.memory.derived
        and one.memory.subject.casefold() == group[0].memory.subject.casefold()
        and (not ids.isdisjoint(one.memory.derived) or _is_near(sight, group[0], one))
    ]
    return tuple(_nearest(group[0], found)[:KNOWN])


def _is_near(sight: Sight, one: MemoryRecord, other: MemoryRecord) -> bool:
    return cosine(one, other) >= sight.night.bounds.floor


def _nearest(record: MemoryRecord, others: Iterable[MemoryRecord]) -> list[MemoryRecord]:
    return sorted(others, key=lambda one: (-cosine(record, one), one.memory.id))


def _is_evidence(memory: Memory) -> bool:
    """What somebody said, for good, and undisputed."""
    return not (memory.derived or memory.flagged or memory.until)


def _are_of_one(one: Memory, other: Memory) -> bool:
    return one.subject.casefold() == other.subject.casefold() and one.authority == other.authority
