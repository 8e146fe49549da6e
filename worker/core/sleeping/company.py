"""Which memories are put to a judge together: every two of them nominated for each other, so that no chain grows."""

from collections.abc import Callable, Iterable
from uuid import UUID

from schemas.memory import Memory, MemoryRecord
from worker.core.finding.vectors import cosines
from worker.core.ports import Query
from worker.core.sleeping.night import Due, Night, Sight, Slice, place_of

#: What may be judged with one that is due.
Candidate = Callable[[Due, MemoryRecord, MemoryRecord], bool]


def queries_around(records: Iterable[MemoryRecord]) -> list[Query]:
    """Of the same subject, and not for words that are merely shared."""
    return [
        Query(
            one.vector,
            identifiers=one.memory.identifiers,
            slot=one.memory.slot,
            subject=one.memory.subject.casefold(),
        )
        for one in records
    ]


def is_before(other: Memory, due: Due, night: Night) -> bool:
    """Whether a pair is asked about with what is due: the later of two asks, and what is settled never does."""
    return place_of(other, night.came) < due.seen or other.last_run in night.own


def cut(sight: Sight, candidate: Candidate) -> Slice:
    """Groups that share no memory; it ends before the first that would, or that is one too many."""
    groups: list[tuple[MemoryRecord, ...]] = []
    used = set[UUID]()
    for at, (due, record) in enumerate(sight.due):
        group = company(sight, due, record, candidate)
        if len(group) == 1:
            continue
        ids = {one.memory.id for one in group}
        if len(groups) == sight.night.bounds.groups or not used.isdisjoint(ids):
            return Slice(at, tuple(groups), parents=sight.parents)
        groups.append(group)
        used |= ids
    return Slice(len(sight.due), tuple(groups), parents=sight.parents)


def company(
    sight: Sight, due: Due, record: MemoryRecord, candidate: Candidate
) -> tuple[MemoryRecord, ...]:
    """The memory and those beside it that are near all the others: links first, then the nearest, as many as fit."""
    if not _may_join(record.memory, sight):
        return (record,)
    others = (one for one in sight.around.values() if one.memory.id != record.memory.id)
    known = (one for one in others if _may_join(one.memory, sight))
    choice = [one for one in known if candidate(due, record, one)]
    links = record.memory.links
    choice.sort(key=lambda o: (o.memory.id not in links, -cosine(record, o), o.memory.id))
    group = [record]
    for one in choice:
        # What it links to was nominated for it when it was stored.
        is_known = one.memory.id in links and are_comparable(record.memory, one.memory)
        near = group[1:] if is_known else group
        if len(group) < sight.night.bounds.max_group and _is_near_all(sight, one, near):
            group.append(one)
    return tuple(group)


def merged_before(sight: Sight) -> list[UUID]:
    """Memories of which it matters what they were made of: a later version that is due, or near one."""
    floor = sight.night.bounds.floor
    due = [record for _, record in sight.due]
    beside = (
        one for one in sight.around.values() if any(are_near(one, other, floor) for other in due)
    )
    found = (one.memory for one in (*due, *beside))
    return list(dict.fromkeys(memory.id for memory in found if memory.version > 1))


def _may_join(memory: Memory, sight: Sight) -> bool:
    """Pinned memories and derived ones stay as they are, and what has lapsed no longer says what its vector does.

    Of what was joined nobody can tell what it is near once its parts are gone.
    """
    if memory.pinned or memory.derived or memory.id in sight.unknown:
        return False
    return memory.until is None or memory.until > sight.night.now


def _is_near_all(sight: Sight, one: MemoryRecord, group: Iterable[MemoryRecord]) -> bool:
    """With all that each was made of: what sleep has joined joins only what was near every part."""
    floor = sight.night.bounds.floor
    return all(
        are_near(mine, theirs, floor)
        for other in group
        for mine in _made_of(sight, one)
        for theirs in _made_of(sight, other)
    )


def _made_of(sight: Sight, one: MemoryRecord) -> tuple[MemoryRecord, ...]:
    return (one, *sight.parents.get(one.memory.id, ()))


def are_near(one: MemoryRecord, other: MemoryRecord, floor: float) -> bool:
    """Whether the two are nominated for each other."""
    mine, theirs = one.memory, other.memory
    return are_comparable(mine, theirs) and (
        (_slot(mine) is not None and _slot(mine) == _slot(theirs))
        or not _codes(mine).isdisjoint(_codes(theirs))
        or cosine(one, other) >= floor
    )


def are_comparable(one: Memory, other: Memory) -> bool:
    """Of one subject and one kind of voice, as a machine's words never change a person's, and not at two times."""
    times = sorted((one.happened_at or "", other.happened_at or ""), key=len)
    return (
        one.subject.casefold() == other.subject.casefold()
        and one.authority == other.authority
        and times[1].startswith(times[0])
    )


def cosine(one: MemoryRecord, other: MemoryRecord) -> float:
    return float(cosines([one.vector], [other.vector])[0, 0])


def _slot(memory: Memory) -> tuple[str, ...] | None:
    return tuple(part.casefold() for part in memory.slot) if memory.slot else None


def _codes(memory: Memory) -> frozenset[str]:
    return frozenset(one.strip().casefold() for one in memory.identifiers)
