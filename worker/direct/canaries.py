"""The questions that a night must not lose the answers to: those of the settings, and the last that recall answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from schemas.base import Vector
from schemas.memory import MemoryRecord
from schemas.plan import Lost, Plan
from schemas.scope import Scope
from worker.core.groups.merging import union
from worker.core.sleeping.canaries import FOUND, Canary, Nearness, Watched, lost, watched
from worker.direct.nights import Looks
from worker.parts import Parts


@dataclass
class Canaries:
    """Of one night in one scope."""

    parts: Parts
    scope: Scope
    now: datetime
    looks: Looks
    #: Of each question that was asked so far.
    vectors: dict[str, Vector] = field(default_factory=dict, init=False)

    def before(self) -> "Before":
        """What each finds just now. Raises what the embedder, the store and the queue raise."""
        if not (questions := self._questions()):
            return Before()
        asked = [one.asked() for one in questions]
        found = self.looks.nominate(self.scope, asked, FOUND)
        near = Nearness(self.parts.embedder.floor, self.parts.embedder.same)
        pairs = zip(questions, found.rankings, strict=True)
        all_watched = [watched(one, names, found.records, near, self.now) for one, names in pairs]
        return Before(tuple(all_watched), found.records, near)

    def _questions(self) -> tuple[Canary, ...]:
        """Read anew for each slice: what a person has had forgotten since must not be told by a proposal."""
        texts = union(
            self.parts.settings.canaries_of(self.scope.app),
            (one.query for one in self.parts.inbox.served.questions(self.scope.key)),
        )
        if new := [text for text in texts if text not in self.vectors]:
            self.vectors |= zip(new, self.parts.embedder.embed(new), strict=True)
        return tuple(Canary(text, self.vectors[text]) for text in texts)


@dataclass(frozen=True)
class Before:
    """What the questions found before a slice."""

    watched: tuple[Watched, ...] = ()
    records: Mapping[UUID, MemoryRecord] = field(default_factory=dict)
    near: Nearness = field(default_factory=lambda: Nearness(1.0, 1.0))

    def lost(self, plans: Sequence[Plan], group: Sequence[MemoryRecord]) -> tuple[Lost, ...]:
        """What the questions would no longer find after these plans, which were made of `group` among others."""
        records = {**self.records, **{one.memory.id: one for one in group}}
        return lost(self.watched, plans, records, self.near)
