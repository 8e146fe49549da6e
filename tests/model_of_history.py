"""What must be true of one scope's past: a book of what was seen, kept beside the code that is tested."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from schemas.memory import ArchiveRecord, Memory, MemoryRecord
from schemas.plan import Run
from schemas.scope import Scope
from worker.core.ports import Reader

#: A memory's id, and which version of it.
Version = tuple[UUID, int]
Content = dict[str, Any]

#: Changed by every write, so no part of what an undo brings back.
OF_THE_WRITE = {"version", "updated_at", "last_run"}
#: May change without a new version.
COUNTED = {"confirmations", "last_confirmed_at", "said_at", "since", "turn_ids", "until"}
COUNTED |= {"until_assumed", "said_by", "authority", "uses"}
#: Leaving so, a text went on into another.
WENT_ON = {"merged", "superseded", "expired", "forgotten"}


def content(record: MemoryRecord | None) -> Content | None:
    return record.memory.model_dump(exclude=OF_THE_WRITE) if record else None


@dataclass(frozen=True)
class Seen:
    """All records of a scope, past every view."""

    live: dict[UUID, MemoryRecord]
    archives: dict[Version, ArchiveRecord]
    runs: dict[UUID, Run]

    @classmethod
    def of(cls, store: Reader, scope: Scope) -> "Seen":
        archives = list(store.archives(scope))
        return cls(
            {one.memory.id: one for one in store.memories(scope)},
            {(one.archive.memory.id, one.archive.memory.version): one for one in archives},
            {one.id: one for one in store.runs(scope)},
        )

    @property
    def versions(self) -> dict[Version, Memory]:
        found = {version: one.archive.memory for version, one in self.archives.items()}
        live = (one.memory for one in self.live.values())
        return found | {(one.id, one.version): one for one in live}

    def last_version(self, id: UUID) -> Version:
        return max(version for version in self.archives if version[0] == id)

    def last(self, id: UUID) -> ArchiveRecord:
        return self.archives[self.last_version(id)]

    def of_id(self, id: UUID) -> set[Version]:
        return {version for version in self.versions if version[0] == id}

    def saying(self, text: str, among: Iterable[Version] | None = None) -> set[Version]:
        all_of_them = self.versions
        among = all_of_them if among is None else among
        return {version for version in among if all_of_them[version].text == text}


def _memory(seen: Seen, id: UUID) -> Memory | None:
    record = seen.live.get(id)
    return record.memory if record else None


@dataclass
class Act:
    """One run, and how it was before."""

    id: UUID
    kind: str
    at: datetime
    turns: frozenset[UUID]
    #: What it touched, as that was before; null for what did not stand.
    before: dict[UUID, Content | None]
    #: Snapshots without which it cannot be taken back.
    needs: set[Version]
    #: Archived at birth → why.
    filed: dict[Version, str]
    #: Memory → acts that had made it what it was, the latest last.
    under: dict[UUID, tuple[UUID, ...]] = field(default_factory=dict)
    undoes: UUID | None = None
    is_undone: bool = False
    forgot: set[Version] = field(default_factory=set)
    #: Values that were said beside a wish to forget: its reasons may name them.
    told: frozenset[str] = frozenset()
    #: When it did so last.
    forgot_at: datetime | None = None


def came_into(seen: Seen, ids: Iterable[UUID]) -> set[Version]:
    """These memories with what was replaced by them for good, transitively: what stands again is not part of it."""
    ids = set(ids)
    found, todo = set[UUID](), ids
    while todo:
        found |= todo
        parents = {
            version[0]
            for version, one in seen.archives.items()
            if one.archive.replaced_by in todo
            and version[0] not in seen.live
            and one == seen.last(version[0])
        }
        todo = parents - found
    live = {(id, seen.live[id].memory.version) for id in ids & seen.live.keys()}
    return live | {version for version in seen.archives if version[0] in found}


def with_kin(seen: Seen, gone: set[Version], said: set[str]) -> set[Version]:
    """Whose last words go goes whole; so does what said the same, was learned from the same turns, and undone.

    Not what only something older than the words that go was learned from.
    """
    known = seen.versions
    whole = {id for id, _ in gone if id not in seen.live and seen.last_version(id) in gone}
    gone = gone | came_into(seen, whole)
    return gone | {
        version
        for version, one in seen.archives.items()
        if one.archive.reason == "undone"
        and any(
            one.archive.memory.text == known[other].text
            and set(one.archive.memory.turn_ids) & set(known[other].turn_ids)
            for other in gone
            if known[other].text in said
        )
    }


def gone_whole(seen: Seen, ids: Iterable[UUID]) -> set[Version]:
    """What goes with memories that stand no more."""
    ids = list(ids)
    said = {seen.last(id).archive.memory.text for id in ids}
    return with_kin(seen, came_into(seen, ids), said)


def gone_by_id(seen: Seen, id: UUID) -> set[Version]:
    """What goes with a memory, and of what it became all that says the same."""
    gone = came_into(seen, [id])
    heir = id
    while heir not in seen.live:
        last = seen.last(heir).archive
        if last.replaced_by in {None, heir} or last.reason not in WENT_ON:
            break
        assert last.replaced_by is not None
        heir = last.replaced_by
    if heir != id:
        text = seen.last(id).archive.memory.text
        whole = came_into(seen, [heir])
        says_it = heir in seen.live and seen.live[heir].memory.text == text
        gone |= whole if says_it else seen.saying(text, whole)
    said = seen.live[id].memory.text if id in seen.live else seen.last(id).archive.memory.text
    return with_kin(seen, gone, {said})


def gone_by_query(seen: Seen, text: str) -> set[Version]:
    whole = [id for id, one in seen.live.items() if one.memory.text == text]
    return with_kin(seen, seen.saying(text) | came_into(seen, whole), {text})


@dataclass
class Book:
    """What happened in one scope."""

    acts: dict[UUID, Act] = field(default_factory=dict)
    #: Memory → acts that made it what it is, the latest last; what was taken back is not among them.
    hands: dict[UUID, tuple[UUID, ...]] = field(default_factory=dict)
    versions: dict[Version, Content] = field(default_factory=dict)
    #: Version → all ends that it had: an end may move without a new version.
    ends: dict[Version, set[datetime | None]] = field(default_factory=dict)
    purged: set[Version] = field(default_factory=set)
    #: What was current then: version → text.
    moments: list[tuple[datetime, dict[Version, str]]] = field(default_factory=list)
    erased_at: datetime | None = None

    @property
    def settled(self) -> frozenset[UUID]:
        acts = (act for act in self.acts.values() if not act.is_undone)
        return frozenset[UUID]().union(*(act.turns for act in acts))

    @property
    def hidden(self) -> set[Version]:
        acts = (act for act in self.acts.values() if not act.is_undone)
        return set[Version]().union(*(act.forgot for act in acts)) - self.purged

    def told(self, *, in_reads: bool) -> frozenset[str]:
        """Values that reasons may name though no version has them: of wishes that were undone, or are not purged."""
        acts = (
            act
            for act in self.acts.values()
            if act.is_undone or (not in_reads and act.forgot - self.purged)
        )
        return frozenset[str]().union(*(act.told for act in acts))

    def may_go(self, grace: timedelta, now: datetime) -> set[Version]:
        return {
            version
            for act in self.acts.values()
            if not act.is_undone
            and act.forgot
            and act.at + (grace if is_asked(act) else timedelta()) <= now
            for version in act.forgot
        }

    def must_go(self, grace: timedelta, now: datetime) -> set[Version]:
        return {
            version
            for act in self.acts.values()
            if not act.is_undone
            and act.forgot_at
            and act.forgot_at + (grace if is_asked(act) else timedelta()) <= now
            for version in act.forgot
        }

    def wrote(self, before: Seen, after: Seen, run: Run, at: datetime) -> Act:
        """What an act did, as far as records show."""
        ids = before.live.keys() | after.live.keys()
        touched: dict[UUID, Content | None] = {
            id: content(before.live.get(id))
            for id in ids
            if _memory(before, id) != _memory(after, id)
        }
        fresh = after.archives.keys() - before.archives.keys()
        filed = {
            version: after.archives[version].archive.reason
            for version in fresh
            if version[0] not in ids
        }
        touched |= dict.fromkeys(id for id, _ in filed)
        act = Act(
            id=run.id,
            kind=run.kind,
            at=at,
            turns=frozenset(run.turn_ids),
            before=touched,
            needs={version for version in fresh if version[0] in touched},
            filed=dict(filed),
            under={id: self.hands.get(id, ()) for id in touched},
            undoes=run.undoes,
        )
        self.acts[run.id] = act
        if run.undoes is None:
            for id in touched:
                self.hands[id] = (*act.under[id], act.id)
        return act

    def chain(self, act: Act) -> list[Act]:
        """The act, the one that it took back, and so on."""
        found = [act]
        while (undoes := found[-1].undoes) is not None:
            found.append(self.acts[undoes])
        return found

    def stands_against(self, act: Act, seen: Seen) -> str | None:
        """Why an act cannot be taken back, if it cannot."""
        chain = self.chain(act)
        if any(one.is_undone != bool(at % 2) for at, one in enumerate(chain)):
            return "it does not hold"
        first, takes_back = chain[-1], bool(len(chain) % 2)
        for id, under in first.under.items():
            hands = self.hands.get(id, ())
            if hands != ((*under, first.id) if takes_back else under):
                return "something built on it"
        if not act.needs <= seen.archives.keys():
            return "what it needs is gone"
        if any(not seen.of_id(id) for id in act.before):
            return "nothing is left of what it made"
        others = [one for one in self.acts.values() if not one.is_undone and not one.forgot]
        if not takes_back and any(first.turns & one.turns for one in others if one is not first):
            return "its turns were learned again"
        return None

    def turned(self, act: Act, undo: Act, after: Seen) -> None:
        """The act was taken back."""
        chain = self.chain(act)
        for one in chain:
            one.is_undone = not one.is_undone
        first = chain[-1]
        for id, under in first.under.items():
            self.hands[id] = under if first.is_undone else (*under, first.id)
        if first.forgot and not first.is_undone:
            stood = (id for id, before in first.before.items() if before is not None)
            vanished = [id for id in stood if id not in after.live]
            first.forgot |= gone_whole(after, vanished)
            first.forgot_at = undo.at

    def erased(self, at: datetime) -> None:
        fresh = Book(erased_at=at)
        self.__dict__.update(fresh.__dict__)


def is_asked(act: Act) -> bool:
    """Whether somebody asked for it in a conversation: it stays a while."""
    return act.kind == "batch"
