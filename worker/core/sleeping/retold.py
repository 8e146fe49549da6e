"""A night of which figures and runs were kept, told with the words that there still are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from schemas.base import AwareDatetime
from schemas.scope import Scope
from worker.core.sleeping.kept import Figures, Kept
from worker.core.sleeping.report import Diff, Passed, Report

#: Nobody was left to say why.
CUT_SHORT = (
    "it did not come to its end: something else went first, it was cut short, or it is still on"
)


class Retold(Report):
    """Its `waiting` are the proposals of this night alone; what was undone since is among its changes."""

    #: 1 is the latest.
    night: int
    #: How many nights of the scope are kept.
    nights: int
    #: When it was gone on with last, and how often it was slept at in all.
    last_at: AwareDatetime
    times: int
    is_over: bool
    #: Runs of it that were undone since.
    undone: tuple[UUID, ...] = ()
    #: Proposals that it made; those that wait no more were decided on.
    proposals: int = 0
    #: Further runs and proposals, which were too many to name.
    unnamed: int = 0


@dataclass(frozen=True)
class Words:
    """What a scope still has to tell, run by run."""

    #: What was carried out.
    done: Mapping[UUID, tuple[Diff, ...]]
    #: What waits for a person.
    proposed: Mapping[UUID, tuple[Diff, ...]]
    undone: frozenset[UUID]


def retold(scope: Scope, nights: Sequence[Kept], nth: int, words: Words) -> Retold:
    """The nth last of the nights that are kept, the latest of which comes last."""
    night = nights[-nth]
    runs = [run for one in night.passes for run in one.runs]
    proposals = [run for one in night.passes for run in one.proposed]
    return Retold(
        scope=scope,
        began_at=night.began_at,
        passes=tuple(_passed(one, words) for one in night.passes),
        waiting=sum(run in words.proposed for run in proposals),
        stopped=None if night.is_over else night.stopped or CUT_SHORT,
        seconds=sum(one.seconds for one in night.passes),
        night=nth,
        nights=len(nights),
        last_at=night.last_at,
        times=night.times,
        is_over=night.is_over,
        undone=tuple(run for run in runs if run in words.undone),
        proposals=len(proposals),
        unnamed=sum(one.unnamed for one in night.passes),
    )


def _passed(one: Figures, words: Words) -> Passed:
    return Passed(
        name=one.name,
        before=one.before,
        after=one.after,
        looked_at=one.looked_at,
        asked=one.asked,
        misjudged=one.misjudged,
        calls=one.calls,
        tokens=one.tokens,
        seconds=one.seconds,
        changes=tuple(diff for run in one.runs for diff in words.done.get(run, ())),
        proposed=tuple(diff for run in one.proposed for diff in words.proposed.get(run, ())),
    )
