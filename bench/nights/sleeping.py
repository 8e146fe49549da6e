"""Streams are taken in once, and then slept over again and again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from bench.model.trial import Trial
from bench.nights.night import Counts, Row, of_report, of_store, spans
from bench.quality import slowwave
from bench.quality.hearing import Cached
from bench.quality.marks import marked
from bench.quality.match import Set
from bench.quality.stream import Stream
from bench.sleep.house import House
from bench.sleep.marks import Left
from schemas.memory import Memory
from schemas.scope import Scope
from worker.core.sleeping.report import Report
from worker.direct.sleeping import sleep
from worker.parts import Parts

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Sleeping:
    """Under the settings of the trial, but for a night's budget, of which there is none."""

    trial: Trial
    embedder: Cached
    looks: Sequence[int]
    is_verbatim: bool = False
    #: Whether each night looks at everything anew, as if none had been.
    is_anew: bool = False

    def rows(self, of: Set) -> list[Row]:
        """What was there before the first night, and each stretch."""
        model = self.trial.parts.settings.model
        rows = [Row(of.name, of.seed, model, None, None)]
        rows += [Row(of.name, of.seed, model, *span) for span in spans(self.looks)]
        for stream in of.streams:
            counts = list(self._of_stream(stream))
            rows = [
                replace(row, counts=row.counts + one) for row, one in zip(rows, counts, strict=True)
            ]
        return rows

    def _of_stream(self, stream: Stream) -> Iterator[Counts]:
        settings = self.trial.parts.settings
        who = slowwave.Slowwave(
            self.trial, settings.detector, settings.resolver, self.embedder, self.is_verbatim
        )
        played = who.play(stream)
        bed = _Bed(self._parts(), Scope(app=who.name, user=stream.name), stream, self.is_anew)
        heard = played.looks[-1].statements
        first = bed.live()
        yield bed.counts(heard, first)
        for begins, ends in spans(self.looks):
            nights = Counts()
            for nth in range(begins, ends + 1):
                counts, ended = bed.night(nth)
                nights += counts
                first = {id: one for id, one in first.items() if id not in ended}
            yield nights + bed.counts(heard, first)

    def _parts(self) -> Parts:
        free = {"sleep_max_calls": 0, "sleep_max_tokens": 0}
        parts = self.trial.parts
        settings = parts.settings.model_copy(update=free)
        return replace(parts, settings=settings, embedder=self.embedder)


@dataclass(frozen=True)
class _Bed:
    """Of one scope."""

    parts: Parts
    scope: Scope
    stream: Stream
    is_anew: bool

    def live(self) -> dict[UUID, Memory]:
        return {one.memory.id: one.memory for one in self.parts.store.memories(self.scope)}

    def night(self, nth: int) -> tuple[Counts, set[UUID]]:
        """And what time has ended in it."""
        if self.is_anew:
            House(self.parts, "nights").unsettle(self.scope)
        before = self._texts()
        report = sleep(self.parts, self.scope, self.stream.at + nth * DAY)
        return of_report(report, before, self._texts()), _ended(report)

    def counts(self, heard: Sequence[str], first: dict[UUID, Memory]) -> Counts:
        held = slowwave._held(  # noqa: SLF001 - a store is read in one way
            self.parts, self.scope, self.stream.at
        )
        marks = marked(self.stream.truth, held, heard, self.stream.turns)
        archives = (one.archive for one in self.parts.store.archives(self.scope))
        return of_store(marks, first, Left.of(self.live().values(), archives))

    def _texts(self) -> dict[UUID, str]:
        return {id: one.text for id, one in self.live().items()}


def _ended(report: Report) -> set[UUID]:
    return {
        one.memory_id
        for passed in report.passes
        if passed.name == "expire"
        for one in passed.changes
    }
