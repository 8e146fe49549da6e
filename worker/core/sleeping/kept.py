"""What is kept of a night: its figures and its runs, never a word of what it changed."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from schemas.base import AwareDatetime, Stored
from schemas.plan import Plan
from worker.core.groups.setting import PassName
from worker.core.sleeping.report import diffs, grown_by

#: Nights of a scope that are kept.
NIGHTS = 10
#: Runs of one pass that are named, and proposals; how many more there were is counted.
MOST_RUNS = 100
#: Characters of the reason that a night was broken off for.
REASON = 500


class Figures(Stored):
    """What one pass did in one night, or in a part of it."""

    name: PassName
    #: Live memories.
    before: int
    after: int
    looked_at: int = 0
    asked: int = 0
    misjudged: int = 0
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    #: What it carried out, in order.
    runs: tuple[UUID, ...] = ()
    #: What it only proposed.
    proposed: tuple[UUID, ...] = ()
    #: Runs of both kinds beyond those that are named.
    unnamed: int = 0

    def __add__(self, later: "Figures") -> "Figures":
        """Both, one after the other. What came and went between them is none of the pass's doing."""
        runs = _each_once(self.runs, later.runs)
        proposed = _each_once(self.proposed, later.proposed)
        return Figures(
            name=self.name,
            before=self.before,
            after=self.after + later.after - later.before,
            looked_at=self.looked_at + later.looked_at,
            asked=self.asked + later.asked,
            misjudged=self.misjudged + later.misjudged,
            calls=self.calls + later.calls,
            tokens=self.tokens + later.tokens,
            seconds=self.seconds + later.seconds,
            runs=runs[:MOST_RUNS],
            proposed=proposed[:MOST_RUNS],
            unnamed=self.unnamed
            + later.unnamed
            + len(runs[MOST_RUNS:])
            + len(proposed[MOST_RUNS:]),
        )


class Kept(Stored):
    """A night, as it is told later."""

    began_at: AwareDatetime
    #: When it was gone on with last, and how often it was slept at in all.
    last_at: AwareDatetime
    times: int = 1
    passes: tuple[Figures, ...] = ()
    #: Why it was broken off, as far as that could still be said; null once it goes on.
    stopped: str | None = None
    #: Whether it came to its end.
    is_over: bool = False

    def gone_on(self, done: Iterable[Figures], at: datetime) -> "Kept":
        """With what was done since."""
        passes = {one.name: one for one in self.passes}
        for one in done:
            passes[one.name] = passes[one.name] + one if one.name in passes else one
        # Two may sleep at once, and clocks jump: only what is later goes on with it.
        is_later = at > self.last_at
        return self.model_copy(
            update={
                "passes": tuple(passes.values()),
                "times": self.times + is_later,
                "last_at": max(self.last_at, at),
                "stopped": None,
                "is_over": False,
            }
        )

    def broken_off(self, why: str) -> "Kept":
        return self.model_copy(update={"stopped": why[:REASON]})

    def ended(self) -> "Kept":
        return self.model_copy(update={"is_over": True, "stopped": None})


def carried_out(name: PassName, plan: Plan, live: int) -> Figures:
    """A plan that is done, of so many live memories."""
    after = live + grown_by(diffs([plan]))
    return Figures(name=name, before=live, after=after, runs=(plan.run,))


def _each_once(earlier: tuple[UUID, ...], later: tuple[UUID, ...]) -> tuple[UUID, ...]:
    return tuple(dict.fromkeys((*earlier, *later)))
