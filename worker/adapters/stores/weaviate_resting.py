"""Putting tenants to rest that nobody works with: one that is awake costs memory and 6 open files.

A tenant that is put to rest in the midst of a call, or while another process works with it, is woken by its next call.
"""

import random
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from weaviate.classes.tenants import TenantActivityStatus
from weaviate.exceptions import UnexpectedStatusCodeError

from worker.adapters.stores.weaviate_collections import TENANTED
from worker.adapters.stores.weaviate_link import Client, Link

#: Tenants of one request, and of one call of `rest`: some 5 s, so that a worker that has to stop can.
PORTION = 100
MOST_AT_ONCE = 2_000
#: Mean time between two looks for tenants that others left awake, a process that is gone for instance.
SWEEP_SECONDS = 3_600.0
#: What the server says of a tenant that is not there, and of one that is being read or written.
STAYS = re.compile("shard not found|shard still in use")


class Resting:
    """`clock` and `luck` (0 to 1) are arguments, so that no test waits."""

    def __init__(
        self,
        link: Link,
        seconds: float,
        most: int,
        clock: Callable[[], float] = time.monotonic,
        luck: Callable[[], float] = random.random,
    ) -> None:
        self._link = link
        self._seconds, self._most = seconds, most
        self._clock, self._luck = clock, luck
        self._next_sweep = clock()
        #: Collection → tenants that a sweep found awake, as far as they were not seen to yet.
        self._found: dict[str, list[str]] = {}
        self._one_at_a_time = threading.Lock()

    def rest(self) -> int:
        """As `Store.rest`; nothing where another thread is at it. Raises `Unavailable` and others of the link."""
        if not self._seconds or not self._one_at_a_time.acquire(blocking=False):
            return 0
        try:
            return self._rest_own() + self._rest_others()
        finally:
            self._one_at_a_time.release()

    def _rest_own(self) -> int:
        due = self._link.touched.untouched(self._seconds, self._most)
        now = list(islice(due.items(), MOST_AT_ONCE))
        for start in range(0, len(now), PORTION):
            some = dict(now[start : start + PORTION])
            self._deactivate({name: list(some) for name in TENANTED})
            self._link.touched.forget(some)
        return len(now)

    def _rest_others(self) -> int:
        if not any(self._found.values()) and self._clock() >= self._next_sweep:
            self._next_sweep = self._clock() + SWEEP_SECONDS * (0.5 + self._luck())
            self._found = {name: self._awake(name) for name in TENANTED}
        own, rested = self._link.touched.known(), set[str]()
        for _ in range(MOST_AT_ONCE // PORTION):
            some = {name: awake[:PORTION] for name, awake in self._found.items() if awake}
            if not some:
                break
            foreign = {name: [key for key in keys if key not in own] for name, keys in some.items()}
            self._deactivate(foreign)
            self._found = {name: awake[PORTION:] for name, awake in self._found.items()}
            rested.update(*foreign.values())
        return len(rested)

    def _awake(self, name: str) -> list[str]:
        def look(client: Client) -> list[str]:
            tenants = client.collections.use(self._link.address.prefix + name).tenants.get()
            awake = TenantActivityStatus.ACTIVE
            return sorted(key for key, one in tenants.items() if one.activity_status is awake)

        return self._link.read([look])[0]

    def _deactivate(self, keys: Mapping[str, Sequence[str]]) -> None:
        """Collection → tenants of it, a portion at most."""
        self._link.read([self._putting(name, some) for name, some in keys.items() if some])

    def _putting(self, name: str, keys: Sequence[str]) -> Callable[[Client], None]:
        def put(client: Client) -> None:
            tenants = client.collections.use(self._link.address.prefix + name).tenants
            try:
                tenants.deactivate(list(keys))
            except UnexpectedStatusCodeError as error:
                # The others of the request are put to rest all the same.
                if not STAYS.search(str(error)):
                    raise

        return put
