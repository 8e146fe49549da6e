"""Not all from one place: the best of each group come first."""

import json
from collections import Counter
from collections.abc import Callable, Hashable

from schemas.memory import Memory
from worker.core.recalling.pool import Entry, Pool, Stage

#: Names that mean a field of every memory. Any other is one of the caller's metadata.
FIELDS: dict[str, Callable[[Memory], Hashable | None]] = {
    "turn": lambda memory: memory.turn_ids[-1],
    "subject": lambda memory: memory.subject.casefold(),
    "slot": lambda memory: tuple(map(str.casefold, memory.slot)) if memory.slot else None,
    "kind": lambda memory: memory.kind,
    "run": lambda memory: memory.last_run,
}


def grouped(name: str | None, size: int) -> Stage:
    """In rounds: `size` of each group, then as many again, until all have had their turn.

    So a page is filled wherever there is enough to fill it. What has no such field is a group of its own.
    """
    if name is None:
        return lambda pool: pool

    def stage(pool: Pool) -> Pool:
        seen = Counter[Hashable]()
        rounds: list[tuple[int, Entry]] = []
        for entry in pool.entries:
            group = _group(entry.memory, name)
            rounds.append((0 if group is None else seen[group] // size, entry))
            seen[group] += 1
        return pool.with_entries(entry for _, entry in sorted(rounds, key=lambda one: one[0]))

    return stage


def _group(memory: Memory, name: str) -> Hashable | None:
    if name in FIELDS:
        return FIELDS[name](memory)
    value = memory.metadata.get(name)
    return None if value is None else json.dumps(value, sort_keys=True)
