"""What has lapsed is written down: what stands again, or that nothing does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemas.base import Vector
from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Change, Retire, Revise
from worker.core.current import current
from worker.core.groups import merging
from worker.core.groups.setting import PassName, Setting
from worker.core.ports import Query
from worker.core.sleeping.night import Due, Night, Sight, Slice

#: Memories of one slice.
PORTION = 50


@dataclass(frozen=True)
class Expire:
    """No model is asked, and age alone ends nothing: only what had an end has lapsed."""

    name: PassName = "expire"
    portion: int = PORTION
    keeps_place: bool = False

    def due(self, night: Night) -> list[Due]:
        found = (
            Due(one.place, one.place)
            for one in night.live.values()
            if one.until is not None and one.until <= night.now and not one.pinned
        )
        return sorted(found, key=lambda due: due.place)

    def queries(self, records: Sequence[MemoryRecord]) -> list[Query]:
        return []

    def first_slice(self, sight: Sight) -> Slice:
        records = tuple(record for _, record in sight.due if _has_lapsed(record, sight.night))
        return Slice(len(sight.due), records=records)


def _has_lapsed(record: MemoryRecord, night: Night) -> bool:
    memory = record.memory
    return memory.until is not None and memory.until <= night.now and not memory.pinned


def texts_after(lapsed: Sequence[MemoryRecord]) -> tuple[str, ...]:
    """What stands again, each text once."""
    return merging.union(one.memory.after for one in lapsed if one.memory.after)


def written_down(
    setting: Setting, lapsed: Sequence[MemoryRecord], vectors: Mapping[str, Vector]
) -> tuple[Change, ...]:
    """`vectors` has one for each of `texts_after(lapsed)`."""
    return tuple(_change(setting, one, vectors) for one in lapsed)


def _change(setting: Setting, one: MemoryRecord, vectors: Mapping[str, Vector]) -> Change:
    before, now = one.memory, setting.now
    why = f"it was true until {before.until:%Y-%m-%d %H:%M %Z}"
    stands = current(before, now)
    if stands is None:
        archive = _archive(setting, one, why, is_over=True)
        return Retire(archive=archive, relation="update", why=why)
    memory = merging.revised(stands, stands.text, setting.run, now)
    kept = {"until_assumed": False, "flagged": before.flagged}
    return Revise(
        record=MemoryRecord(
            memory=memory.model_copy(update=kept),
            vector=vectors[stands.text],
        ),
        archive=_archive(setting, one, why, is_over=False),
        relation="update",
        why=why,
    )


def _archive(setting: Setting, one: MemoryRecord, why: str, *, is_over: bool) -> ArchiveRecord:
    return merging.archived(
        one.memory,
        one.vector,
        by=None if is_over else one.memory.id,
        reason="expired",
        why=why,
        run=setting.run,
        now=setting.now,
    )
