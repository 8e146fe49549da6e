"""What nobody has said again, recalled or changed for long, and was never meant to last, leaves the live store."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from schemas.memory import MemoryRecord
from worker.core.groups.setting import PassName
from worker.core.ports import Query
from worker.core.sleeping.fading import quiet_since
from worker.core.sleeping.night import Due, Night, Sight, Slice

#: Memories of one slice.
PORTION = 50


@dataclass(frozen=True)
class Forget:
    """No model is asked. Each is taken up once: what a person brought back, or did not let go, stays.

    Whatever is heard of it makes it due anew, after as long again.
    """

    #: For how long nothing was heard of it.
    quiet: timedelta
    name: PassName = "forget"
    portion: int = PORTION
    keeps_place: bool = True

    def due(self, night: Night) -> list[Due]:
        found = (
            Due((one.quiet_since, id), one.place)
            for id, one in night.live.items()
            if one.quiet_since is not None and one.quiet_since <= self._before(night)
        )
        return sorted(
            (due for due in found if night.is_new(self.name, due.place)), key=lambda due: due.place
        )

    def queries(self, records: Sequence[MemoryRecord]) -> list[Query]:
        return []

    def first_slice(self, sight: Sight) -> Slice:
        """A confirmation, or a use, that came in meanwhile changes no version."""
        before = self._before(sight.night)
        records = tuple(record for _, record in sight.due if _is_quiet(record, before))
        return Slice(len(sight.due), records=records)

    def _before(self, night: Night) -> datetime:
        return night.now - self.quiet


def _is_quiet(record: MemoryRecord, before: datetime) -> bool:
    since = quiet_since(record.memory)
    return since is not None and since <= before
