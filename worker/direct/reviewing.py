"""A person accepts what the cap held back."""

from contextlib import suppress
from datetime import datetime
from uuid import UUID

from schemas.memory import Memory
from schemas.plan import Plan
from schemas.turn import Turn
from worker.adapters.apply import apply
from worker.adapters.inbox import Claim
from worker.adapters.lease import Lease
from worker.adapters.parking import Letter
from worker.core import runs
from worker.core.accepting import accepted, check_stands
from worker.core.ports import Store
from worker.errors import Retryable, SlowwaveError, Unprocessable
from worker.parts import Parts
from worker.pipeline import finish_open_runs, kept_by


def accept(parts: Parts, letter: Letter, now: datetime) -> Plan:
    """Apply a parked turn's proposal under its scope's lease; the turn is settled then. Doing it again is harmless.

    Raises `Retryable` while a worker holds the scope, `PlanConflict` where the memories have moved on,
    `Unprocessable` where there is nothing to accept: then nothing was changed.
    """
    turn = letter.turn
    if turn is None or not letter.parked.proposal:
        raise Unprocessable(
            f"{letter.id} has no proposal ({letter.parked.reason}): replay or drop it"
        )
    claim = _claimed(parts, letter.scope_key)
    try:
        plan = _accepted(parts, claim, turn, letter, now)
    except BaseException:
        with suppress(SlowwaveError):
            parts.inbox.release(claim)
        raise
    parts.inbox.release(claim, [letter.id])
    return plan


def _claimed(parts: Parts, scope_key: str) -> Claim:
    claim = parts.inbox.claim_scope(scope_key)
    if claim is None:
        raise Retryable(f"a worker holds scope {scope_key} just now: try again in a moment")
    return claim


def _accepted(parts: Parts, claim: Claim, turn: Turn, letter: Letter, now: datetime) -> Plan:
    if kept_by(parts.inbox, claim) is not None:
        raise Retryable(
            f"a batch of scope {claim.scope_key} was left half done and comes first: let a worker or"
            " `slowwave drain` finish it, then try again"
        )
    with Lease(parts.inbox, claim) as lease:
        finish_open_runs(parts.store, turn.scope, lease)
        known = list(parts.store.runs(turn.scope, [turn.id]))
        plan = accepted(turn, letter.parked.proposal, runs.fruitless(known), now)
        if any(run.id == plan.run and run.state == "applied" for run in known):
            return plan
        _refuse_what_is_gone(parts, letter)
        _refuse_settled(turn, runs.settled_turns(known))
        check_stands(plan, _live(parts.store, plan))
        apply(parts.store, plan, lease)
        return plan


def _refuse_what_is_gone(parts: Parts, letter: Letter) -> None:
    """A person may have dropped or replayed it since it was listed."""
    if letter.id not in {one.id for one in parts.inbox.parking.letters(letter.scope_key)}:
        raise Unprocessable(f"{letter.id} is parked no more: nothing was done")


def _refuse_settled(turn: Turn, settled: frozenset[UUID]) -> None:
    if turn.id in settled:
        raise Unprocessable(
            f"turn {turn.id} was published again and consolidated since: nothing was done, drop it"
        )


def _live(store: Store, plan: Plan) -> dict[UUID, Memory]:
    return {one.memory.id: one.memory for one in store.memories(plan.scope, plan.base)}
