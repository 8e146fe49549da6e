"""A night in one scope, top to bottom: pass by pass, slice by slice, each under the lease and let go between."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from schemas.memory import MemoryRecord
from schemas.plan import Run
from schemas.scope import Scope
from worker.core.groups.setting import PassName
from worker.core.sleeping.company import merged_before
from worker.core.sleeping.night import Bounds, Due, Glance, Night, Pass, Sight, Slice, place_of
from worker.core.sleeping.note import Note, reached
from worker.core.sleeping.own import has_joined, is_settled
from worker.core.sleeping.proposing import is_waiting
from worker.core.sleeping.report import Passed, Report, with_slice
from worker.direct.nights import Foreseeing, Hands, Looks, Way, Working
from worker.direct.passes import Doing, passes_of
from worker.direct.slices import Decided, Thinking
from worker.errors import OverBudget
from worker.parts import Parts
from worker.thinking import reach_of


class Stopped(Exception):
    """The rest has to wait; says for what."""


def _nothing_else() -> str | None:
    """For whoever has all night."""


def sleep(
    parts: Parts,
    scope: Scope,
    now: datetime,
    *,
    dry_run: bool = False,
    comes_first: Callable[[], str | None] = _nothing_else,
) -> Report:
    """Tidy one scope, as far as the turns that wait and the budget let it.

    What was done stays done, and the next night goes on from there. `comes_first` is asked before each slice: what it
    names ends the night there. A dry run asks the same questions, takes no lease and writes nothing. Raises `Retryable`
    while a worker holds the scope, and what the parts raise.
    """
    began = time.monotonic()
    report = Report(scope=scope, began_at=now, dry_run=dry_run)
    if not parts.store.about(scope).is_prepared:
        return report
    way: Way = Foreseeing(parts, scope) if dry_run else Working(parts, scope, now)
    sleeper = _Sleeper(parts, scope, now, way, comes_first)
    stopped = None
    try:
        sleeper.sleep()
    except Stopped as why:
        stopped = str(why)
    waiting = sum(map(is_waiting, parts.store.runs(scope)))
    return report.model_copy(
        update={
            "passes": tuple(sleeper.passed.values()),
            "waiting": waiting,
            "stopped": stopped,
            "seconds": time.monotonic() - began,
        }
    )


@dataclass
class _Sleeper:
    parts: Parts
    scope: Scope
    now: datetime
    way: Way
    comes_first: Callable[[], str | None]
    passed: dict[PassName, Passed] = field(default_factory=dict)
    #: Run → whether its work is settled.
    settled: dict[UUID, bool] = field(default_factory=dict)
    #: All that lives at a glance, as long as nothing was done since.
    live: dict[UUID, Glance] | None = None

    @property
    def looks(self) -> Looks:
        return self.way.looks

    def sleep(self) -> None:
        self._let_turns_go_first()
        with self.way.hands():
            pass  # what a crash left half done is finished, what was forgotten is purged
        for one in passes_of(self.parts.settings):
            self._go_over(one)
        if self.way.note().night is not None:
            with self.way.hands() as hands:
                hands.keep(self.way.note().ended())

    def _go_over(self, doing: Doing) -> None:
        """Until nothing is due: what is changed meanwhile is taken up as well."""
        one = doing.going
        night = self._night(one)
        live = len(night.live)
        self.passed[one.name] = Passed(name=one.name, before=live, after=live)
        taken = set[Due]()
        while due := [due for due in one.due(night) if due not in taken]:
            taken.update(due)
            while due:
                self._let_turns_go_first()
                due = due[self._slice(doing, night, due) :]
            night = self._night(one)

    def _let_turns_go_first(self) -> None:
        if waiting := self.way.waiting():
            raise Stopped(f"{waiting} turns wait to be consolidated: they go first")
        if other := self.comes_first():
            raise Stopped(other)
        # Last: whoever holds a scope makes room for it.
        if not self.parts.store.about(self.scope).is_prepared:
            raise Stopped("the scope was erased")

    def _night(self, one: Pass) -> Night:
        if self.live is None:
            records = self.looks.memories(self.scope)
            self.live = {record.memory.id: Glance.of(record.memory) for record in records}
        settings, reach = self.parts.settings, reach_of(self.parts.settings, self.parts.embedder)
        night = Night(
            scope=self.scope,
            now=self.now,
            bounds=Bounds(reach.floor, reach.pool, settings.max_group, settings.sleep_groups),
            live=self.live,
            marks=self.way.note().marks,
        )
        new = (glance for glance in self.live.values() if night.is_new(one.name, glance.place))
        return self._knowing(night, (glance.last_run for glance in new))

    def _slice(self, doing: Doing, night: Night, due: Sequence[Due]) -> int:
        """How many of those that are due are done with."""
        one = doing.going
        began, self.live = time.monotonic(), None
        with self.way.hands() as hands:
            note = self._note()
            portion = [due for due in due[: one.portion] if _is_left(one, due, note)]
            here = self._here(portion)
            sight = self._sight(one, night, here)
            cut = one.first_slice(sight)
            if cut.groups or cut.records:
                note = note.begun(len(night.live), self.now)
            decided = self._decided(doing, cut, note)
            note = self._carried_out(hands, decided, note)
            done = due.index(here[cut.done][0]) if cut.done < len(here) else one.portion
            if one.keeps_place:
                hands.keep(note.marked(one.name, reached(due, done)))
        self._tell(one.name, cut, decided, time.monotonic() - began)
        return done

    def _note(self) -> Note:
        """With what the slice before came to, if nobody lived to count it."""
        note = self.way.note()
        if note.night is None or note.night.intended is None:
            return note
        run, _ = note.night.intended
        return note.counted(is_done=self.looks.run(self.scope, run) is not None)

    def _here(self, portion: Iterable[Due]) -> list[tuple[Due, MemoryRecord]]:
        """Those that nobody has changed since they were looked at; else they are due again."""
        portion = list(portion)
        found = self.looks.memories(self.scope, [due.id for due in portion])
        records = {record.memory.id: record for record in found}
        return [
            (due, records[due.id])
            for due in portion
            if due.id in records and place_of(records[due.id].memory) == due.seen
        ]

    def _sight(self, one: Pass, night: Night, here: list[tuple[Due, MemoryRecord]]) -> Sight:
        """With what is around those that are due, and what that was made of."""
        records = [record for _, record in here]
        if not (queries := one.queries(records)):
            return Sight(night, here)
        around = dict(self.looks.nominate(self.scope, queries, night.bounds.pool).records)
        links = {id for record in records for id in record.memory.links if id not in around}
        around |= {one.memory.id: one for one in self.looks.memories(self.scope, links)}
        first = min(due.seen for due, _ in here)
        later = (one.memory for one in around.values() if place_of(one.memory) > first)
        night = self._knowing(night, (memory.last_run for memory in later))
        sight = Sight(night, here, around)
        parents = {id: self._made_of(id) for id in merged_before(sight)}
        return Sight(night, here, around, parents)

    def _made_of(self, memory: UUID) -> list[MemoryRecord]:
        """What sleep has joined in it, as it was."""
        found = list(self.looks.archives(self.scope, memory))
        runs = {id: self.looks.run(self.scope, id) for id in {one.archive.run for one in found}}
        return [
            MemoryRecord(memory=one.archive.memory, vector=one.vector)
            for one in found
            if has_joined(runs[one.archive.run])
        ]

    def _knowing(self, night: Night, runs: Iterable[UUID]) -> Night:
        own = {run for run in {*runs} - night.own if self._is_own(run)}
        return Night(night.scope, night.now, night.bounds, night.live, night.marks, night.own | own)

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

    def _decided(self, doing: Doing, cut: Slice, note: Note) -> Decided:
        if note.night is None:
            return Decided()
        thinking = Thinking(self.parts, self.scope, self.now, doing.going.name)
        try:
            return doing.decided(thinking, cut, note.night)
        except OverBudget as error:
            raise Stopped(str(error)) from error

    @staticmethod
    def _carried_out(hands: Hands, decided: Decided, note: Note) -> Note:
        """What is to be done is noted before: whatever a crash leaves, it is counted if it was done, and only then."""
        for plan in decided.done:
            if decided.counts:
                note = note.intending(plan.run, decided.changed)
                hands.keep(note)
            hands.carry_out(plan)
        for plan in decided.proposed:
            hands.propose(plan)
        note = note.counted(is_done=True)
        return note.filled() if decided.proposed else note

    def _tell(self, name: PassName, cut: Slice, decided: Decided, seconds: float) -> None:
        self.passed[name] = with_slice(
            self.passed[name],
            looked_at=len(cut.records) or cut.done,
            asked=len(cut.groups),
            misjudged=decided.misjudged,
            usage=decided.usage,
            done=decided.done,
            proposed=decided.proposed,
            seconds=seconds,
        )


def _is_left(one: Pass, due: Due, note: Note) -> bool:
    """Another night may have come further meanwhile."""
    mark = note.marks.get(one.name)
    return not one.keeps_place or mark is None or due.place > mark
