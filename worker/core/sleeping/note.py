"""How far sleep has come in a scope, as it is kept beside its memories."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from pydantic import ValidationError

from schemas.base import FORMAT, AwareDatetime, Stored
from schemas.scope import Scope
from worker.core.groups.setting import PassName
from worker.core.sleeping.night import Due, Place
from worker.errors import Misconfigured

#: A night that was broken off is gone on with for so long; then another begins, with a share of its own.
NIGHT = timedelta(days=1)


class Begun(Stored):
    """A night that has not ended yet."""

    began_at: AwareDatetime
    #: Live memories when it began.
    live: int
    #: Of them, those that were changed so far; what lapsed aside.
    changed: int = 0
    #: The run that is being applied, and how many it changes: counted only once it is known to have been.
    intended: tuple[UUID, int] | None = None
    #: The share was used up: whatever comes is proposed.
    is_full: bool = False


class Note(Stored):
    """The marks stay from night to night."""

    marks: dict[PassName, tuple[AwareDatetime, UUID]] = {}
    night: Begun | None = None

    def begun(self, live: int, now: datetime) -> "Note":
        """With a night: the one that was broken off, unless it is too long ago."""
        if self.night is not None and self.night.began_at + NIGHT > now:
            return self
        return self.model_copy(update={"night": Begun(began_at=now, live=live)})

    def ended(self) -> "Note":
        return self.model_copy(update={"night": None})

    def intending(self, run: UUID, changed: int) -> "Note":
        """Before so many changes are made by a run."""
        return self._during(intended=(run, changed))

    def counted(self, *, is_done: bool) -> "Note":
        """Once it is known whether what was intended was done."""
        if self.night is None or self.night.intended is None:
            return self
        _, changed = self.night.intended
        now = self.night.changed + (changed if is_done else 0)
        return self._during(changed=now, intended=None)

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
