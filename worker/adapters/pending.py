"""The list of a scope's pending turns, as it is read."""

from redis import Redis

from schemas.keys import ScopeKeys
from worker.adapters.entries import Entry
from worker.adapters.redis_server import reachable


def pending_entries(client: Redis, keys: ScopeKeys, count: int | None = None) -> list[Entry]:
    """The first elements, or all. Raises `Unavailable`."""
    if count == 0:
        return []
    with reachable():
        found = client.lrange(keys.turns, 0, -1 if count is None else count - 1)
    return [
        Entry.read(element if isinstance(element, bytes) else b"", keys.scope_key)
        for element in found
    ]
