"""The questions that a night must not lose the answers to: those of the settings, and the last that recall answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

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
    #: Embedded once, when the first plan asks for them.
    questions: tuple[Canary, ...] | None = field(default=None, init=False)

    def before(self) -> "Before":
        """What each finds just now. Raises what the embedder, the store and the queue raise."""
        if self.questions is None:
            self.questions = self._questions()
        if not self.questions:
            return Before()
        asked = [one.asked() for one in self.questions]
        found = self.looks.nominate(self.scope, asked, FOUND)
        near = Nearness(self.parts.embedder.floor, self.parts.embedder.same)
        pairs = zip(self.questions, found.rankings, strict=True)
        all_watched = [watched(one, names, found.records, near, self.now) for one, names in pairs]
        return Before(tuple(all_watched), found.records, near)

    def _questions(self) -> tuple[Canary, ...]:
        texts = union(
            self.parts.settings.canaries_of(self.scope.app),
            (one.query for one in self.parts.inbox.served.questions(self.scope.key)),
        )
        vectors = self.parts.embedder.embed(texts) if texts else []
        return tuple(Canary(text, vector) for text, vector in zip(texts, vectors, strict=True))


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
