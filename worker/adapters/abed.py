"""Who sleeps is heard of, as long as the process lives."""

from threading import Event, Thread
from types import TracebackType
from typing import Self

from worker.adapters.sleepers import Sleeper, Sleepers
from worker.errors import Unavailable


class Abed:
    """Keeps a sleeper from counting as lost, from a thread, while it is entered."""

    def __init__(self, sleepers: Sleepers, sleeper: Sleeper) -> None:
        self._sleepers = sleepers
        #: As it was last renewed: `Sleepers.end` takes this one.
        self.sleeper = sleeper
        #: Whether it counted as lost meanwhile, and is another's.
        self.is_lost = False
        self._over = Event()
        self._thread = Thread(target=self._keep, name="abed", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def _keep(self) -> None:
        while not self._over.wait(self._sleepers.lost_seconds / 3):
            try:
                renewed = self._sleepers.renew(self.sleeper)
            except Unavailable:
                continue
            if renewed is None:
                self.is_lost = True
                return
            self.sleeper = renewed
