"""One slice of a night: what is due is looked at, thought about and done, under one lease."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from schemas.scope import Scope
from worker.core.failing.budget import Budget
from worker.core.groups.setting import PassName
from worker.core.sleeping.kept import carried_out
from worker.core.sleeping.night import Due, Night, Pass, Slice
from worker.core.sleeping.note import Note, reached
from worker.core.sleeping.share import changed_by, used_up
from worker.direct.books import Books, UsedUp
from worker.direct.canaries import Canaries
from worker.direct.nights import Hands, Way
from worker.direct.passes import Doing
from worker.direct.seeing import Seeing
from worker.direct.slices import Decided, Thinking
from worker.errors import OverBudget
from worker.parts import Parts


@dataclass
class Slicing:
    """Of one night in one scope."""

    parts: Parts
    scope: Scope
    now: datetime
    way: Way
    books: Books
    seeing: Seeing
    #: Questions that it must not lose the answers to.
    canaries: Canaries = field(init=False)

    def __post_init__(self) -> None:
        self.canaries = Canaries(self.parts, self.scope, self.now, self.way.looks)

    def slice(self, doing: Doing, night: Night, due: Sequence[Due]) -> int | None:
        """How many of those that are due are done with; null where the pass has done enough for a night."""
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
            if decided.rest is not None:
                cut = cut.before(decided.rest, [due for due, _ in here])
            self.books.add_thoughts(one.name, cut, decided)
            note = self._carried_out(hands, one.name, decided, note)
            done = due.index(here[cut.done][0]) if cut.done < len(here) else one.portion
            self.books.add(one.name, seconds=time.monotonic() - began)
            if one.keeps_place:
                note = note.marked(one.name, reached(due, done))
            if one.keeps_place or note.night is not None:
                self.books.keep(hands, note)
        self.books.tell(one.name, cut, decided, time.monotonic() - began)
        return None if decided.is_enough else done

    def _decided(self, doing: Doing, cut: Slice, note: Note) -> Decided:
        if note.night is None:
            return Decided()
        settings = self.parts.settings
        budget = Budget(settings.sleep_max_calls, settings.sleep_max_tokens)
        if cut.groups and (why := used_up(note.night, budget)):
            raise UsedUp(why)
        name = doing.going.name
        thinking = Thinking(self.parts, self.scope, self.now, name, self.canaries, self.way.looks)
        try:
            return doing.decided(thinking, cut, note.night)
        except OverBudget as error:
            raise UsedUp(str(error)) from error
        finally:
            # Also what came to nothing was asked.
            self.books.add_usage(name, thinking.tally.usage())

    def _carried_out(self, hands: Hands, name: PassName, decided: Decided, note: Note) -> Note:
        """What is to be done is noted before: whatever a crash leaves, it is counted if it was done, and only then."""
        for plan in decided.done:
            doing = carried_out(name, plan, self.books.passed[name].after)
            note = self.books.keep(
                hands, note.intending(plan.run, changed_by(plan) if decided.counts else 0, doing)
            )
            hands.carry_out(plan)
            note = note.counted(is_done=True)
        for plan in decided.proposed:
            hands.propose(plan)
        self.books.add(name, proposed=tuple(plan.run for plan in decided.proposed))
        return note.filled() if decided.is_full else note


def _is_left(one: Pass, due: Due, note: Note) -> bool:
    """Another night may have come further meanwhile."""
    mark = note.marks.get(one.name)
    return not one.keeps_place or mark is None or due.place > mark
