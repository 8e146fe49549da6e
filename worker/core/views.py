"""What a read shows: what stands now, what was believed at a moment, and what was true at one as we know it.

Two times are kept apart. A version was *believed* from when it was written until it was archived. What it says was
*true* from when it was first said (`first_said`, whatever time it speaks of) until its end has come or something said
later replaced it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from schemas.memory import Archive, Memory
from worker.core.current import current, first_said
from worker.core.forgetting.hidden import hidden, version_of

#: Reasons of a snapshot whose place was taken by what says otherwise; what was merged said the same, or a part of it.
REPLACED = {"late", "superseded"}


@dataclass(frozen=True)
class Shown:
    """A statement, and whether it is history."""

    memory: Memory
    superseded: bool


def standing(live: Iterable[Memory], now: datetime) -> list[Memory]:
    """Without a view: what is current, the latest change first."""
    return _latest_first(_current(live, now))


def viewed(
    archives: Iterable[Archive],
    live: Iterable[Memory],
    now: datetime,
    *,
    as_of: datetime | None = None,
    valid_at: datetime | None = None,
) -> list[Memory]:
    """What was believed `as_of` a moment, or true at another as it was known by then; the latest change first.

    Wants all snapshots and live memories of a scope, in any order. Each memory is shown at most once. Nothing is known
    later than `now`. What was forgotten since is not shown, nor by when it was forgotten.
    """
    archives, live = list(archives), list(live)
    unshown = hidden(archives, live)
    known = _Known.at(archives, live, min(as_of or now, now))
    if valid_at is None:
        found = _current(known.live.values(), min(as_of or now, now))
    else:
        found = _current(known.true_at(valid_at), valid_at)
    return _latest_first(one for one in found if (one.id, one.version) not in unshown)


def with_history(archives: Iterable[Archive], live: Iterable[Memory], now: datetime) -> list[Shown]:
    """What is current and every earlier version that may be shown, but for what was undone; the latest change first."""
    archives, live = list(archives), list(live)
    unshown = hidden(archives, live)
    earlier = [
        one.memory for one in archives if one.reason != "undone" and version_of(one) not in unshown
    ]
    lapsed = [one for one in live if current(one, now) is None]
    return [
        *(Shown(one, superseded=False) for one in standing(live, now)),
        *(Shown(one, superseded=True) for one in _latest_first([*lapsed, *earlier])),
    ]


def _current(memories: Iterable[Memory], at: datetime) -> list[Memory]:
    return [one for memory in memories if (one := current(memory, at)) is not None]


def _latest_first(memories: Iterable[Memory]) -> list[Memory]:
    """Ties by id, then version, whatever order they came in."""
    ordered = sorted(memories, key=lambda one: (one.id.int, one.version))
    return sorted(ordered, key=lambda one: (one.updated_at, one.said_at), reverse=True)


@dataclass(frozen=True)
class _Known:
    """A scope as it was known at one moment."""

    live: Mapping[UUID, Memory]
    #: Memory id → its snapshots by then, by version.
    snapshots: Mapping[UUID, list[Archive]]
    #: Memory id → the last snapshots of others that it took the place of.
    replaced: Mapping[UUID, list[Archive]]

    @classmethod
    def at(cls, archives: Iterable[Archive], live: Iterable[Memory], at: datetime) -> "_Known":
        stood: list[Memory] = [one for one in live if _written_at(one) <= at]
        snapshots: dict[UUID, list[Archive]] = {}
        for archive in sorted(archives, key=lambda one: one.memory.version):
            if archive.archived_at <= at:
                snapshots.setdefault(archive.memory.id, []).append(archive)
            elif _written_at(archive.memory) <= at:
                stood.append(archive.memory)
        standing = {one.id: one for one in sorted(stood, key=lambda one: one.version)}
        replaced: dict[UUID, list[Archive]] = {}
        for id in snapshots.keys() - standing.keys():
            last = snapshots[id][-1]
            if last.replaced_by is not None and last.reason in REPLACED:
                replaced.setdefault(last.replaced_by, []).append(last)
        return cls(standing, snapshots, replaced)

    def true_at(self, at: datetime) -> list[Memory]:
        """Of each memory the version that was true, if one was; ends are still to be looked at."""
        found = (self._true_version(id, at) for id in self.live.keys() | self.snapshots.keys())
        return [one for one in found if one is not None]

    def _true_version(self, id: UUID, at: datetime) -> Memory | None:
        begun = [one for one in self._versions(id) if first_said(one) <= at]
        if not begun:
            return None
        newest, last = begun[-1], self._last(id)
        if self._is_overtaken(newest, id, at):
            return None
        return newest if last is None or self._still_held(newest, last, at) else None

    def _still_held(self, memory: Memory, last: Archive, at: datetime) -> bool:
        """Of a memory that no longer stands: whether it had not made way yet."""
        if last.reason == "undone" or last.archived_at <= at:
            return False
        if any(first_said(one) <= at for one in self._in_its_place(last)):
            return False
        by = last.replaced_by
        return by is None or last.reason not in REPLACED or not self._is_overtaken(memory, by, at)

    def _is_overtaken(self, memory: Memory, line: UUID, at: datetime) -> bool:
        """Whether another value of its slot was said after it and until `at`, among those that one memory replaced.

        What was replaced by one and the same is not about one and the same: a move ends a home and a job.
        """
        filed = [one.memory for one in self.replaced.get(line, ()) if not self._is_covered(one)]
        return any(
            first_said(memory) < first_said(other) <= at
            for other in (*self._versions(line), *filed)
            if other.id != memory.id and _slot(other) == _slot(memory) is not None
        )

    def _is_covered(self, last: Archive) -> bool:
        """Whether what stands in its place has been said for as long."""
        return any(first_said(one) <= first_said(last.memory) for one in self._in_its_place(last))

    def _in_its_place(self, last: Archive) -> list[Memory]:
        """The versions of what replaced it, from then on."""
        by = last.replaced_by
        return self._versions(by, after=last.archived_at) if by else []

    def _last(self, id: UUID) -> Archive | None:
        """Its last snapshot, where it no longer stands."""
        return None if id in self.live else self.snapshots[id][-1]

    def _versions(self, id: UUID, after: datetime | None = None) -> list[Memory]:
        """What it has said, by version, but for what was undone; `after`: only what still stood then."""
        earlier = [
            one.memory
            for one in self.snapshots.get(id, ())
            if one.reason != "undone" and (after is None or one.archived_at > after)
        ]
        return [*earlier, self.live[id]] if id in self.live else earlier


def _written_at(memory: Memory) -> datetime:
    return memory.created_at if memory.version == 1 else memory.updated_at


def _slot(memory: Memory) -> tuple[str, ...] | None:
    return tuple(part.casefold() for part in memory.slot) if memory.slot else None
