"""What sleep did in a scope and what it only proposed, with the words that may be shown."""

from collections.abc import Collection
from uuid import UUID

from schemas.base import AwareDatetime, Frozen
from schemas.plan import Run
from schemas.scope import Scope
from worker.core.ports import Store
from worker.core.sleeping.kept import Kept
from worker.core.sleeping.report import Diff, diffs
from worker.core.sleeping.retold import Retold, Words, retold
from worker.direct.proposals import Proposal, proposals
from worker.interfaces.runs_told import Told, with_plan
from worker.interfaces.versions import texts_in
from worker.recall import veil_of


def told_again(store: Store, scope: Scope, nights: tuple[Kept, ...], nth: int) -> Retold:
    """The nth last night, with the words that the store still has and a read may show."""
    ids = [run for one in nights[-nth].passes for run in one.runs]
    runs = [run for run in (store.run(scope, id) for id in ids) if run is not None]
    waiting = proposals(store, scope)
    words = Words(
        done={one.run.id: _changes(one) for one in _told(store, scope, runs)},
        proposed={one.run.id: shown(one) for one in waiting},
        undone=frozenset(run.id for run in runs if run.state == "undone"),
    )
    return retold(scope, nights, nth, words)


def _told(store: Store, scope: Scope, runs: Collection[Run]) -> list[Told]:
    """As `runs_told.told`, of many runs."""
    veil = veil_of(store, scope)
    planned = [with_plan(run) for run in runs]
    ids = {change.memory_id for run in planned for change in run.changes}
    snapshots = (record.archive for id in ids for record in store.archives(scope, id))
    live = (record.memory for record in store.memories(scope, ids))
    texts = texts_in(veil.archives(snapshots), live)
    return [Told(veil.run(run), texts) for run in planned]


def _changes(told: Told) -> tuple[Diff, ...]:
    return tuple(
        Diff(
            kind=change.kind,
            memory_id=change.memory_id,
            relation=change.relation,
            reason=change.reason,
            before=told.before(change),
            after=told.after(change),
            replaced_by=change.replaced_by,
            why=change.why,
            run=told.run.id,
        )
        for change in told.run.changes
        if change.kind in {"add", "revise", "retire"}
    )


class ProposalTold(Frozen):
    """What sleep would not do by itself."""

    run: UUID
    proposed_at: AwareDatetime
    #: Whether its memories are as they were: else it can only be refused.
    stands: bool
    changes: tuple[Diff, ...]


def proposal_of(one: Proposal) -> ProposalTold:
    return ProposalTold(
        run=one.run.id, proposed_at=one.run.started_at, stands=one.stands, changes=shown(one)
    )


def shown(one: Proposal) -> tuple[Diff, ...]:
    """What has changed since may have been forgotten as well: its words are not shown."""
    return diffs([one.plan]) if one.stands else ()
