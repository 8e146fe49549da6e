"""What was stored for want of a judgment is judged with what it stands beside."""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.memory import MemoryRecord
from worker.core.groups.setting import PassName
from worker.core.ports import Query
from worker.core.sleeping.company import cut, is_before, queries_around
from worker.core.sleeping.night import Due, Glance, Night, Place, Sight, Slice
from worker.core.sleeping.tidy import PORTION


@dataclass(frozen=True)
class Flags:
    """Once; a flag that stays is looked at again when it, or one that it links to, was changed."""

    name: PassName = "flags"
    portion: int = PORTION
    keeps_place: bool = True

    def due(self, night: Night) -> list[Due]:
        found = (
            Due(_latest(one, night), one.place)
            for one in night.live.values()
            if one.flagged and not one.pinned
        )
        return sorted(
            (due for due in found if night.is_new(self.name, due.place)),
            key=lambda due: (due.place, due.seen),
        )

    def queries(self, records: Sequence[MemoryRecord]) -> list[Query]:
        return queries_around(records)

    def first_slice(self, sight: Sight) -> Slice:
        def candidate(due: Due, record: MemoryRecord, other: MemoryRecord) -> bool:
            is_linked = other.memory.id in record.memory.links
            return is_linked or is_before(other.memory, due, sight.night)

        return cut(sight, candidate)


def _latest(one: Glance, night: Night) -> Place:
    """When it, or one that it links to, was changed last."""
    links = (night.live[id].place for id in one.links if id in night.live)
    return max((one.place, *links))
