"""Who sleeps is heard of, as long as the process lives."""

from worker.adapters.renewing import Renewing
from worker.adapters.sleepers import Sleeper, Sleepers


class Abed(Renewing):
    """Keeps a sleeper from counting as lost, from a thread, while it is entered."""

    def __init__(self, sleepers: Sleepers, sleeper: Sleeper) -> None:
        super().__init__(sleepers.lost_seconds, "abed")
        self._sleepers = sleepers
        #: As it was last renewed: `Sleepers.end` takes this one.
        self.sleeper = sleeper
        #: Whether it counted as lost meanwhile, and is another's.
        self.is_lost = False

    def _is_renewed(self) -> bool:
        renewed = self._sleepers.renew(self.sleeper)
        self.is_lost = renewed is None
        self.sleeper = renewed or self.sleeper
        return renewed is not None
