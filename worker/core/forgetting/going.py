"""What goes when somebody asks to forget a memory, or what a query names."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from schemas.memory import Archive, ArchiveRecord, Memory, MemoryRecord
from worker.core.forgetting.descent import HANDED_ON, Known
from worker.core.forgetting.topics import (
    Topic,
    distinctive,
    has_all,
    of_query,
    said_elsewhere,
    telling,
)
from worker.core.groups.merging import union

State = Literal["live", "archived", "forgotten"]


@dataclass(frozen=True)
class Named:
    """A memory that speaks of a query."""

    id: UUID
    text: str
    state: State
    #: Only a part of it goes.
    says_more: bool


@dataclass(frozen=True)
class Part:
    """A live memory that says more than what goes."""

    record: MemoryRecord
    topic: Topic
    #: Snapshots of what it was made of that say nothing of it.
    untouched: tuple[ArchiveRecord, ...] = ()


@dataclass(frozen=True)
class Going:
    """Everything that goes, in whole or in part."""

    whole: tuple[MemoryRecord, ...] = ()
    parts: tuple[Part, ...] = ()
    archives: tuple[ArchiveRecord, ...] = ()
    #: What tells the same elsewhere is found by these.
    topics: tuple[Topic, ...] = ()

    @property
    def is_nothing(self) -> bool:
        return not (self.whole or self.parts or self.archives)

    @property
    def turn_ids(self) -> tuple[UUID, ...]:
        """Turns behind what goes, but those behind what of a part is untouched."""
        gone = [one.memory.turn_ids for one in self.whole]
        gone += [one.archive.memory.turn_ids for one in self.archives]
        for part in self.parts:
            kept = {id for one in part.untouched for id in one.archive.memory.turn_ids}
            gone.append(tuple(id for id in part.record.memory.turn_ids if id not in kept))
        return union(*gone)


def named(known: Known, query: str) -> list[Named]:
    """Memories that name all of the query, live ones first; what such a one was made of is not listed beside it."""
    topic = of_query(query)
    live = [one.memory for one in known.live.values() if _names(one.memory, topic)]
    covered = {one.archive.memory.id for memory in live for one in known.before(memory.id)}
    found = [_named(memory, "live", topic) for memory in live]
    once: dict[UUID, Archive] = {}
    for record in known.archives:
        archive = record.archive
        if archive.memory.id not in covered and _names(archive.memory, topic):
            once[archive.memory.id] = archive
    for archive in once.values():
        state: State = "forgotten" if archive.reason == "forgotten" else "archived"
        found.append(_named(archive.memory, state, topic))
    return found


def _named(memory: Memory, state: State, topic: Topic) -> Named:
    return Named(memory.id, memory.text, state, not _is_all(memory, topic))


def _names(memory: Memory, topic: Topic) -> bool:
    return topic.is_told_by(memory.text) or topic.is_told_by(memory.after or "")


def by_query(known: Known, query: str, ids: Iterable[UUID]) -> Going:
    """What goes of these memories: whoever says nothing else goes whole, with all that it was made of."""
    ids = {*ids}
    topic = of_query(query)
    topic = of_query(query, _common(known, topic.words, ids))
    return _joined([_in_whole_or_part(known, id, topic) for id in ids], [topic])


def _common(known: Known, words: frozenset[str], ids: AbstractSet[UUID]) -> frozenset[str]:
    """Words that are said of other things as well: a query takes no memory that has only some of its words."""
    before = (one.archive.memory for id in ids for one in known.before(id))
    near = [
        one.text for one in before if one.id not in ids or _goes_on(one, known.live.get(one.id))
    ]
    far = (one.memory.text for id, one in known.live.items() if id not in ids)
    return said_elsewhere(words, near, far)


def by_ids(known: Known, ids: Sequence[UUID]) -> Going:
    """These memories with all that they were made of, and their part in what they went on into."""
    found, topics = list[Going](), list[Topic]()
    for id in ids:
        before = known.before(id)
        whole = [known.live[id]] if id in known.live else []
        found.append(Going(whole=tuple(whole), archives=tuple(before)))
        topics += [topic := _topic_of(known, id)]
        if (heir := known.heir(id)) != id:
            found.append(_in_whole_or_part(known, heir, topic, apart=before))
    return _joined(found, topics)


def _in_whole_or_part(
    known: Known, id: UUID, topic: Topic, apart: Sequence[ArchiveRecord] = ()
) -> Going:
    """What of a memory and of what it was made of speaks of the topic; `apart` goes anyway."""
    gone = {one.archive.id for one in apart}
    before = [one for one in known.before(id) if one.archive.id not in gone]
    record = known.live.get(id)
    if record and _is_all(record.memory, topic):
        return Going(whole=(record,), archives=tuple(before))
    told = tuple(one for one in before if _tells(one.archive.memory, topic))
    untouched = tuple(one for one in before if one not in told)
    if record and _tells(record.memory, topic):
        return Going(parts=(Part(record, topic, untouched),), archives=told)
    return Going(archives=told)


def _goes_on(earlier: Memory, record: MemoryRecord | None) -> bool:
    """Whether something was added to it since; else it was put in other words, or was replaced."""
    return record is not None and has_all(record.memory.text, telling(earlier.text))


def _tells(memory: Memory, topic: Topic) -> bool:
    return topic.is_in(memory.text) or topic.is_in(memory.after)


def _is_all(memory: Memory, topic: Topic) -> bool:
    known = (memory.subject, memory.said_by)
    texts = filter(None, (memory.text, memory.after))
    return all(topic.is_all_of(text, *known) for text in texts)


def _topic_of(known: Known, id: UUID) -> Topic:
    """What was merged shows in a single word; what only replaced it may well share some."""
    record, last = known.live.get(id), known.last(id)
    memory = record.memory if record else last.memory if last else None
    if memory is None:
        return Topic("", frozenset())
    others = _beside(known, last) if last and not record else ()
    words = distinctive(memory.text, others, memory.subject, memory.said_by)
    if record:
        return Topic(memory.text, words)
    far = (one.memory.text for live, one in known.live.items() if live != known.heir(id))
    common = said_elsewhere(words, (), far)
    is_merged = last is not None and last.reason in {"merged", "forgotten"}
    least = 1 if is_merged else len(words - common) // 2 + 1
    return Topic(memory.text, words, least, common)


def _beside(known: Known, last: Archive) -> Iterator[str]:
    """Texts of what it was merged with, as they were before."""
    into = known.made_of(last)
    if into is None or last.reason not in HANDED_ON:
        return
    own = {one.archive.id for one in known.before(last.memory.id)}
    for one in known.before(into.id):
        memory = one.archive.memory
        is_before = memory.id != into.id or memory.version < into.version
        if one.archive.id not in own and is_before:
            yield memory.text


def _joined(found: Sequence[Going], topics: Sequence[Topic]) -> Going:
    """Each record once; whoever goes whole does not go in part."""
    whole = {one.memory.id: one for going in found for one in going.whole}
    parts: dict[UUID, Part] = {}
    for part in (one for going in found for one in going.parts):
        id = part.record.memory.id
        parts[id] = _both(parts[id], part) if id in parts else part
    archives = {one.archive.id: one for going in found for one in going.archives}
    return Going(
        whole=tuple(whole.values()),
        parts=tuple(one for id, one in parts.items() if id not in whole),
        archives=tuple(archives.values()),
        topics=tuple(one for one in topics if one.words),
    )


def _both(one: Part, other: Part) -> Part:
    """Two things go of the same memory."""
    untouched = tuple(was for was in one.untouched if was in other.untouched)
    return Part(one.record, one.topic.with_(other.topic), untouched)
