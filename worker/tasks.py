"""The work that a doorbell starts: claim whoever has waited longest, one batch a claim."""

import random
import threading
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

import structlog

from worker.adapters.breaker import Gate
from worker.adapters.inbox import Claim
from worker.core.failing.breaker import Failing, is_own, rest_seconds
from worker.core.failing.retry import Decision, Stake, decide
from worker.errors import (
    LeaseLost,
    Misconfigured,
    Part,
    PlanConflict,
    Retryable,
    SlowwaveError,
    TooSlow,
    Unprocessable,
)
from worker.hands import HANDS
from worker.parts import Parts
from worker.pipeline import Outcome, consolidate, give_up, kept_by
from worker.vouching import answers
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
    """Consolidate one batch of whoever is due longest; the claim, or nothing if nobody is due or a part rests."""
    gate = these.breaker.ask()
    if gate.is_shut:
        return None
    try:
        claim = these.inbox.claim()
        if claim is not None:
            settle(these, claim)
    finally:
        let_go(these, gate)
    return claim


def let_go(these: Parts, gate: Gate) -> None:
    """Where Redis does not hear of it, the probe is given to another after a while."""
    with suppress(SlowwaveError):
        these.breaker.let_go(gate)


def settle(these: Parts, claim: Claim, now: datetime | None = None) -> Outcome | None:
    """Consolidate, and carry out what follows from a failure. An unknown error is a bug and rises.

    `now` is another time than the clock's, where a conversation of another time is lived through once more.
    """
    bound = structlog.contextvars.bound_contextvars(scope=claim.scope_key, fence=claim.fence)
    with bound, HANDS.holding(these.inbox, claim):
        return _settle(these, claim, now or datetime.now(UTC))


def _settle(these: Parts, claim: Claim, now: datetime) -> Outcome | None:
    try:
        _refuse_what_kills(these, claim)
        outcome = consolidate(these, claim, now)
    except LeaseLost as error:
        log.warning("lease_lost", reason=str(error))
        return None
    except SlowwaveError as error:
        _fail(these, claim, error)
        return None
    # The batch is done; where Redis does not hear who served it, the next one tells.
    with suppress(SlowwaveError):
        these.breaker.served(outcome.served, claim)
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
    failing = these.breaker.failed(error.part, claim) if error.part else None
    alone = error.may_be_text and failing is not None and is_own(failing)
    stake = replace(_stake_after(these, claim, error), failed_alone=alone, misses=claim.misses)
    match decide(error, claim.attempt, stake, these.settings.max_attempts, random.random()):  # noqa: S311
        case Decision(park=True):
            log.error("batch_parked", reason=str(error), turns=stake.turns, attempts=claim.attempt)
            if stake.has_plan and not isinstance(error, PlanConflict):
                give_up(these, claim)
            these.inbox.park(claim, stake.turns, str(error))
        case Decision(after_seconds=seconds, burn=burn, halve=halve):
            log.warning("batch_failed", reason=str(error), again_in_seconds=round(seconds, 1))
            these.inbox.fail(claim, seconds, burn=burn, halve=halve, reason=str(error))
            if error.part and failing:
                look_into(these, error.part, error, failing)


def _stake_after(these: Parts, claim: Claim, error: SlowwaveError) -> Stake:
    """What makes a kept plan unreadable keeps it from being read here as well."""
    if isinstance(error, Misconfigured) and error.part is None:
        return Stake(1)
    return _stake(these, claim)


def look_into(these: Parts, part: Part, error: SlowwaveError, failing: Failing) -> None:
    """What fails everyone is put to rest; what may fail one text alone is asked something else."""
    if seconds := rest_seconds(failing):
        these.breaker.rest(part, failing, seconds)
        log.warning("part_rests", part=part, seconds=seconds, reason=str(error))
    elif _is_worth_asking(error) and answers(these, part):
        these.breaker.answered(part, failing)


def _is_worth_asking(error: SlowwaveError) -> bool:
    """Not where it was too slow, or does not take such requests: that it answers something short says little then."""
    is_fault = isinstance(error, Retryable) and not isinstance(error, TooSlow)
    return is_fault and error.may_be_text and not STOPPING.is_set()
