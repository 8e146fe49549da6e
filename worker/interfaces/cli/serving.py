"""A Celery worker in this process, until it is asked to stop."""

import os
import socket
import sys
from collections.abc import Callable
from uuid import uuid4

from celery.signals import worker_ready, worker_shutting_down

from worker import wiring
from worker.app import app
from worker.errors import Unavailable
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.opening import configured
from worker.interfaces.cli.output import note
from worker.settings import Settings, load

Ready = Callable[[Settings], None]


def serve(concurrency: int | None, ready: Ready) -> None:
    """Work until SIGTERM or Ctrl-C. Calls `ready` once the worker listens. Raises `Failed` if it ends badly."""
    if concurrency is not None:
        os.environ["SLOWWAVE_CONCURRENCY"] = str(concurrency)
    # Celery's settings are read from the environment, so the embedded server's address goes there.
    os.environ["SLOWWAVE_REDIS_URL"] = wiring.redis_url(configured())
    settings = load()
    _open_early()

    def _listening(**_: object) -> None:
        ready(settings)

    worker_ready.connect(_listening)
    # Celery says goodbye on `__stdout__`, where only answers belong.
    sys.__stdout__ = sys.__stderr__  # type: ignore[misc]
    _run(settings.concurrency)


def _open_early() -> None:
    """What is set wrong stops the start with its reason; what is out of reach is waited for."""
    try:
        wiring.parts()
    except Unavailable as error:
        note(f"slowwave: not everything is reachable yet, the worker waits: {error}")


def _run(concurrency: int) -> None:
    asked: list[str] = []

    def _asked_to_stop(how: str = "", **_: object) -> None:
        asked.append(how)

    worker_shutting_down.connect(_asked_to_stop)
    worker = app.Worker(
        hostname=f"slowwave-{uuid4().hex[:8]}@{socket.gethostname()}",
        pool_cls="threads",
        concurrency=concurrency,
        loglevel="WARNING",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    # Celery counts Ctrl-C as a failure; here it is the way to end.
    if worker.exitcode and asked != ["Warm"]:
        raise Failed(f"the worker stopped with status {worker.exitcode}: its log says why")
