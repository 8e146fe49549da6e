"""The work that a doorbell starts: claim whoever has waited longest, one batch a claim."""

import random
import threading
import time
from datetime import UTC, datetime

import structlog

from worker.adapters.inbox import Claim
from worker.core.retry import Decision, Stake, decide
from worker.errors import LeaseLost, Misconfigured, SlowwaveError, Unprocessable
from worker.pipeline import Outcome, Parts, consolidate, kept_by
from worker.wiring import serving_parts

log = structlog.get_logger()

#: Set when the worker was asked to stop: what is held is finished, nothing more is claimed.
STOPPING = threading.Event()

#: Bounds of one task, after which other queues of the worker get their turn.
BUDGET_SECONDS = 20
BUDGET_BATCHES = 50


def drain(bell: str) -> None:
    """Answer a doorbell: work until nothing is due, or the budget is spent, or the worker stops."""
    try:
        these = serving_parts()
        these.inbox.answered(bell)
        _work_off(these)
    except SlowwaveError as error:
        log.warning("drain_waits", reason=str(error))


def _work_off(these: Parts) -> None:
    until = time.monotonic() + BUDGET_SECONDS
    for _ in range(BUDGET_BATCHES):
        if STOPPING.is_set() or time.monotonic() > until or not settle_next(these):
            return


def settle_next(these: Parts) -> Claim | None:
    """Consolidate one batch of whoever is due longest; the claim, or nothing if nobody is due."""
    claim = these.inbox.claim()
    if claim is not None:
        with structlog.contextvars.bound_contextvars(scope=claim.scope_key, fence=claim.fence):
            settle(these, claim)
    return claim


def settle(these: Parts, claim: Claim) -> Outcome | None:
    """Consolidate, and carry out what follows from a failure. An unknown error is a bug and rises."""
    try:
        _refuse_what_kills(these, claim)
        outcome = consolidate(these, claim, datetime.now(UTC))
    except LeaseLost as error:
        log.warning("lease_lost", reason=str(error))
        return None
    except SlowwaveError as error:
        _fail(these, claim, error)
        return None
    log.info("batch_settled", run=str(outcome.run), turns=outcome.turns, **outcome.changes)
    return outcome


def _refuse_what_kills(these: Parts, claim: Claim) -> None:
    """What cannot be made smaller and has used up its attempts without an error has killed its workers."""
    if claim.attempt > these.settings.max_attempts and _stake(these, claim).is_whole:
        raise Unprocessable(
            f"{claim.attempt - 1} attempts ended with the death of the worker or were given up:"
            " look at it before you replay it"
        )


def _stake(these: Parts, claim: Claim) -> Stake:
    kept = kept_by(these.inbox, claim)
    return Stake(kept.count, has_plan=True) if kept else Stake(these.inbox.held(claim))


def _fail(these: Parts, claim: Claim, error: SlowwaveError) -> None:
    """Put the batch aside or back; where even that fails, the lease runs out and the scope is claimed again."""
    try:
        _give_back(these, claim, error)
    except LeaseLost as lost:
        log.warning("lease_lost", reason=str(lost))
    except SlowwaveError as failed:
        log.warning("batch_left_to_its_lease", reason=str(failed), after=str(error))


def _give_back(these: Parts, claim: Claim, error: SlowwaveError) -> None:
    stake = Stake(1) if isinstance(error, Misconfigured) else _stake(these, claim)
    match decide(error, claim.attempt, stake, these.settings.max_attempts, random.random()):  # noqa: S311
        case Decision(park=True):
            log.error("batch_parked", reason=str(error), turns=stake.turns, attempts=claim.attempt)
            these.inbox.park(claim, stake.turns, str(error))
        case Decision(after_seconds=seconds, burn=burn):
            log.warning("batch_failed", reason=str(error), again_in_seconds=round(seconds, 1))
            these.inbox.fail(claim, seconds, burn=burn)
