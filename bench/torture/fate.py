"""What a worker of the torture is told, and how it dies or stands still."""

import json
import os
import signal
import threading
from dataclasses import asdict, dataclass
from random import Random

from redis import Redis

from bench.torture.ledger import CRASHES, ENOUGH, FREEZES, LEDGER, Event

#: The one variable that says how: JSON of `Orders`.
ORDERS = "BENCH_TORTURE"
#: Pauses at a point for each death there: one can hold the store's lock, and then everybody waits.
PAUSES = 0.25


@dataclass(frozen=True)
class Orders:
    """What the worker is told."""

    ledger: str
    #: Chance to die at each of these points, 0 to 1.
    crash: float
    points: tuple[str, ...]
    #: Switches off what is to be shown to matter: no plan is kept, no open run is finished.
    is_control: bool
    seed: int

    def json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def given(cls) -> "Orders":
        """Those of this process. Raises `SystemExit` where there are none."""
        if ORDERS not in os.environ:
            raise SystemExit(f"{ORDERS} is not set: only `python -m bench torture` starts this")
        return cls(**json.loads(os.environ[ORDERS]))


class Fate:
    """Where this process dies or stands still, and what it has told the ledger before."""

    def __init__(self, orders: Orders) -> None:
        self.is_control = orders.is_control
        self._crash = dict.fromkeys(orders.points, orders.crash)
        self._rng = Random(orders.seed)
        self._ledger = Redis.from_url(orders.ledger)

    def at(self, name: str) -> None:
        """Perhaps the end, or a long pause; neither once the ledger says that it has been enough."""
        luck, chance = self._rng.random(), self._crash.get(name, 0)
        if luck >= (1 + PAUSES) * chance or self._ledger.exists(ENOUGH):
            return
        if luck < chance:
            self._ledger.hincrby(CRASHES, name, 1)
            os.kill(os.getpid(), signal.SIGKILL)
            threading.Event().wait()
        self._ledger.hincrby(FREEZES, name, 1)
        os.kill(os.getpid(), signal.SIGSTOP)

    def tell(self, event: Event) -> None:
        self._ledger.rpush(LEDGER, event.json())
