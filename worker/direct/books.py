"""The books of a night: what each pass did, as it is told at the end, and kept slice by slice."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from schemas.plan import Usage
from schemas.scope import Scope
from worker.core.groups.setting import PassName
from worker.core.sleeping.kept import Figures
from worker.core.sleeping.night import Slice
from worker.core.sleeping.note import Note
from worker.core.sleeping.report import Passed, with_slice, with_usage
from worker.direct.nights import Hands, Way
from worker.direct.slices import Decided
from worker.errors import SlowwaveError


class Stopped(Exception):
    """The rest has to wait; says for what."""


class UsedUp(Stopped):
    """What asks a model has to wait; the rest is done."""


@dataclass
class Books:
    """Of one night in one scope."""

    scope: Scope
    now: datetime
    way: Way
    passed: dict[PassName, Passed] = field(default_factory=dict)
    #: What each pass did since that was kept last.
    since: dict[PassName, Figures] = field(default_factory=dict)
    #: What was asked of models since then.
    unspent: list[Usage] = field(default_factory=list)
    #: Memories that lived when the slice that is being done had something to do.
    begins_with: int | None = None

    def begin(self, name: PassName, live: int) -> None:
        """A pass, with so many live memories."""
        self.passed[name] = Passed(name=name, before=live, after=live)
        self.since[name] = Figures(name=name, before=live, after=live)

    def note(self) -> Note:
        """With what the slice before came to, if nobody lived to count it."""
        note = self.way.note()
        if note.night is None or note.night.intended is None:
            return note
        run, _ = note.night.intended
        return note.counted(is_done=self.way.looks.run(self.scope, run) is not None)

    def keep(self, hands: Hands, note: Note) -> Note:
        """With what was done since; a night that has not begun has nothing to tell yet."""
        if note.night is not None:
            note = self._going_on(note)
        hands.keep(note)
        if note.night is not None:
            self._is_kept()
        return note

    def close(self, hands: Hands, waits: str | None) -> None:
        """The night is over, or what asks a model waits."""
        note = self._going_on(self.note())
        hands.keep(note.broken_off(waits) if waits else note.ended())

    @contextmanager
    def leaving_word(self, hands: Hands) -> Iterator[None]:
        """Of why the night ends here, if that can still be written down."""
        try:
            yield
        except (SlowwaveError, Stopped) as error:
            with suppress(SlowwaveError):
                note = self.way.note()
                if self.begins_with is not None and not isinstance(error, Stopped):
                    note = note.begun(self.begins_with, self.now)
                if note.night is not None:
                    hands.keep(self._going_on(note).broken_off(str(error)))
                    self._is_kept()
            raise

    def _going_on(self, note: Note) -> Note:
        for usage in self.unspent:
            note = note.spending(usage)
        return note.gone_on(self.since.values(), self.now)

    def _is_kept(self) -> None:
        self.since, self.unspent = {}, []

    def add(self, name: PassName, **figures: Any) -> None:
        """To what is kept."""
        live = self.passed[name].after
        done = Figures(name=name, before=live, after=live, **figures)
        self.since[name] = self.since[name] + done if name in self.since else done

    def add_thoughts(self, name: PassName, cut: Slice, decided: Decided) -> None:
        self.add(
            name,
            looked_at=cut.looked_at,
            asked=len(cut.groups),
            misjudged=decided.misjudged,
        )

    def add_usage(self, name: PassName, usage: Usage) -> None:
        """Of a slice that fails as well: what it has asked was asked."""
        self.passed[name] = with_usage(self.passed[name], usage)
        self.add(name, calls=usage.total_calls, tokens=usage.total_tokens)
        self.unspent.append(usage)

    def tell(self, name: PassName, cut: Slice, decided: Decided, seconds: float) -> None:
        """A slice is done."""
        self.passed[name] = with_slice(
            self.passed[name],
            looked_at=cut.looked_at,
            asked=len(cut.groups),
            misjudged=decided.misjudged,
            done=decided.done,
            proposed=decided.proposed,
            seconds=seconds,
        )

    def tidied_up(self, hands: Hands, name: PassName, count: int, seconds: float) -> None:
        """A pass did so much that changes no memory."""
        passed = self.passed[name]
        figures = {"looked_at": passed.looked_at + count, "seconds": passed.seconds + seconds}
        self.passed[name] = passed.model_copy(update=figures)
        self.add(name, looked_at=count, seconds=seconds)
        self.keep(hands, self.note().begun(passed.before, self.now))
