"""What a night came to, or would come to."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from schemas.base import AwareDatetime, Frozen
from schemas.memory import Reason
from schemas.plan import Add, Plan, Relation, Retire, Revise, Usage, Withheld
from schemas.scope import Scope
from worker.core.groups.setting import PassName


class Diff(Frozen):
    """One memory before and after."""

    kind: str
    memory_id: UUID
    relation: Relation
    #: Null where nothing was archived.
    reason: Reason | None
    #: Null where it is new.
    before: str | None
    #: Null where it is gone.
    after: str | None
    #: Whose place it makes.
    replaced_by: UUID | None
    why: str
    run: UUID
    #: Why it is only proposed; null where it was done.
    withheld: Withheld | None = None


class Passed(Frozen):
    """What one pass did."""

    name: PassName
    #: Live memories.
    before: int
    after: int
    #: Memories that it took up; of `retention` the versions that it removed, of `re-embed` the vectors made anew.
    looked_at: int = 0
    #: Groups that were judged, and those whose judgment failed: these stay as they are.
    asked: int = 0
    misjudged: int = 0
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    changes: tuple[Diff, ...] = ()
    #: What was proposed and not done: see `Diff.withheld`.
    proposed: tuple[Diff, ...] = ()


class Report(Frozen):
    """A night in one scope."""

    scope: Scope
    began_at: AwareDatetime
    dry_run: bool = False
    passes: tuple[Passed, ...] = ()
    #: Proposals that wait for a person, those of earlier nights included.
    waiting: int = 0
    #: Why it ended before it was done; null where it was done.
    stopped: str | None = None
    seconds: float = 0.0

    @property
    def changes(self) -> int:
        return sum(len(one.changes) for one in self.passes)

    @property
    def calls(self) -> int:
        return sum(one.calls for one in self.passes)

    @property
    def tokens(self) -> int:
        return sum(one.tokens for one in self.passes)


def diffs(plans: Iterable[Plan]) -> tuple[Diff, ...]:
    """Of each change the words before and after."""
    return tuple(
        _diff(plan.run, change).model_copy(update={"withheld": plan.withheld})
        for plan in plans
        for change in plan.changes
        if isinstance(change, Add | Revise | Retire)
    )


def _diff(run: UUID, change: Add | Revise | Retire) -> Diff:
    before = None if isinstance(change, Add) else change.archive.archive
    after = None if isinstance(change, Retire) else change.record.memory
    memories = [one for one in (after, before and before.memory) if one]
    return Diff(
        kind=change.kind,
        memory_id=memories[0].id,
        relation=change.relation,
        reason=before.reason if before else None,
        before=before.memory.text if before else None,
        after=after.text if after else None,
        replaced_by=before.replaced_by if before else None,
        why=change.why,
        run=run,
    )


def grown_by(changes: Iterable[Diff]) -> int:
    """How many more live memories there are after them."""
    return sum((one.before is None) - (one.after is None) for one in changes)


def with_usage(passed: Passed, usage: Usage) -> Passed:
    """The pass with what was asked of models since."""
    return passed.model_copy(
        update={
            "calls": passed.calls + usage.total_calls,
            "tokens": passed.tokens + usage.total_tokens,
        }
    )


def with_slice(  # noqa: PLR0913 - a slice has that many figures
    passed: Passed,
    *,
    looked_at: int,
    asked: int,
    misjudged: int,
    done: Sequence[Plan],
    proposed: Sequence[Plan],
    seconds: float,
) -> Passed:
    """The pass with one slice more."""
    changes = diffs(done)
    return passed.model_copy(
        update={
            "after": passed.after + grown_by(changes),
            "looked_at": passed.looked_at + looked_at,
            "asked": passed.asked + asked,
            "misjudged": passed.misjudged + misjudged,
            "seconds": passed.seconds + seconds,
            "changes": (*passed.changes, *changes),
            "proposed": (*passed.proposed, *diffs(proposed)),
        }
    )
