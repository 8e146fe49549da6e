"""What a night came to, or would come to."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from schemas.base import AwareDatetime, Frozen
from schemas.memory import Reason
from schemas.plan import Plan, Relation, Retire, Revise, Usage
from schemas.scope import Scope
from worker.core.groups.setting import PassName


class Diff(Frozen):
    """One memory before and after."""

    kind: str
    memory_id: UUID
    relation: Relation
    reason: Reason
    before: str
    #: Null where it is gone.
    after: str | None
    #: Whose place it makes.
    replaced_by: UUID | None
    why: str
    run: UUID


class Passed(Frozen):
    """What one pass did."""

    name: PassName
    #: Live memories.
    before: int
    after: int
    #: Memories that it took up.
    looked_at: int = 0
    #: Groups that were judged, and those whose judgment failed: these stay as they are.
    asked: int = 0
    misjudged: int = 0
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    changes: tuple[Diff, ...] = ()
    #: What would have gone beyond the share: proposed, not done.
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
        _diff(plan.run, change)
        for plan in plans
        for change in plan.changes
        if isinstance(change, Revise | Retire)
    )


def _diff(run: UUID, change: Revise | Retire) -> Diff:
    archive = change.archive.archive
    return Diff(
        kind=change.kind,
        memory_id=archive.memory.id,
        relation=change.relation,
        reason=archive.reason,
        before=archive.memory.text,
        after=change.record.memory.text if isinstance(change, Revise) else None,
        replaced_by=archive.replaced_by,
        why=change.why,
        run=run,
    )


def with_slice(  # noqa: PLR0913 - a slice has that many figures
    passed: Passed,
    *,
    looked_at: int,
    asked: int,
    misjudged: int,
    usage: Usage,
    done: Sequence[Plan],
    proposed: Sequence[Plan],
    seconds: float,
) -> Passed:
    """The pass with one slice more."""
    changes = diffs(done)
    return passed.model_copy(
        update={
            "after": passed.after - sum(one.after is None for one in changes),
            "looked_at": passed.looked_at + looked_at,
            "asked": passed.asked + asked,
            "misjudged": passed.misjudged + misjudged,
            "calls": passed.calls + usage.total_calls,
            "tokens": passed.tokens + usage.total_tokens,
            "seconds": passed.seconds + seconds,
            "changes": (*passed.changes, *changes),
            "proposed": (*passed.proposed, *diffs(proposed)),
        }
    )
