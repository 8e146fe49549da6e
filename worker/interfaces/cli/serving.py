"""A Celery worker in this process, until it is asked to stop."""

import logging
import os
import socket
import sys
from collections.abc import Callable
from uuid import uuid4

import structlog
from celery.signals import worker_ready, worker_shutting_down
from redis.exceptions import RedisError

from worker import wiring
from worker.adapters.redis_server import reachable
from worker.app import app
from worker.errors import Unavailable
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.opening import configured
from worker.interfaces.cli.output import note
from worker.settings import Settings, load

Ready = Callable[[Settings], None]

log = structlog.get_logger()

#: Loggers of Celery and its transport, which say nothing unless someone listens.
CELERY = ("celery", "kombu")


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
        wiring.serving_parts()
    except Unavailable as error:
        note(f"slowwave: not everything is reachable yet, the worker waits: {error}")


class Overheard(logging.Handler):
    """What Celery warns of goes where our own log goes; the error that ends it is kept."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.last: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.CRITICAL and record.exc_info:
            self.last = record.exc_info[1]
        else:
            log.log(record.levelno, "celery", reason=record.getMessage(), exc_info=record.exc_info)


def _run(concurrency: int) -> None:
    asked: list[str] = []
    overheard = Overheard()
    for name in CELERY:
        logging.getLogger(name).addHandler(overheard)

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
    _explain(overheard.last)
    # Celery counts Ctrl-C as a failure; here it is the way to end.
    if worker.exitcode and asked != ["Warm"]:
        raise Failed(f"the worker stopped with status {worker.exitcode}: its log says why")


def _explain(error: BaseException | None) -> None:
    """Raises what ended the worker; what the broker refused says what to do."""
    with reachable():
        if isinstance(error, RedisError):
            raise error
    if error is not None:
        raise error
