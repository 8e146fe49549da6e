"""What each scope has asked of models today, counted in Redis by Redis's own clock."""

from redis import Redis

from schemas.keys import ScopeKeys, partition_of
from worker.adapters.scripts import Scripts
from worker.core.failing.budget import DAY_SECONDS, Spent

#: How long the figures of a day can be looked at.
KEPT_SECONDS = 2 * DAY_SECONDS


class Spending:
    """Needs a client that answers in bytes (`connect`). Every call may raise `Unavailable`."""

    def __init__(self, client: Redis, partitions: int = 1) -> None:
        self._scripts = Scripts(client)
        self._partitions = partitions

    def add(self, scope_key: str, calls: int, tokens: int) -> Spent:
        """Atomic, so that no two workers lose each other's; what the day then comes to."""
        keys = ScopeKeys(partition_of(scope_key, self._partitions), scope_key)
        calls, tokens, ms = self._scripts.run("spend", [keys.spent], [calls, tokens, KEPT_SECONDS])
        return Spent(calls, tokens, ms / 1000)

    def spent(self, scope_key: str) -> Spent:
        """Of today; writes nothing, so an idle scope owns no key."""
        return self.add(scope_key, 0, 0)
