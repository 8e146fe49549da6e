"""What was changed is compared with what was there before it."""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.memory import MemoryRecord
from worker.core.groups.setting import PassName
from worker.core.ports import Query
from worker.core.sleeping.company import cut, is_before, queries_around
from worker.core.sleeping.night import Due, Night, Sight, Slice

#: Memories that are looked around for at once.
PORTION = 16


@dataclass(frozen=True)
class Tidy:
    """Each pair of near memories is asked about once for each change of one, with the later of the two."""

    #: Whether what is flagged is left to a pass of its own.
    leaves_flags: bool = True
    name: PassName = "tidy"
    portion: int = PORTION
    keeps_place: bool = True

    def due(self, night: Night) -> list[Due]:
        found = (
            Due(one.place, one.place)
            for one in night.live.values()
            if night.is_new(self.name, one.place)
            and one.last_run not in night.own
            and not one.pinned
            and not (self.leaves_flags and one.flagged)
        )
        return sorted(found, key=lambda due: due.place)

    def queries(self, records: Sequence[MemoryRecord]) -> list[Query]:
        return queries_around(records)

    def first_slice(self, sight: Sight) -> Slice:
        def candidate(due: Due, record: MemoryRecord, other: MemoryRecord) -> bool:
            is_asked_there = other.memory.flagged and record.memory.id in other.memory.links
            return is_before(other.memory, due, sight.night) and not (
                self.leaves_flags and is_asked_there
            )

        return cut(sight, candidate)
