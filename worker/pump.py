"""The pump: in every worker, rings as many doorbells as there is due work.

It stops and starts with the broker connection. No worker leads, so none can be missing: a bell that is
lost is rung again when its time runs out, one too many finds nothing to claim.
"""

import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import structlog
from celery import bootsteps
from celery.exceptions import OperationalError
from redis.exceptions import RedisError

from worker.beds import most_asleep
from worker.errors import SlowwaveError
from worker.nightly import BEDS, READY_SECONDS, sleep_due
from worker.tasks import drain
from worker.wiring import serving_parts

log = structlog.get_logger()

#: Seconds between two looks at the queue.
TICK_SECONDS = 0.2
#: Seconds of rest after a look that failed.
REST_SECONDS = 5.0
#: Seconds between two looks for scopes that are due for sleep.
SLEEP_TICK_SECONDS = 1.0
#: Seconds between two looks for scopes that the store need not keep in memory.
PUT_AWAY_SECONDS = 15.0
#: Seconds after which a bell that nobody answered counts as lost.
BELL_SECONDS = 10


#: What the bells of the two lines start.
DRAIN, SLEEP = "slowwave.drain", "slowwave.sleep"
WORK: dict[str, Callable[[str], None]] = {DRAIN: drain, SLEEP: sleep_due}


class Pump(bootsteps.StartStopStep):
    """A timer on the worker's consumer."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        self._timers: list[Any] = []
        self._rests_until = 0.0

    def start(self, consumer: Any) -> None:
        self._remind()
        self._timers = [
            consumer.timer.call_repeatedly(TICK_SECONDS, self._tick, (consumer, ring, DRAIN)),
            consumer.timer.call_repeatedly(
                SLEEP_TICK_SECONDS, self._tick, (consumer, ring_for_sleep, SLEEP)
            ),
            consumer.timer.call_repeatedly(PUT_AWAY_SECONDS, delegate, (consumer.pool, put_away)),
        ]
        # Where the connection is lost, nobody needs the bells that wait for a thread; kombu would try to give them
        # back, fail, and write them to a file.
        consumer.task_consumer.channel.do_restore = False

    def _remind(self) -> None:
        """A Redis that comes back without its data knows no limits and no number of partitions any more."""
        try:
            these = serving_parts()
            these.inbox.configure(these.settings.limits)
        except SlowwaveError as error:
            log.warning("pump_waits", reason=str(error))

    def _tick(self, consumer: Any, look: Callable[[], list[str]], work: str) -> None:
        if time.monotonic() < self._rests_until:
            return
        try:
            for bell in look():
                send(consumer.app, consumer.pool, bell, work)
        except SlowwaveError as error:
            self._rests_until = time.monotonic() + REST_SECONDS
            log.warning("pump_waits", reason=str(error))

    def stop(self, consumer: Any) -> None:
        if consumer.connection is not None:
            consumer.task_consumer.channel.do_restore = True
        for timer in self._timers:
            timer.cancel()
        self._timers = []


def ring() -> list[str]:
    """Doorbells to send: one for each scope that is due and has none out; none while a part rests, then one.

    Raises as `open_parts`.
    """
    wanted = serving_parts()
    gate = wanted.breaker.look()
    if gate.is_shut:
        return []
    most = 1 if gate.part else wanted.settings.concurrency
    bells = [str(uuid4()) for _ in range(most)]
    count = wanted.inbox.ring(bells, BELL_SECONDS, most)
    return bells[:count]


def ring_for_sleep() -> list[str]:
    """As `ring`, for scopes that are due for sleep: none while anybody's turns wait for a thread."""
    wanted = serving_parts()
    settings, most = wanted.settings, most_asleep(wanted.settings.concurrency)
    if not settings.sleep_by_workers or not BEDS.has_room(most):
        return []
    gate = wanted.breaker.look()
    if gate.is_shut or wanted.inbox.ready(READY_SECONDS):
        return []
    most = 1 if gate.part else most
    bells = [str(uuid4()) for _ in range(most)]
    return bells[: wanted.inbox.sleepers.ring(bells, BELL_SECONDS, most)]


def send(app: Any, pool: Any, bell: str, work: str) -> None:
    """Ring through the broker; one that takes no message (it is full, say) is not needed to empty the queue."""
    try:
        app.send_task(work, args=(bell,), expires=BELL_SECONDS)
    except (RedisError, OperationalError) as error:
        log.warning("broker_takes_no_bell", reason=f"{type(error).__name__}: {error}")
        delegate(pool, WORK[work], bell)


def put_away() -> None:
    """Let the store rest what this process has not touched for a while; one that cannot is asked again later."""
    try:
        rested = serving_parts().store.rest()
    except SlowwaveError as error:
        log.warning("store_does_not_rest", reason=str(error))
        return
    if rested:
        log.info("scopes_rest", scopes=rested)


def delegate(pool: Any, work: Callable[..., None], *arguments: str) -> None:
    """To a thread that may block, unlike the timer's."""
    pool.apply_async(work, arguments, callback=_answered)


def _answered(_: object) -> None:
    """A pool calls back with what its work gave; a drain gives nothing."""
