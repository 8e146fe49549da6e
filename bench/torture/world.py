"""The place of the torture: servers, model and workers under one folder, and what replaces the dead."""

import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import structlog

from bench.redis_process import RedisProcess
from bench.scripted_model import ScriptedModel
from bench.torture.fate import ORDERS, Orders
from bench.torture.ledger import ENOUGH
from bench.torture.model import script, slow_now_and_then
from bench.worker_process import WorkerProcess, worker_settings
from worker import wiring
from worker.errors import SlowwaveError
from worker.parts import Parts
from worker.settings import Settings

log = structlog.get_logger()

WORKER = ("-m", "bench.torture.worker", "worker", "--json")
#: The shortest lease that there is: what is frozen for longer has lost its scopes.
LEASE_SECONDS = 3
#: Longer than that, so that what the worker held is another's when it wakes up.
FROZEN_SECONDS = (LEASE_SECONDS + 0.3, LEASE_SECONDS + 5)
#: Turns that may wait before publishing pauses.
MOST_PENDING = 300
TICK_SECONDS = 0.1


@dataclass
class World:
    """Everything that can fail."""

    folder: Path
    redis: RedisProcess
    ledger: RedisProcess
    model: ScriptedModel
    settings: dict[str, str]
    parts: Parts
    #: Of the workers.
    orders: Orders
    rng: Random
    workers: list[WorkerProcess] = field(default_factory=list)
    #: What was done to it.
    done: Counter[str] = field(default_factory=Counter)
    #: Turns that wait, when last seen.
    pending: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _started: int = 0
    #: Frozen workers → when they go on.
    _thaws: dict[int, float] = field(default_factory=dict)

    def hire(self) -> None:
        """Start one more worker."""
        self._started += 1
        # Each worker has its own chance, the same for the same seed.
        orders = replace(self.orders, seed=self.orders.seed * 1_000_000 + self._started)
        settings = {**self.settings, ORDERS: orders.json()}
        self.workers.append(WorkerProcess(self.folder, f"worker{self._started}", settings, WORKER))

    def attend(self) -> None:
        """To the workers, several times a second."""
        self._replace_the_dead()
        self._thaw_the_frozen()

    def _replace_the_dead(self) -> None:
        """One that ended by itself is counted."""
        with self._lock:
            for dead in [one for one in self.workers if not one.is_alive]:
                self.workers.remove(dead)
                if dead.status != -signal.SIGKILL:
                    self.done["ended_by_themselves"] += 1
                    log.warning("worker_ended", status=dead.status)
                self.hire()

    def _thaw_the_frozen(self) -> None:
        now = time.monotonic()
        for frozen in [one for one in self.workers if one.is_frozen]:
            wakes = now + self.rng.uniform(*FROZEN_SECONDS)
            if now > self._thaws.setdefault(frozen.pid, wakes):
                del self._thaws[frozen.pid]
                frozen.thaw()

    def look(self) -> None:
        with suppress(SlowwaveError):
            self.pending = self.parts.inbox.status().pending_turns

    def some_worker(self, rng: Random) -> WorkerProcess | None:
        """One that is at work."""
        with self._lock:
            working = [one for one in self.workers if one.is_ready and one.is_alive]
            return rng.choice(working) if working else None

    def relieve(self) -> None:
        """From now on nobody dies by itself."""
        with self.ledger.client() as ledger:
            ledger.set(ENOUGH, 1)

    @property
    def is_full(self) -> bool:
        return self.pending > MOST_PENDING


#: Of the workers, beside what every bench needs: waits are short beside the time of a run.
OWN = {
    "model_timeout_seconds": 10,
    "model_patience_seconds": 1,
    "resolver": "replace",
    "lease_seconds": LEASE_SECONDS,
    "concurrency": 2,
    "quiet_seconds": 0.5,
    "max_wait_seconds": 3,
    # So that what is published again later reaches the store, which has to know it.
    "seen_seconds": 10,
}


@contextmanager
def world(folder: Path, store: str, rng: Random, orders: Orders) -> Iterator[World]:
    """Everything runs while this is entered; afterwards nothing does."""
    with ExitStack() as stack:
        redis = stack.enter_context(RedisProcess(folder / "redis", "always"))
        ledger = stack.enter_context(RedisProcess(folder / "ledger", "no"))
        model = ScriptedModel(script(Random(rng.random())), slow_now_and_then(Random(rng.random())))
        stack.enter_context(model)
        where = {} if store == "sqlite" else {"store_url": store}
        given = worker_settings(folder, redis.url, model.url, **OWN, **where)
        fields = {name.removeprefix("SLOWWAVE_").lower(): value for name, value in given.items()}
        stack.callback(wiring.close)
        parts = wiring.open_parts(Settings.model_validate({**fields, "_env_file": None}))
        parts.inbox.configure(parts.settings.limits)
        told, own = replace(orders, ledger=ledger.url), Random(rng.random())
        made = World(folder, redis, ledger, model, given, parts, told, own)
        stack.callback(lambda: [one.kill() for one in made.workers])
        yield made
