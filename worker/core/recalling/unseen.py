"""What was shown already is not shown again, unless it has changed."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from uuid import UUID

from worker.core.recalling.pool import Entry, Pool, Stage


def marked(entries: Iterable[Entry], shown: Mapping[UUID, int]) -> list[Entry]:
    """Corrections marked: what stands in another version than the one that was shown."""
    return [
        replace(one, is_correction=True)
        if shown.get(one.memory.id, one.memory.version) != one.memory.version
        else one
        for one in entries
    ]


def withdrawn(standing: Iterable[Entry], shown: Iterable[UUID]) -> tuple[UUID, ...]:
    """What was shown and is not among those that stand."""
    gone = set(shown) - {one.memory.id for one in standing}
    return tuple(sorted(gone, key=lambda one: one.int))


def unseen(shown: Mapping[UUID, int]) -> Stage:
    """Leaves out what was shown; corrections come before all else, for what was shown is wrong."""
    if not shown:
        return lambda pool: pool

    def stage(pool: Pool) -> Pool:
        left = pool.sifted("shown", lambda one: _seen(one, shown))
        return left.with_entries(sorted(left.entries, key=lambda one: not one.is_correction))

    return stage


def _seen(entry: Entry, shown: Mapping[UUID, int]) -> str | None:
    if entry.is_correction or entry.memory.id not in shown:
        return None
    return f"version {entry.memory.version} was shown"
