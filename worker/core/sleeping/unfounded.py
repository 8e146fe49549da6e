"""What was derived goes once something that it was derived from is gone, or no longer says the same."""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.memory import MemoryRecord
from schemas.plan import Change, Retire
from worker.core.groups import merging
from worker.core.groups.setting import PassName, Setting
from worker.core.ports import Query
from worker.core.sleeping.night import Due, Glance, Night, Sight, Slice

#: Memories of one slice.
PORTION = 50
WHY = "something that it was derived from no longer stands as it did"


@dataclass(frozen=True)
class Unfounded:
    """No model is asked. Versions only grow, so what is without its ground once stays so."""

    name: PassName = "unfounded"
    portion: int = PORTION
    keeps_place: bool = False

    def due(self, night: Night) -> list[Due]:
        found = (
            Due(one.place, one.place)
            for one in night.live.values()
            if one.derived and not one.pinned and not is_founded(one, night)
        )
        return sorted(found, key=lambda due: due.place)

    def queries(self, records: Sequence[MemoryRecord]) -> list[Query]:
        return []

    def first_slice(self, sight: Sight) -> Slice:
        return Slice(len(sight.due), records=tuple(record for _, record in sight.due))


def is_founded(one: Glance, night: Night) -> bool:
    """Whether all that it was derived from lives, in that version, and has not ended."""
    evidence = ((night.live.get(id), version) for id, version in one.derived.items())
    return all(
        ground is not None
        and ground.version == version
        and (ground.until is None or ground.until > night.now)
        for ground, version in evidence
    )


def retired(setting: Setting, records: Sequence[MemoryRecord]) -> tuple[Change, ...]:
    """They end, as what was true until then."""
    return tuple(
        Retire(
            archive=merging.archived(
                *(one.memory, one.vector),
                by=None,
                reason="expired",
                why=WHY,
                run=setting.run,
                now=setting.now,
            ),
            relation="update",
            why=WHY,
        )
        for one in records
    )
