"""The Celery app. `celery -A worker.app worker -P threads` is the same as `slowwave worker`."""

from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_shutdown, worker_shutting_down

from worker import log, tasks, wiring
from worker.pump import Pump
from worker.settings import load

#: Seconds between two bells of the scheduler, a second net under the pump.
NET_SECONDS = 60

#: `celery -A worker.app beat`: optional, and any number of them do no harm, since a bell too many claims nothing.
SCHEDULE = {
    "drain": {
        "task": "slowwave.drain",
        "schedule": NET_SECONDS,
        "args": ("beat",),
        "options": {"expires": NET_SECONDS},
    }
}


def configuration() -> dict[str, Any]:
    """Celery's settings; read when a worker starts, not when this module is imported."""
    settings = load()
    return {
        "broker_url": settings.broker_url or wiring.redis_url(settings),
        "result_backend": None,
        "task_ignore_result": True,
        # Doorbells can be lost and doubled: late acknowledgement would only add redeliveries.
        "task_acks_late": False,
        "task_default_queue": "slowwave",
        "worker_prefetch_multiplier": 1,
        "worker_pool": "threads",
        "worker_concurrency": settings.concurrency,
        "worker_hijack_root_logger": False,
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "broker_connection_retry_on_startup": True,
        "beat_schedule": SCHEDULE,
        "broker_transport_options": {
            "global_keyprefix": "slowwave:celery:",
            "socket_timeout": 5,
            "socket_keepalive": True,
            "unacked_restore_interval": 5,
            "unacked_restore_throttle": 1,
        },
    }


app = Celery("slowwave", set_as_current=False)
app.add_defaults(configuration)
app.steps["consumer"].add(Pump)
app.task(name="slowwave.drain")(tasks.drain)


@setup_logging.connect
def _logging(**_: Any) -> None:
    log.configure()


@worker_shutting_down.connect
def _stop_claiming(**_: Any) -> None:
    tasks.STOPPING.set()


@worker_shutdown.connect
def _close(**_: Any) -> None:
    wiring.close()
