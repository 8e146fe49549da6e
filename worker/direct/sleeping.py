"""A night in one scope, top to bottom: pass by pass, slice by slice, each under the lease and let go between."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from schemas.scope import Scope
from worker.core.sleeping.night import Due
from worker.core.sleeping.proposing import is_waiting
from worker.core.sleeping.report import Report
from worker.core.sleeping.retention import PORTION, Retention
from worker.direct.books import Books, Stopped, UsedUp
from worker.direct.nights import Foreseeing, Way, Working
from worker.direct.passes import Doing, Reembed, passes_of
from worker.direct.retaining import Retaining
from worker.direct.seeing import Seeing
from worker.direct.slicing import Slicing
from worker.errors import NoRoom, SlowwaveError
from worker.parts import Parts


def _nothing_else() -> str | None:
    """For whoever has all night."""


def nobody(_: Report) -> None:
    """For whoever is content with the error."""


def sleep(  # noqa: PLR0913 - what comes first and what is told are the caller's
    parts: Parts,
    scope: Scope,
    now: datetime,
    *,
    dry_run: bool = False,
    comes_first: Callable[[], str | None] = _nothing_else,
    if_it_fails: Callable[[Report], None] = nobody,
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
    way: Way = Foreseeing(parts, scope, now) if dry_run else Working(parts, scope, now)
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
    except NoRoom:
        return counted(told("the scope was erased"))
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
    slicing: Slicing = field(init=False)
    #: Vectors that had to be made anew first.
    made_anew: int = 0
    seconds_anew: float = 0.0

    def __post_init__(self) -> None:
        self.books = Books(self.scope, self.now, self.way)
        self.seeing = Seeing(self.parts, self.scope, self.now, self.way.looks)
        self.slicing = Slicing(self.parts, self.scope, self.now, self.way, self.books, self.seeing)

    def sleep(self) -> None:
        self._let_turns_go_first()
        began = time.monotonic()
        with self.way.hands() as hands:
            # What a crash left half done is finished now, what was forgotten is purged.
            self.made_anew, self.seconds_anew = hands.made_anew, time.monotonic() - began
            hands.count_uses()
        self.seeing.came = self.way.note().imports
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
            with self.way.hands() as hands, self.books.leaving_word(hands):
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
                if (done := self.slicing.slice(doing, night, due)) is None:
                    return
                due = due[done:]
            night = self.seeing.night(one, self.way.note())

    def _let_turns_go_first(self) -> None:
        if waiting := self.way.waiting():
            raise Stopped(f"{waiting} turns wait to be consolidated: they go first")
        if other := self.comes_first():
            raise Stopped(other)
