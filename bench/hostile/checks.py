"""Which promises a plan broke, told from what the store held before and after it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from schemas.memory import Archive, ArchiveRecord, Memory, MemoryRecord
from schemas.plan import Plan
from schemas.scope import Scope
from worker.core.groups.judgment import Candidacy, Groups, memories_in
from worker.core.groups.merging import AUTHORITY
from worker.core.ports import Store

#: What a repetition may change without a new version.
COUNTERS = frozenset(
    {"confirmations", "last_confirmed_at", "said_at", "turn_ids", "until", "until_assumed"}
    | {"last_run", "since"}
)


@dataclass(frozen=True)
class Stock:
    """All that a store holds of a scope."""

    live: dict[UUID, MemoryRecord]
    archives: dict[UUID, ArchiveRecord]


def stock(store: Store, scope: Scope) -> Stock:
    return Stock(
        {one.memory.id: one for one in store.memories(scope)},
        {one.archive.id: one for one in store.archives(scope)},
    )


@dataclass(frozen=True)
class Change:
    """One scope before and after one plan."""

    case: Candidacy
    groups: Groups
    plan: Plan
    cap: int
    before: Stock
    after: Stock

    @property
    def archived(self) -> list[Archive]:
        old = self.before.archives
        return [one.archive for id, one in self.after.archives.items() if id not in old]

    @property
    def gone_or_new_version(self) -> list[UUID]:
        return [id for id, old in self.before.live.items() if not self._stands(id, old)]

    def _stands(self, id: UUID, old: MemoryRecord) -> bool:
        found = self.after.live.get(id)
        return found is not None and found.memory.version == old.memory.version


def broken(change: Change) -> list[str]:
    """In words, without what anybody said."""
    return [
        *_lost(change),
        *_archives(change),
        *_against_time_or_rank(change),
        *_beyond(change),
        *_vanished(change),
        *_unheard(change),
    ]


def _lost(change: Change) -> Iterator[str]:
    """Every live memory stands as it was but for counters, or its last version is in the archive."""
    kept = {(one.memory.id, one.memory.version): one for one in change.archived}
    for id, old in change.before.live.items():
        new = change.after.live.get(id)
        if id in change.gone_or_new_version:
            snapshot = kept.get((id, old.memory.version))
            if snapshot is None or snapshot.memory != old.memory:
                yield f"memory {id} changed without a snapshot of what it was"
            if new and new.memory.version != old.memory.version + 1:
                yield f"memory {id} went from version {old.memory.version} to {new.memory.version}"
        elif new and _of(new.memory) != _of(old.memory):
            yield f"memory {id} changed under the same version"
        elif new and new.vector != old.vector:
            yield f"memory {id} has another vector for the same words"


def _of(memory: Memory) -> dict[str, object]:
    return memory.model_dump(exclude=set(COUNTERS))


def _archives(change: Change) -> Iterator[str]:
    for id, old in change.before.archives.items():
        if change.after.archives.get(id) != old:
            yield f"archive {id} changed"
    filed = sum(one.memory.id not in change.before.live for one in change.archived)
    if len(change.archived) != len(change.gone_or_new_version) + filed:
        yield "there are more or fewer snapshots than changes"
    known = {*change.after.live, *(one.archive.memory.id for one in change.after.archives.values())}
    for one in change.archived:
        if one.run != change.plan.run:
            yield f"archive {one.id} names another run"
        if one.replaced_by is None and one.reason != "forgotten":
            yield f"archive {one.id} does not say what replaced it"
        if one.replaced_by is not None and one.replaced_by not in known:
            yield f"archive {one.id} was replaced by what is not there"


def _against_time_or_rank(change: Change) -> Iterator[str]:
    for one in change.archived:
        if one.reason == "forgotten":
            continue
        by = change.after.live.get(one.replaced_by) if one.replaced_by else None
        if by is None:
            yield f"archive {one.id} was replaced by nothing that lives"
        elif by.memory.said_at < one.memory.said_at:
            yield f"archive {one.id} gave way to something said earlier"
        elif AUTHORITY[by.memory.authority] < AUTHORITY[one.memory.authority]:
            yield f"archive {one.id} gave way to a lesser voice"


def _beyond(change: Change) -> Iterator[str]:
    """Nothing that was not offered, nothing pinned unless forgotten, no more than the cap."""
    offered = {record.memory.id for record in change.case.candidates}
    reasons = {one.memory.id: one.reason for one in change.archived}
    for id in change.gone_or_new_version:
        if id not in offered:
            yield f"memory {id} changed and was never offered"
        if change.before.live[id].memory.pinned and reasons.get(id) != "forgotten":
            yield f"memory {id} is pinned and changed"
    replaced = Counter[UUID]()
    for made in change.plan.changes:
        if made.kind == "retire" or (made.kind == "revise" and made.relation != "same"):
            replaced.update(set(made.turn_ids))
    if any(replaced[turn] > change.cap for turn in change.plan.turn_ids):
        yield "a turn replaced more memories than it may"


def _vanished(change: Change) -> Iterator[str]:
    """Every fact is behind a record or a change, left out with a reason, or held with its turn."""
    records = [one.memory for one in change.after.live.values()]
    records += [one.memory for one in change.archived]
    behind = {id for one in (*records, *change.plan.changes) for id in one.turn_ids}
    held = {one.turn_id for one in change.plan.held}
    free = [one for one in change.case.facts if not held & set(one.turn_ids)]
    # A request that was carried out on facts of its own batch leaves nothing but their count.
    carried_out = "forgotten on request" in change.plan.dropped
    ends = [one for one in free if not (carried_out and one.kind == "forget")]
    gone = [one for one in ends if not behind & set(one.turn_ids)]
    if len(gone) > sum(change.plan.dropped.values()):
        yield "a fact vanished without a reason"


def _unheard(change: Change) -> Iterator[str]:
    """What a person asks to forget is gone, is held, or had nothing to do with what it was offered."""
    case, held = change.case, {one.turn_id for one in change.plan.held}
    by = {one: group for group in change.groups.groups for one in group.members}
    for label in case.fact_labels:
        wish = case.fact(label)
        if wish.kind != "forget" or wish.authority != "user" or held & set(wish.turn_ids):
            continue
        group = by.get(label)
        if group is None and label in change.groups.flagged:
            yield "a request to forget was dropped though its judgment failed"
        meant = memories_in(group.members) if group else ()
        older = [one for one in meant if case.shown(one).said_at <= wish.said_at]
        stays = {case.candidate(one).memory.id for one in older}
        if stays.difference(change.gone_or_new_version):
            yield "a memory that was to be forgotten stands as it was"
