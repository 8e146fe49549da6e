"""The Celery app. `celery -A worker.app worker -P threads` is the same as `slowwave worker`."""

import os
import signal
import threading
from typing import Any

import structlog
from celery import Celery, bootsteps
from celery.signals import setup_logging, worker_ready, worker_shutdown, worker_shutting_down

from worker import nightly, tasks, wiring
from worker.adapters.broker import broker
from worker.calendar import LATE_MINUTES, cron_of
from worker.errors import Misconfigured
from worker.hands import HANDS
from worker.log import configure
from worker.pump import Pump
from worker.settings import Settings, load

log = structlog.get_logger()

#: Set by a second signal: what is held is let go of without waiting.
AT_ONCE = threading.Event()

#: Seconds between two bells of the scheduler, a second net under the pump.
NET_SECONDS = 60

#: `celery -A worker.app beat`: optional, and any number of them do no harm, since a bell too many claims nothing.
SCHEDULE: dict[str, Any] = {
    "drain": {
        "task": "slowwave.drain",
        "schedule": NET_SECONDS,
        "args": ("beat",),
        "options": {"expires": NET_SECONDS},
    }
}


def schedule_of(settings: Settings) -> dict[str, Any]:
    """What a beat rings for. Raises `Misconfigured` as `cron_of`."""
    if settings.sleep_at is None:
        return SCHEDULE
    called = {
        "task": "slowwave.call_to_sleep",
        "schedule": cron_of(settings.sleep_at),
        "options": {"expires": LATE_MINUTES * 60},
    }
    return {**SCHEDULE, "call_to_sleep": called}


def broker_of(settings: Settings) -> dict[str, Any]:
    """Where the doorbells go. Raises `Misconfigured` as `broker`."""
    if settings.broker_url:
        return broker(settings.broker_url, "SLOWWAVE_BROKER_URL")
    return broker(wiring.redis_url(settings), "SLOWWAVE_REDIS_URL")


def configuration() -> dict[str, Any]:
    """Celery's settings; read when a worker starts, not when this module is imported."""
    settings = load()
    return {
        **broker_of(settings),
        "result_backend": None,
        "task_ignore_result": True,
        # Doorbells can be lost and doubled: late acknowledgement would only add redeliveries.
        "task_acks_late": False,
        "task_default_queue": "slowwave",
        # A bell that waits behind a busy thread is one that no idle worker hears.
        "worker_disable_prefetch": True,
        "worker_prefetch_multiplier": 1,
        "worker_pool": "threads",
        "worker_concurrency": settings.concurrency,
        "worker_hijack_root_logger": False,
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "broker_connection_retry_on_startup": True,
        # Celery gives up after 100 otherwise; a Redis that is down for an hour is no reason to end.
        "broker_connection_max_retries": None,
        "beat_schedule": schedule_of(settings),
        # The beat's wall clock.
        "timezone": settings.sleep_time_zone,
    }


class NoGreenThreads(bootsteps.Step):
    """Refuses the pools that fake threads, before anything is started."""

    def __init__(self, worker: Any, **options: Any) -> None:
        if worker.pool_cls.is_green:
            raise Misconfigured(
                "the pools gevent and eventlet are refused: Celery never gives out again on Redis what their"
                " workers held when they died, and the clients of model and store block all of a process:"
                " use `slowwave worker`, or -P threads"
            )
        super().__init__(worker, **options)


app = Celery("slowwave", set_as_current=False)
app.add_defaults(configuration)
app.steps["worker"].add(NoGreenThreads)
app.steps["consumer"].add(Pump)
app.task(name="slowwave.drain")(tasks.drain)
app.task(name="slowwave.sleep")(nightly.sleep_due)
app.task(name="slowwave.call_to_sleep")(nightly.call_to_sleep)


@setup_logging.connect
def _logging(**_: Any) -> None:
    configure()


@worker_ready.connect
def _stop_in_one_way(**_: Any) -> None:
    """Celery's harder way, after Ctrl-C again or SIGQUIT, breaks on threads, which cannot be killed."""
    for harder in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(harder, signal.getsignal(signal.SIGTERM))


@worker_shutting_down.connect
def _stop(**_: Any) -> None:
    """Called in a signal's handler, again for each further one."""
    if tasks.STOPPING.is_set():
        AT_ONCE.set()
    else:
        tasks.STOPPING.set()
        threading.Thread(target=_end_in_time, name="grace", daemon=True).start()


def _end_in_time() -> None:
    """Ends a process whose threads do not: a call that waits for a model cannot be told to stop."""
    asked_again = AT_ONCE.wait(load().grace_seconds)
    released = HANDS.let_go()
    nightly.BEDS.let_go()
    log.warning("worker_ended_early", asked_again=asked_again, released=released)
    wiring.close()
    os._exit(128 + signal.SIGINT if asked_again else 0)


@worker_shutdown.connect
def _close(**_: Any) -> None:
    wiring.close()
