"""A night in one scope, top to bottom: pass by pass, slice by slice, each under the lease and let go between."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from schemas.scope import Scope
from worker.core.failing.budget import Budget
from worker.core.groups.setting import PassName
from worker.core.sleeping.kept import carried_out
from worker.core.sleeping.night import Due, Night, Pass, Slice
from worker.core.sleeping.note import Note, reached
from worker.core.sleeping.proposing import is_waiting
from worker.core.sleeping.report import Report
from worker.core.sleeping.retention import PORTION, Retention
from worker.core.sleeping.share import used_up
from worker.direct.books import Books, Stopped, UsedUp
from worker.direct.canaries import Canaries
from worker.direct.nights import Foreseeing, Hands, Way, Working
from worker.direct.passes import Doing, Reembed, passes_of
from worker.direct.retaining import Retaining
from worker.direct.seeing import Seeing
from worker.direct.slices import Decided, Thinking
from worker.errors import OverBudget, SlowwaveError
from worker.parts import Parts


def _nothing_else() -> str | None:
    """For whoever has all night."""


def _nobody(_: Report) -> None:
    """For whoever is content with the error."""


def sleep(  # noqa: PLR0913 - what comes first and what is told are the caller's
    parts: Parts,
    scope: Scope,
    now: datetime,
    *,
    dry_run: bool = False,
    comes_first: Callable[[], str | None] = _nothing_else,
    if_it_fails: Callable[[Report], None] = _nobody,
) -> Report:
    """Tidy one scope, as far as the turns that wait and the budget let it.

    What was done stays done, and the next night goes on from there. `comes_first` is asked before each slice: what it
    names ends the night there. A dry run asks the same questions, takes no lease and writes nothing. Raises `Retryable`
    while a worker holds the scope, and what the parts raise; what was done until then is told to `if_it_fails` first.
    """
    began = time.monotonic()
    report = Report(scope=scope, began_at=now, dry_run=dry_run)
    if not parts.store.about(scope).is_prepared:
        return report
    way: Way = Foreseeing(parts, scope) if dry_run else Working(parts, scope, now)
    sleeper = _Sleeper(parts, scope, now, way, comes_first)

    def told(stopped: str | None) -> Report:
        update = {"passes": tuple(sleeper.books.passed.values()), "stopped": stopped}
        return report.model_copy(update={**update, "seconds": time.monotonic() - began})

    def counted(report: Report) -> Report:
        waiting = sum(map(is_waiting, parts.store.runs(scope)))
        return report.model_copy(update={"waiting": waiting})

    try:
        sleeper.sleep()
    except Stopped as why:
        return counted(told(str(why)))
    except SlowwaveError as error:
        report = told(str(error))
        # It may be the store that failed.
        with suppress(SlowwaveError):
            report = counted(report)
        if_it_fails(report)
        raise
    return counted(told(None))


@dataclass
class _Sleeper:
    parts: Parts
    scope: Scope
    now: datetime
    way: Way
    comes_first: Callable[[], str | None]
    books: Books = field(init=False)
    seeing: Seeing = field(init=False)
    #: Questions that it must not lose the answers to.
    canaries: Canaries = field(init=False)
    #: Vectors that had to be made anew first.
    made_anew: int = 0
    seconds_anew: float = 0.0

    def __post_init__(self) -> None:
        self.books = Books(self.scope, self.now, self.way)
        self.seeing = Seeing(self.parts, self.scope, self.now, self.way.looks)
        self.canaries = Canaries(self.parts, self.scope, self.now, self.way.looks)

    def sleep(self) -> None:
        self._let_turns_go_first()
        began = time.monotonic()
        with self.way.hands() as hands:
            # What a crash left half done is finished now, what was forgotten is purged.
            self.made_anew, self.seconds_anew = hands.made_anew, time.monotonic() - began
            hands.count_uses()
        waits: UsedUp | None = None
        for one in passes_of(self.parts.settings):
            try:
                self._pass(one)
            except UsedUp as why:
                waits = why
        if self.way.note().night is not None:
            with self.way.hands() as hands:
                self.books.close(hands, str(waits) if waits else None)
        if waits:
            raise waits

    def _pass(self, one: Doing | Reembed | Retention) -> None:
        match one:
            case Doing():
                self._go_over(one)
            case Reembed():
                self.books.begin(one.name, len(self.seeing.all()))
                if self.made_anew:
                    with self.way.hands() as hands:
                        self.books.tidied_up(hands, one.name, self.made_anew, self.seconds_anew)
            case Retention():
                self.books.begin(one.name, len(self.seeing.all()))
                self._retain(one)

    def _retain(self, retention: Retention) -> None:
        retaining = Retaining(self.way, self.scope, retention.until(self.now))
        is_left = bool(retaining.outdated())
        while is_left:
            self._let_turns_go_first()
            began = time.monotonic()
            with self.way.hands() as hands:
                if gone := retaining.removed(hands):
                    self.books.tidied_up(hands, retention.name, len(gone), time.monotonic() - began)
            is_left = len(gone) == PORTION

    def _go_over(self, doing: Doing) -> None:
        """Until nothing is due: what is changed meanwhile is taken up as well."""
        one = doing.going
        self.books.begin(one.name, len(self.seeing.all()))
        night = self.seeing.night(one, self.way.note())
        taken = set[Due]()
        while due := [due for due in one.due(night) if due not in taken]:
            taken.update(due)
            while due:
                self._let_turns_go_first()
                due = due[self._slice(doing, night, due) :]
            night = self.seeing.night(one, self.way.note())

    def _let_turns_go_first(self) -> None:
        if waiting := self.way.waiting():
            raise Stopped(f"{waiting} turns wait to be consolidated: they go first")
        if other := self.comes_first():
            raise Stopped(other)
        # Last: whoever holds a scope makes room for it.
        if not self.parts.store.about(self.scope).is_prepared:
            raise Stopped("the scope was erased")

    def _slice(self, doing: Doing, night: Night, due: Sequence[Due]) -> int:
        """How many of those that are due are done with."""
        one = doing.going
        began = time.monotonic()
        self.seeing.forget_what_lives()
        self.books.begins_with = None
        with self.way.hands() as hands, self.books.leaving_word(hands):
            note = self.books.note()
            portion = [due for due in due[: one.portion] if _is_left(one, due, note)]
            here = self.seeing.here(portion)
            sight = self.seeing.sight(one, night, here)
            cut = one.first_slice(sight)
            if cut.groups or cut.records:
                self.books.begins_with = len(night.live)
                note = note.begun(self.books.begins_with, self.now)
            decided = self._decided(doing, cut, note)
            self.books.add_thoughts(one.name, cut, decided)
            note = note.spending(decided.usage)
            note = self._carried_out(hands, one.name, decided, note)
            done = due.index(here[cut.done][0]) if cut.done < len(here) else one.portion
            self.books.add(one.name, seconds=time.monotonic() - began)
            if one.keeps_place and not decided.leaves_rest:
                note = note.marked(one.name, reached(due, done))
            if one.keeps_place or note.night is not None:
                self.books.keep(hands, note)
        self.books.tell(one.name, cut, decided, time.monotonic() - began)
        return len(due) if decided.leaves_rest else done

    def _decided(self, doing: Doing, cut: Slice, note: Note) -> Decided:
        if note.night is None:
            return Decided()
        settings = self.parts.settings
        budget = Budget(settings.sleep_max_calls, settings.sleep_max_tokens)
        if cut.groups and (why := used_up(note.night, budget)):
            raise UsedUp(why)
        thinking = Thinking(self.parts, self.scope, self.now, doing.going.name, self.canaries)
        try:
            return doing.decided(thinking, cut, note.night)
        except OverBudget as error:
            raise UsedUp(str(error)) from error

    def _carried_out(self, hands: Hands, name: PassName, decided: Decided, note: Note) -> Note:
        """What is to be done is noted before: whatever a crash leaves, it is counted if it was done, and only then."""
        for plan in decided.done:
            doing = carried_out(name, plan, self.books.passed[name].after)
            note = self.books.keep(hands, note.intending(plan.run, decided.changed, doing))
            hands.carry_out(plan)
        for plan in decided.proposed:
            hands.propose(plan)
        self.books.add(name, proposed=tuple(plan.run for plan in decided.proposed))
        note = note.counted(is_done=True)
        return note.filled() if decided.is_full else note


def _is_left(one: Pass, due: Due, note: Note) -> bool:
    """Another night may have come further meanwhile."""
    mark = note.marks.get(one.name)
    return not one.keeps_place or mark is None or due.place > mark
