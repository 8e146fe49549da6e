"""Where the demo plays: a queue, a store and a real worker process, cleaned up afterwards."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

from producers.producer import Producer
from schemas.line import TurnLine
from schemas.plan import Run
from schemas.scope import Scope
from worker import wiring
from worker.adapters.inbox import Inbox
from worker.adapters.redis_server import connect
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.output import note
from worker.interfaces.cli.process import WorkerProcess, worker_process
from worker.parts import Parts
from worker.settings import Settings

#: Seconds between two looks at what the worker has done.
LOOK_SECONDS = 0.05
#: Seconds that a session may take without a model, the worker's start included.
PATIENCE_SECONDS = 60.0
#: Replies of a model that a session may wait for in vain.
PATIENCE_REPLIES = 4
#: How often a session may fail before the demo ends.
FAILURES = 3


@dataclass(frozen=True)
class Place:
    """Settings of the demo, and the folder it made for itself, if it made one."""

    settings: Settings
    folder: Path | None
    #: Null where nobody else is in the place.
    user: str | None


@contextmanager
def place_for(settings: Settings, *, keep: bool) -> Iterator[Place]:
    """A fresh folder, gone afterwards unless it is to be kept.

    Where a Redis or a store is set, those, with a user of the demo's own.
    """
    if settings.redis_url or settings.store_url:
        yield Place(settings, None, f"demo-{uuid4().hex[:8]}")
        return
    folder = Path(tempfile.mkdtemp(prefix="slowwave-demo-"))
    try:
        yield Place(settings.model_copy(update={"data_dir": folder}), folder, None)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


class Stage:
    """The demo's own hands on the queue and the store; all learning is done by the worker process."""

    def __init__(self, parts: Parts, producer: Producer, worker: WorkerProcess) -> None:
        self.parts = parts
        self._producer = producer
        self._worker = worker
        self._seen: set[UUID] = set()

    def hear(self, scope: Scope, turns: tuple[TurnLine, ...]) -> tuple[Run, ...]:
        """Publish, wait until the worker has settled everything, and answer the new runs, oldest first."""
        self._publish(turns)
        self.parts.inbox.flush(scope.key)
        self._wait(scope)
        runs = [run for run in self.parts.store.runs(scope) if run.id not in self._seen]
        self._seen.update(run.id for run in runs)
        return tuple(reversed(runs))

    def _publish(self, turns: tuple[TurnLine, ...]) -> None:
        for answer in self._producer.publish_many(turns):
            if answer.status not in {"accepted", "duplicate"}:
                raise Failed(f"a turn was not taken ({answer.status}): {answer.message}")

    def _wait(self, scope: Scope) -> None:
        until, failures = time.monotonic() + self._patience(), 0
        while self.parts.inbox.pending(scope.key):
            self._worker.check()
            for reason in self._worker.failures():
                note(f"the worker tries again: {reason}")
                failures += 1
            if failures >= FAILURES:
                raise Failed(
                    "the worker failed too often, see the reasons above: mend them and try again"
                )
            if time.monotonic() > until:
                raise Failed(
                    f"nothing came of it in {self._patience():.0f} s. {self._worker.last_words()}"
                )
            time.sleep(LOOK_SECONDS)

    def _patience(self) -> float:
        settings = self.parts.settings
        replies = 0 if settings.model == "rules" else PATIENCE_REPLIES
        return PATIENCE_SECONDS + replies * settings.model_timeout_seconds


@contextmanager
def stage(place: Place, overrides: Mapping[str, str]) -> Iterator[Stage]:
    """Everything running; stopped at the end, on Ctrl-C and on an error alike."""
    logs = Path(tempfile.mkdtemp(prefix="slowwave-log-"))
    try:
        url = wiring.redis_url(place.settings)
        environment = _environment(place, url, {**_limits_of(place.settings, url), **overrides})
        with worker_process(environment, logs / "worker.log") as worker:
            parts = wiring.open_parts(place.settings)
            # The client of the workers: a demo may wait longer than a chat.
            with connect(url) as client:
                yield Stage(parts, Producer(client), worker)
    finally:
        wiring.close()
        shutil.rmtree(logs, ignore_errors=True)


def _limits_of(settings: Settings, url: str) -> dict[str, str]:
    """The fleet's, where there is one: its limits are not the demo's to set."""
    with connect(url) as client:
        limits = Inbox(client, settings.redis_partitions).stored_limits()
    stored = limits.model_dump() if limits else {}
    return {f"SLOWWAVE_{name.upper()}": str(value) for name, value in stored.items()}


def _environment(place: Place, redis_url: str, overrides: Mapping[str, str]) -> dict[str, str]:
    """The worker's: the same settings as ours, and no broker that others listen at."""
    own = {"SLOWWAVE_BROKER_URL": redis_url} if place.folder else {}
    data = {"SLOWWAVE_DATA_DIR": str(place.settings.data_dir)}
    return {**os.environ, **own, **data, "SLOWWAVE_REDIS_URL": redis_url, **overrides}
