"""What memories that stand beside one another say about each other."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from worker.core.recalling.pool import Entry, Pool, Stage

RANK = {"tool": 0, "assistant": 1, "user": 2}


def wanted(entries: Iterable[Entry]) -> list[UUID]:
    """Those that these link to and that are not among them, in order."""
    entries = list(entries)
    known = {one.memory.id for one in entries}
    linked = {id for one in entries for id in one.memory.links}
    return sorted(linked - known, key=lambda one: one.int)


def lifted_by_links(share: float) -> Stage:
    """Give what is linked to at least this share of the best score that links to it: a second fact to the first."""

    def stage(pool: Pool) -> Pool:
        best: dict[UUID, float] = {}
        for one in pool.entries:
            for id in one.memory.links:
                best[id] = max(best.get(id, 0.0), share * one.score)
        return pool.with_entries(
            one if one.superseded else one.lifted("linked", best.get(one.memory.id, one.score))
            for one in pool.entries
        )

    return stage


def later_first(pool: Pool) -> Pool:
    """Let no memory come behind an earlier said one that it stands beside, unresolved.

    An embedding tells not which of two values is the newer one, and the older may be worded more like the question.
    """
    entries = list(pool.entries)
    pairs = beside(entries)
    for later in sorted(pairs, key=lambda at: _said(entries[at])):
        for earlier in sorted(pairs[later]):
            if _overtakes(entries[later], entries[earlier]):
                entries[later] = entries[later].lifted("later", entries[earlier].score)
    return pool.with_entries(entries)


def are_linked(one: Entry, other: Entry) -> bool:
    return other.memory.id in one.memory.links or one.memory.id in other.memory.links


def beside(entries: Sequence[Entry]) -> dict[int, set[int]]:
    """Place → the places of those that it is linked with, either way; history stands beside nothing."""
    places = {one.memory.id: at for at, one in enumerate(entries) if not one.superseded}
    found: dict[int, set[int]] = {}
    for at in places.values():
        for other in {places[link] for link in entries[at].memory.links if link in places} - {at}:
            found.setdefault(at, set()).add(other)
            found.setdefault(other, set()).add(at)
    return found


def _overtakes(later: Entry, earlier: Entry) -> bool:
    """What a machine said or derived takes no person's place, and nothing that of what is pinned."""
    if later.memory.derived:
        return False
    if earlier.memory.pinned and not later.memory.pinned:
        return False
    if RANK[later.memory.authority] < RANK[earlier.memory.authority]:
        return False
    return _said(later) > _said(earlier)


def _said(entry: Entry) -> float:
    return entry.memory.said_at.timestamp()
