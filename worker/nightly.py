"""The work that a doorbell of sleep starts: put to bed whoever has been due longest, one night after the other."""

import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog

from schemas.scope import Scope
from worker import tasks
from worker.adapters.abed import Abed
from worker.adapters.sleepers import Sleeper
from worker.beds import Beds, most_asleep
from worker.calendar import cron_of, slot_of
from worker.core.sleeping.again import (
    AT_ONCE,
    LONG_SECONDS,
    NEVER,
    SOON,
    Bedtime,
    after_failure,
)
from worker.core.sleeping.hours import Habits, may_sleep_from
from worker.core.sleeping.report import Report
from worker.direct.bedtime import next_bedtime, unslept_since
from worker.direct.sleeping import sleep
from worker.errors import Part, SlowwaveError
from worker.parts import Parts
from worker.settings import habits_of, zone_of
from worker.wiring import serving_parts

log = structlog.get_logger()

#: Seconds that a batch may be ready before a night ends for it: so long no thread was free to take it up.
READY_SECONDS = 1.0
#: Bounds of one task, after which other queues of the worker get their turn; a night that has begun goes on.
BUDGET_SECONDS = 20


#: Who sleeps in this process.
BEDS = Beds()


@dataclass(frozen=True)
class Slept:
    """What became of a scope that was due."""

    scope_key: str
    #: Null where it did not go to sleep; of a night that failed, what was done before.
    report: Report | None = None
    #: From when it may sleep, where that was not now.
    not_before: datetime | None = None
    #: Turns that go first.
    waiting: int = 0
    error: SlowwaveError | None = None


def sleep_due(bell: str) -> None:
    """Answer a doorbell of sleep: until nobody is due, or turns wait, or the budget is spent, or the worker stops."""
    try:
        these = serving_parts()
        these.inbox.sleepers.answered(bell)
        with BEDS.taken(most_asleep(these.settings.concurrency)) as found:
            if found:
                _sleep_one_after_the_other(these)
    except SlowwaveError as error:
        log.warning("sleep_waits", reason=str(error))


def call_to_sleep() -> None:
    """A time of the calendar has come: all that are to sleep later are due now, once for all beats."""
    try:
        these = serving_parts()
        cron, zone = cron_of(these.settings.sleep_at or "* * * * *"), these.settings.sleep_time_zone
        slot = slot_of(cron, these.inbox.now(), zone_of(zone))
        scopes = these.inbox.sleepers.call(slot)
    except SlowwaveError as error:
        log.warning("call_to_sleep_failed", reason=str(error))
        return
    if scopes is not None:
        log.info("called_to_sleep", slot=slot, scopes=scopes)


def _sleep_one_after_the_other(these: Parts) -> None:
    def comes_first() -> str | None:
        return _comes_first(these)

    until = time.monotonic() + BUDGET_SECONDS
    while time.monotonic() < until and not comes_first():
        if _next_behind_the_gate(these, comes_first) is None:
            return


def _comes_first(these: Parts) -> str | None:
    if tasks.STOPPING.is_set():
        return "the worker stops"
    if these.inbox.ready(READY_SECONDS):
        return "turns of others wait for a thread: they go first"
    return None


def _next_behind_the_gate(these: Parts, comes_first: Callable[[], str | None]) -> Slept | None:
    gate = these.breaker.ask()
    if gate.is_shut:
        return None
    try:
        return sleep_next(these, comes_first)
    finally:
        tasks.let_go(these, gate)


def sleep_next(these: Parts, comes_first: Callable[[], str | None]) -> Slept | None:
    """Put to bed whoever has been due longest; nothing if nobody is.

    Whatever becomes of it, the scope is called again when it is time. An unknown error is a bug and rises.
    """
    sleepers = these.inbox.sleepers
    if (sleeper := sleepers.claim()) is None:
        return None
    again = Bedtime(after_seconds=LONG_SECONDS)
    abed = Abed(sleepers, sleeper)
    try:
        with (
            structlog.contextvars.bound_contextvars(scope=sleeper.scope_key),
            BEDS.holding(these, abed),
            abed,
        ):
            night, again = _put_to_bed(these, abed, comes_first)
    except KeyboardInterrupt:
        again = AT_ONCE
        raise
    finally:
        # Where Redis does not hear of it, the scope counts as lost after a while and goes back to the line.
        with suppress(SlowwaveError):
            sleepers.end(abed.sleeper, again)
    return night


def _put_to_bed(
    these: Parts, abed: Abed, comes_first: Callable[[], str | None]
) -> tuple[Slept, Bedtime]:
    sleeper = abed.sleeper
    told: list[Report] = []
    try:
        return _slept(these, abed, comes_first, told.append)
    except SlowwaveError as error:
        again = after_failure(error, random.random())  # noqa: S311
        log.warning("night_failed", reason=str(error), again_in_seconds=again.after_seconds)
        if error.part:
            # Where Redis does not hear of it, the next failure tells.
            with suppress(SlowwaveError):
                failing = these.breaker.failed(error.part, sleeper)
                tasks.look_into(these, error.part, error, failing)
        done = next((one for one in told if one.passes), None)
        return Slept(sleeper.scope_key, done, error=error), again


def _slept(
    these: Parts,
    abed: Abed,
    comes_first: Callable[[], str | None],
    if_it_fails: Callable[[Report], None],
) -> tuple[Slept, Bedtime]:
    sleeper = abed.sleeper
    scope = these.store.scope(sleeper.scope_key)
    if scope is None:
        return Slept(sleeper.scope_key), NEVER
    if sleeper.waiting:
        return Slept(scope.key, waiting=sleeper.waiting), SOON
    habits = habits_of(these.settings, scope.app)
    start = _start(these, scope, sleeper, habits)
    if start > sleeper.claimed_at:
        return Slept(scope.key, not_before=start), Bedtime(at=start)

    began = time.monotonic()

    def others_first() -> str | None:
        if abed.is_lost:
            return "another goes on with this night"
        now = sleeper.claimed_at + timedelta(seconds=time.monotonic() - began)
        over = may_sleep_from(now, None, habits) > now
        return "the hours to sleep in are over" if over else comes_first()

    # What a night removes is gone for good: a clock that is ahead, ours or the queue's, must not tell when.
    now = min(datetime.now(UTC), sleeper.claimed_at)
    report = sleep(these, scope, now, comes_first=others_first, if_it_fails=if_it_fails)
    _tell(these, sleeper, report)
    if report.stopped and tasks.STOPPING.is_set():
        return Slept(scope.key, report), AT_ONCE
    again = next_bedtime(these, report, now)
    # Ours is behind: what the queue calls past is still to come for us, and would be as often as we came at once.
    is_past = again.at is not None and again.at <= sleeper.claimed_at
    return Slept(scope.key, report), SOON if is_past else again


def _start(these: Parts, scope: Scope, sleeper: Sleeper, habits: Habits) -> datetime:
    """From when it may sleep. Only where people go on speaking it is looked for how long they have."""
    now, last = sleeper.claimed_at, sleeper.last_turn_at
    start = may_sleep_from(now, last, habits)
    if start == may_sleep_from(now, None, habits):
        return start
    return may_sleep_from(now, last, habits, unslept_since(these, scope, now))


def _tell(these: Parts, sleeper: Sleeper, report: Report) -> None:
    served: set[Part] = {"store", "model"} if report.calls else {"store"}
    with suppress(SlowwaveError):
        these.breaker.served(served, sleeper)
    log.info(
        "night_ended", changes=report.changes, calls=report.calls, stopped=report.stopped or ""
    )
