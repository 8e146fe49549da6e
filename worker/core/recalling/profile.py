"""What is told of a user to whom no question was asked yet."""

from collections.abc import Iterable

from worker.core.recalling.pool import Entry, Pool, identity


def profiled(pool: Pool) -> Pool:
    """What is pinned, then what was confirmed most often, then the newest; of each slot the last said before others."""
    speaking = _speakers(pool.entries)
    return pool.with_entries(
        sorted(
            pool.entries,
            key=lambda one: (
                not one.memory.pinned,
                one.memory.slot is not None and identity(one) not in speaking,
                -one.memory.confirmations,
                -one.memory.said_at.timestamp(),
                *identity(one),
            ),
        )
    )


def _speakers(entries: Iterable[Entry]) -> set[tuple[int, int]]:
    """Of each slot the last said."""
    last: dict[tuple[str, ...], Entry] = {}
    for one in sorted(entries, key=lambda one: (one.memory.said_at, *identity(one))):
        if one.memory.slot:
            last[tuple(map(str.casefold, one.memory.slot))] = one
    return {identity(one) for one in last.values()}
