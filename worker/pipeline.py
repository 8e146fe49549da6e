"""The story of a batch, top to bottom."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import structlog
from pydantic import ValidationError

from schemas.base import FORMAT
from schemas.ids import batch_run_id
from schemas.plan import Plan, Run
from schemas.scope import Scope
from schemas.tokens import estimate
from schemas.turn import Turn
from worker.adapters.apply import apply
from worker.adapters.inbox import Claim, Inbox
from worker.adapters.lease import Lease
from worker.applying import bedtime_of, note_bedtime
from worker.core.forgetting.erased import is_erased
from worker.core.groups.setting import Setting
from worker.core.planning import runs
from worker.core.planning.kept import Kept
from worker.core.ports import Store
from worker.core.sleeping.again import NEVER
from worker.errors import Misconfigured, Part, PlanConflict, Unprocessable
from worker.parts import Parts
from worker.purging import drop_questions, purge_due
from worker.reembedding import change_over, under
from worker.thinking import policy, thought

log = structlog.get_logger()


@dataclass(frozen=True)
class Outcome:
    """What a claim came to."""

    run: UUID | None
    turns: int
    #: Kind of change → how many.
    changes: Mapping[str, int] = field(default_factory=dict)
    #: What did all that was asked of it.
    served: frozenset[Part] = frozenset()


def consolidate(parts: Parts, claim: Claim, now: datetime) -> Outcome:
    """Settle one batch; a plan kept from a crash is finished as it is, else a new one is made and kept first.

    Raises `LeaseLost` before the next write once the scope may be another's, any `SlowwaveError` before the commit:
    then the turns are still in the inbox.
    """
    with Lease(parts.inbox, claim) as lease:
        before = _kept_since_erased(parts, claim)
        kept = before or _decide(parts, claim, lease, now)
        if kept.plan is not None and not (before and _is_done(parts.store, kept.plan)):
            if before:
                # A new plan was made of a scope that was changed over already.
                change_over(parts.store, parts.embedder, kept.plan.scope, lease)
            _apply(parts, kept.plan, lease)
        private = runs.forgetting_turns(kept.plan)
        if kept.plan is not None and private:
            purge_due(parts, kept.plan.scope, lease, now)
            # Later turns of the conversation are not read in their light any more.
            parts.inbox.drop_recent(claim, runs.turns_behind_forgotten(kept.plan))
            drop_questions(parts, kept.plan.scope, lease)
        # What a run has settled before is no context either: it may have been forgotten since.
        held, heard = (kept.plan.held, kept.plan.turn_ids) if kept.plan else ((), ())
        bedtime = bedtime_of(parts, kept.plan) if kept.plan else NEVER
        remembered = set(heard) - private
        parts.inbox.commit(claim, kept.count, kept.tokens, held, remembered, bedtime=bedtime)
    return _outcome(kept, _served(kept.plan, is_new=before is None))


def _kept_since_erased(parts: Parts, claim: Claim) -> Kept | None:
    """A Redis that lost its tail may have a plan again that was erased: it is not carried out."""
    kept = kept_by(parts.inbox, claim)
    if kept is None or kept.plan is None:
        return kept
    erased_at = parts.store.about(kept.plan.scope).erased_at
    return None if is_erased(kept.plan.planned_at, erased_at) else kept


def kept_by(inbox: Inbox, claim: Claim) -> Kept | None:
    """What a predecessor decided. Raises `Misconfigured` for what this version cannot read."""
    payload = inbox.kept_plan(claim)
    if payload is None:
        return None
    try:
        kept = Kept.model_validate_json(payload)
    except ValidationError as error:
        raise _unreadable(claim, "cannot be read") from error
    if kept.v > FORMAT:
        raise _unreadable(claim, f"has format {kept.v}, this worker knows {FORMAT}")
    return kept


def _unreadable(claim: Claim, why: str) -> Misconfigured:
    return Misconfigured(
        f"the kept plan of scope {claim.scope_key} {why}: a newer worker made it; run that version,"
        " the scope waits until then"
    )


def _is_done(store: Store, plan: Plan) -> bool:
    """Whether the run of a kept plan was applied, or taken back, already: Redis may have lost its tail."""
    known = store.runs(plan.scope, plan.turn_ids)
    return any(run.id == plan.run and run.state in {"applied", "undone"} for run in known)


def _apply(parts: Parts, plan: Plan, lease: Lease) -> None:
    """On a scope under our embedder. What cannot be finished is marked so, with its plan; then `PlanConflict` rises."""
    plan = under(plan, parts.embedder)
    try:
        apply(parts.store, plan, lease)
    except PlanConflict:
        parts.store.writer(plan.scope, lease).put_run(runs.parked(plan))
        raise


def ready(parts: Parts, scope: Scope, lease: Lease, now: datetime) -> int:
    """What whoever holds a scope does first: bring it under our embedder, finish what a crash left half done, purge.

    How many vectors had to be made anew.
    """
    made_anew = change_over(parts.store, parts.embedder, scope, lease)
    finish_open_runs(parts, scope, lease)
    purge_due(parts, scope, lease, now)
    return made_anew


def finish_open_runs(parts: Parts, scope: Scope, lease: Lease) -> None:
    """A run that a crash left half done is finished first, even if Redis lost its plan.

    One that cannot be is none of this batch's concern: it stays parked, and its turns are free.
    """
    # Before anything is read: what a predecessor that stood still writes from now on is refused.
    parts.store.writer(scope, lease).prepare()
    for run in parts.store.open_runs(scope):
        if run.plan is None:
            continue
        note_bedtime(parts, run.plan)
        try:
            _apply(parts, run.plan, lease)
        except Unprocessable as error:
            if not isinstance(error, PlanConflict):
                parts.store.writer(scope, lease).put_run(runs.parked(run.plan))
            log.warning("run_parked", run=str(run.id), reason=str(error))


def give_up(parts: Parts, claim: Claim) -> None:
    """The run of a kept plan that is parked stays open no longer: else every later batch would try to finish it."""
    kept = kept_by(parts.inbox, claim)
    if kept is None or kept.plan is None:
        return
    with Lease(parts.inbox, claim) as lease:
        change_over(parts.store, parts.embedder, kept.plan.scope, lease)
        writer = parts.store.writer(kept.plan.scope, lease)
        writer.prepare()
        writer.put_run(runs.parked(kept.plan))


def _decide(parts: Parts, claim: Claim, lease: Lease, now: datetime) -> Kept:
    """Read the batch, leave out what a run has settled, think, and keep the plan under the fence."""
    turns = _said_since_erased(parts, claim)
    if not turns:
        return Kept(count=0, plan=None)
    scope = turns[0].scope
    ready(parts, scope, lease, now)
    known = list(parts.store.runs(scope, [turn.id for turn in turns]))
    fresh = _fresh(turns, known)
    tokens = sum(estimate(turn.text) for turn in turns)
    if not fresh:
        return Kept(count=len(turns), tokens=tokens, plan=None)
    setting = Setting(
        run=batch_run_id(scope.key, [turn.id for turn in fresh], runs.fruitless(known)),
        scope=scope,
        turns=fresh,
        now=now,
        policy=policy(parts.settings),
    )
    kept = Kept(count=len(turns), tokens=tokens, plan=thought(parts, claim, setting))
    lease.check()
    parts.inbox.keep_plan(claim, kept.model_dump_json())
    return kept


def _said_since_erased(parts: Parts, claim: Claim) -> list[Turn]:
    """The batch; turns that came in after their scope was erased, and were said before, leave the inbox unread."""
    turns = parts.inbox.turns(claim)
    erased_at = parts.store.about(turns[0].scope).erased_at if turns else None
    erased = {turn.id for turn in turns if is_erased(turn.said_at, erased_at)}
    if erased:
        gone = parts.inbox.drop_turns(claim, erased)
        log.info("erased_turns_dropped", turns=gone)
    return [turn for turn in turns if turn.id not in erased]


def _fresh(turns: Sequence[Turn], known: Iterable[Run]) -> tuple[Turn, ...]:
    """Turns that no run has settled, each once."""
    settled = runs.settled_turns(known)
    once = {turn.id: turn for turn in turns if turn.id not in settled}
    return tuple(once.values())


def _outcome(kept: Kept, served: frozenset[Part]) -> Outcome:
    if kept.plan is None:
        return Outcome(run=None, turns=kept.count, served=served)
    kinds = Counter[str](change.kind for change in kept.plan.changes)
    return Outcome(run=kept.plan.run, turns=kept.count, changes=kinds, served=served)


def _served(plan: Plan | None, *, is_new: bool) -> frozenset[Part]:
    """A plan kept from a crash says nothing of what is up now but the store."""
    if plan is None or not is_new:
        return frozenset({"store"})
    asked: dict[Part, bool] = {
        "store": True,
        "model": plan.usage.total_calls > 0,
        "embedder": plan.facts > 0,
    }
    return frozenset(part for part, was_asked in asked.items() if was_asked)
