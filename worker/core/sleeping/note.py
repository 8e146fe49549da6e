"""How far sleep has come in a scope, as it is kept beside its memories."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from pydantic import ValidationError

from schemas.base import FORMAT, AwareDatetime, Stored
from schemas.plan import Usage
from schemas.scope import Scope
from worker.core.groups.setting import PassName
from worker.core.sleeping.kept import NIGHTS, Figures, Kept
from worker.core.sleeping.night import Due, Place
from worker.errors import Misconfigured

#: A night that was broken off is gone on with for so long; then another begins, with a share and a budget of its own.
#: Less than a day: the next may begin a little earlier than this one did.
NIGHT = timedelta(hours=20)


class Begun(Stored):
    """A night that has not ended yet."""

    began_at: AwareDatetime
    #: Live memories when it began.
    live: int
    #: Of them, those that were changed so far; what lapsed aside.
    changed: int = 0
    #: The run that is being applied, and how many it changes: counted only once it is known to have been.
    intended: tuple[UUID, int] | None = None
    #: What is told of that run, once it is known to have been.
    doing: Figures | None = None
    #: The share was used up: whatever comes is proposed.
    is_full: bool = False
    #: What was asked of models so far; what a slice that failed had asked aside.
    calls: int = 0
    tokens: int = 0


#: A live record (0) or a snapshot (1), the memory's id, its version.
Record = tuple[int, UUID, int]


class Anew(Stored):
    """How far a scope's vectors have been made anew."""

    #: Whose they will be.
    embedder: str
    #: The last record that has its new one, in this order; null before the first.
    after: Record | None = None

    def is_done(self, record: Record) -> bool:
        return self.after is not None and record <= self.after


class Note(Stored):
    """The marks stay from night to night."""

    marks: dict[PassName, tuple[AwareDatetime, UUID]] = {}
    night: Begun | None = None
    #: The last nights in which anything was asked or changed, the latest last.
    nights: tuple[Kept, ...] = ()
    #: Snapshots that were archived until then are past their retention; null where none was ever removed for that.
    removed_until: AwareDatetime | None = None
    #: Run of an import → when that was: what it brought was changed then, however old it says to be.
    imports: dict[UUID, AwareDatetime] = {}
    #: Null while all vectors are one embedder's.
    anew: Anew | None = None

    def in_time(self, now: datetime) -> "Note":
        """Without marks that no clock of today can have set: what is changed until then would not be looked at."""
        marks = {name: place for name, place in self.marks.items() if place[0] < now + NIGHT}
        return self if marks == self.marks else self.model_copy(update={"marks": marks})

    def begun(self, live: int, now: datetime) -> "Note":
        """With a night: the one that was broken off, unless it is too long ago, or of a clock that was ahead."""
        if self.night is not None and abs(now - self.night.began_at) < NIGHT:
            return self
        return self.model_copy(update={"night": Begun(began_at=now, live=live)})

    def ended(self) -> "Note":
        told = self._telling(self._kept.ended()) if self._is_told else self
        return told.model_copy(update={"night": None})

    def gone_on(self, done: Iterable[Figures], at: datetime) -> "Note":
        """With what was done since, which is told of a night that has begun."""
        if self.night is None:
            return self
        kept = self._kept if self._is_told else Kept(began_at=self.night.began_at, last_at=at)
        return self._telling(kept.gone_on(done, at))

    def broken_off(self, why: str) -> "Note":
        return self._telling(self._kept.broken_off(why)) if self._is_told else self

    @property
    def _is_told(self) -> bool:
        """Whether the night that has begun is among those that are kept."""
        return self.night is not None and any(
            one.began_at == self.night.began_at for one in self.nights[-1:]
        )

    @property
    def _kept(self) -> Kept:
        return self.nights[-1]

    def _telling(self, night: Kept) -> "Note":
        others = self.nights[:-1] if self._is_told else self.nights
        return self.model_copy(update={"nights": (*others, night)[-NIGHTS:]})

    def intending(self, run: UUID, changed: int, doing: Figures | None = None) -> "Note":
        """Before so many changes are made by a run."""
        return self._during(intended=(run, changed), doing=doing)

    def counted(self, *, is_done: bool) -> "Note":
        """Once it is known whether what was intended was done."""
        if self.night is None or self.night.intended is None:
            return self
        _, changed = self.night.intended
        now = self.night.changed + (changed if is_done else 0)
        after = self._during(changed=now, intended=None, doing=None)
        if not is_done or self.night.doing is None or not self._is_told:
            return after
        return after.gone_on([self.night.doing], self._kept.last_at)

    def spending(self, usage: Usage) -> "Note":
        """With what was asked since, of a night that has begun."""
        if self.night is None or not usage.total_calls:
            return self
        spent = self.night.calls + usage.total_calls, self.night.tokens + usage.total_tokens
        return self._during(calls=spent[0], tokens=spent[1])

    def removing(self, until: datetime) -> "Note":
        """Before snapshots are removed that were archived until then."""
        return self.model_copy(update={"removed_until": max(self.removed_until or until, until)})

    def importing(self, run: UUID, at: datetime) -> "Note":
        """Before memories come in that passes may have passed by; what all of them have looked at since is dropped."""
        if not self.marks:
            return self
        since, _ = min(self.marks.values())
        left = {run: at for run, at in self.imports.items() if at > since}
        return self.model_copy(update={"imports": {**left, run: at}})

    def remaking(self, anew: Anew | None) -> "Note":
        """With the scope's vectors made anew so far, or all of them."""
        return self.model_copy(update={"anew": anew})

    def filled(self) -> "Note":
        """The share is used up."""
        return self._during(is_full=True)

    def _during(self, **fields: object) -> "Note":
        if self.night is None:
            raise AssertionError("no night has begun")
        return self.model_copy(update={"night": self.night.model_copy(update=fields)})

    def marked(self, name: PassName, place: Place | None) -> "Note":
        """With the pass so far; a mark never goes back."""
        mark = self.marks.get(name)
        if place is None or (mark is not None and place <= mark):
            return self
        return self.model_copy(update={"marks": {**self.marks, name: place}})


def read_note(text: str | None, scope: Scope) -> Note:
    """Raises `Misconfigured` for a note that this version cannot read."""
    if text is None:
        return Note()
    try:
        note = Note.model_validate_json(text)
    except ValidationError as error:
        raise _unreadable(scope) from error
    if note.v > FORMAT:
        raise _unreadable(scope)
    return note


def _unreadable(scope: Scope) -> Misconfigured:
    return Misconfigured(
        f"how far sleep has come in scope {scope.key} cannot be read: a newer slowwave wrote it; let"
        " that one sleep"
    )


def reached(due: Sequence[Due], done: int) -> Place | None:
    """How far a pass is once so many are done: several may stand at one place, and count together."""
    left = due[done].place if done < len(due) else None
    return max((one.place for one in due[:done] if one.place != left), default=None)
