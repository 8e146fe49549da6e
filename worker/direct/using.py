"""What recall has served is counted in the memories: `uses` grows, and nothing else of them changes."""

from collections.abc import Iterator, Mapping
from itertools import islice
from uuid import UUID

from schemas.memory import MemoryRecord
from schemas.scope import Scope
from worker.core.ports import Hold
from worker.parts import Parts

#: Memories of one write.
PORTION = 64


def count_uses(parts: Parts, scope: Scope, hold: Hold) -> int:
    """Count what was served since this was done last; how many memories. Nothing served is nothing written.

    No version and no run comes of it, as of new vectors: a plan that was made before stays good. What is written is
    taken off afterwards, so a crash in between counts one portion twice. Of what lives no more the counts go.
    """
    served = parts.inbox.served.used(scope.key)
    writer = parts.store.writer(scope, hold)
    counted = 0
    for times in _portions(served):
        records = [used(one, times) for one in parts.store.memories(scope, times)]
        if records:
            writer.put_memories(records)
        parts.inbox.served.counted(scope.key, times)
        counted += len(records)
    return counted


def used(record: MemoryRecord, times: Mapping[UUID, int]) -> MemoryRecord:
    """With the times that it was served; itself where it was not."""
    memory = record.memory
    if not times.get(memory.id):
        return record
    counted = memory.model_copy(update={"uses": memory.uses + times[memory.id]})
    return record.model_copy(update={"memory": counted})


def _portions(times: Mapping[UUID, int]) -> Iterator[dict[UUID, int]]:
    rest = iter(sorted(times.items()))
    while portion := dict(islice(rest, PORTION)):
        yield portion
