"""What is done to the torture's world: the same faults in the same order for the same seed."""

import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import structlog

from bench.scripted_model import State
from bench.torture.world import World

log = structlog.get_logger()

#: Seconds between two faults.
PAUSE = (1.0, 8.0)
#: Fault → how often it comes, relative to the others.
OFTEN = {"kill": 28, "freeze": 6, "redis": 2, "model": 1, "store": 1}


@dataclass
class Faults:
    """Happen in a thread of their own; outages last while others go on."""

    world: World
    rng: Random
    #: Longest outage.
    outage_seconds: float
    _over: threading.Event = field(default_factory=threading.Event)
    _outages: list[threading.Thread] = field(default_factory=list)

    def run(self) -> None:
        """One after the other, until `stop`."""
        kinds: dict[str, Callable[[], None]] = {
            "kill": self._kill,
            "freeze": self._freeze,
            "redis": self._redis,
            "model": self._model,
            "store": self._store,
        }
        while not self._over.wait(self.rng.uniform(*PAUSE)):
            (name,) = self.rng.choices(list(OFTEN), list(OFTEN.values()))
            log.info("fault_made", kind=name, turns_waiting=self.world.pending)
            kinds[name]()

    def stop(self) -> None:
        """Every outage has ended when this returns."""
        self._over.set()

    def wait(self) -> None:
        for outage in self._outages:
            outage.join()

    def _kill(self) -> None:
        if worker := self.world.some_worker(self.rng):
            self.world.done["kills"] += worker.kill()

    def _freeze(self) -> None:
        if worker := self.world.some_worker(self.rng):
            self.world.done["stops"] += 1
            worker.freeze()

    def _redis(self) -> None:
        self.world.done["redis_kills"] += 1
        self.world.redis.kill()
        time.sleep(self.rng.uniform(0, 1))
        self.world.redis.start()

    def _model(self) -> None:
        states: tuple[State, ...] = ("failing", "gone")
        self.world.done["model_outages"] += 1
        self.world.model.become(self.rng.choice(states))
        self._later(self._seconds(), lambda: self.world.model.become("up"))

    def _store(self) -> None:
        """The file is locked. Of a server that is not ours nothing is taken away."""
        seconds = self._seconds()
        path = Path(self.world.settings["SLOWWAVE_STORE_URL"].removeprefix("sqlite:///"))
        if path.exists():
            self.world.done["store_outages"] += 1
            self._outages.append(threading.Thread(target=_lock, args=(path, seconds)))
            self._outages[-1].start()

    def _seconds(self) -> float:
        return self.rng.uniform(0.5, self.outage_seconds)

    def _later(self, seconds: float, end: Callable[[], None]) -> None:
        self._outages.append(threading.Timer(seconds, end))
        self._outages[-1].start()


def _lock(path: Path, seconds: float) -> None:
    db = sqlite3.connect(path, timeout=20, isolation_level=None)
    try:
        db.execute("BEGIN EXCLUSIVE")
        time.sleep(seconds)
        db.execute("ROLLBACK")
    finally:
        db.close()
