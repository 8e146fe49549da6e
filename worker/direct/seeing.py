"""What a night sees of a scope: all that lives at a glance, and what surrounds what is due."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Run
from schemas.scope import Scope
from worker.core.sleeping.company import merged_before
from worker.core.sleeping.night import Bounds, Due, Glance, Night, Pass, Sight, place_of
from worker.core.sleeping.note import Note
from worker.core.sleeping.own import has_joined, is_settled, joined_in
from worker.core.sleeping.retention import with_gaps
from worker.direct.nights import Looks
from worker.parts import Parts
from worker.thinking import reach_of


@dataclass
class Seeing:
    """In one night in one scope; it only reads."""

    parts: Parts
    scope: Scope
    now: datetime
    looks: Looks
    #: Run of an import → when that was.
    came: Mapping[UUID, datetime] = field(default_factory=dict)
    #: Run → whether its work is settled.
    settled: dict[UUID, bool] = field(default_factory=dict)
    #: All that lives at a glance, as long as nothing was done since.
    live: dict[UUID, Glance] | None = None
    #: Memories that sleep had joined before; null before anybody asked.
    joined: frozenset[UUID] | None = None

    def forget_what_lives(self) -> None:
        """It is about to change: whoever asks for it next reads it anew."""
        self.live = None

    def all(self) -> dict[UUID, Glance]:
        """The live memories."""
        if self.live is None:
            records = self.looks.memories(self.scope)
            self.live = {
                record.memory.id: Glance.of(record.memory, self.came) for record in records
            }
        return self.live

    def night(self, one: Pass, note: Note) -> Night:
        """The scope, and how far the pass has come in it."""
        settings, reach = self.parts.settings, reach_of(self.parts.settings, self.parts.embedder)
        night = Night(
            scope=self.scope,
            now=self.now,
            bounds=Bounds(reach.floor, reach.pool, settings.max_group, settings.sleep_groups),
            live=self.all(),
            marks=note.marks,
            came=self.came,
        )
        new = (glance for glance in night.live.values() if night.is_new(one.name, glance.place))
        return self._knowing(night, (glance.last_run for glance in new))

    def here(self, portion: Iterable[Due]) -> list[tuple[Due, MemoryRecord]]:
        """Those that nobody has changed since they were looked at; else they are due again."""
        portion = list(portion)
        found = self.looks.memories(self.scope, [due.id for due in portion])
        records = {record.memory.id: record for record in found}
        return [
            (due, records[due.id])
            for due in portion
            if due.id in records and place_of(records[due.id].memory, self.came) == due.seen
        ]

    def sight(self, one: Pass, night: Night, here: list[tuple[Due, MemoryRecord]]) -> Sight:
        """With what is around those that are due, and what that was made of."""
        records = [record for _, record in here]
        if not (queries := one.queries(records)):
            return Sight(night, here)
        around = dict(self.looks.nominate(self.scope, queries, night.bounds.pool).records)
        links = {id for record in records for id in record.memory.links if id not in around}
        around |= {one.memory.id: one for one in self.looks.memories(self.scope, links)}
        first = min(due.seen for due, _ in here)
        later = (one.memory for one in around.values() if place_of(one.memory, self.came) > first)
        night = self._knowing(night, (memory.last_run for memory in later))
        sight = Sight(night, here, around)
        before = {id: list(self.looks.archives(self.scope, id)) for id in merged_before(sight)}
        parents = {id: self._made_of(found) for id, found in before.items()}
        unknown = frozenset(id for id, found in before.items() if self._is_unknown(id, found))
        return Sight(night, here, around, parents, unknown)

    def _is_unknown(self, memory: UUID, found: Iterable[ArchiveRecord]) -> bool:
        """Whether parts of what sleep has joined are gone, for their retention or because they were forgotten."""
        gaps = with_gaps(memory, (one.archive for one in found))
        if gaps and self.joined is None:
            self.joined = joined_in(self.looks.runs(self.scope))
        return bool(gaps) and not gaps.isdisjoint(self.joined or ())

    def _made_of(self, found: Sequence[ArchiveRecord]) -> list[MemoryRecord]:
        """What sleep has joined in a memory, as it was."""
        runs = {id: self.looks.run(self.scope, id) for id in {one.archive.run for one in found}}
        return [
            MemoryRecord(memory=one.archive.memory, vector=one.vector)
            for one in found
            if has_joined(runs[one.archive.run])
        ]

    def _knowing(self, night: Night, runs: Iterable[UUID]) -> Night:
        own = {run for run in {*runs} - night.own if self._is_own(run)}
        return replace(night, own=night.own | own)

    def _is_own(self, run: UUID) -> bool:
        if run not in self.settled:
            self.settled[run] = is_settled(self._chain(run))
        return self.settled[run]

    def _chain(self, id: UUID | None) -> list[Run]:
        """The run, the one that it took back, and so on."""
        chain: list[Run] = []
        while id is not None and (run := self.looks.run(self.scope, id)) is not None:
            chain.append(run)
            id = run.undoes
        return chain
