"""Earlier versions that are past their retention are removed, portion by portion."""

from dataclasses import dataclass
from datetime import datetime

from schemas.scope import Scope
from worker.core.forgetting.descent import Known
from worker.core.forgetting.hidden import Version
from worker.core.sleeping.retention import PORTION, outdated
from worker.direct.nights import Hands, Way


@dataclass(frozen=True)
class Retaining:
    """In one scope, of what was archived `until` then. After a crash at any point the next night goes on."""

    way: Way
    scope: Scope
    until: datetime

    def outdated(self) -> list[Version]:
        """What is to go, in order."""
        looks = self.way.looks
        # On most nights nothing is, and none of it need be held.
        if not any(one.archive.archived_at <= self.until for one in looks.archives(self.scope)):
            return []
        known = Known.of(looks.memories(self.scope), looks.archives(self.scope))
        return outdated(known, self.until)

    def removed(self, hands: Hands) -> list[Version]:
        """A portion of it, gone for good; nothing once all is done."""
        if gone := self.outdated()[:PORTION]:
            # First: whoever finds versions gone is told why.
            hands.keep(self.way.note().removing(self.until))
            hands.remove(gone)
        return gone
