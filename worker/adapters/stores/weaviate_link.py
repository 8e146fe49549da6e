"""The connection to a Weaviate server: one client for each process, every call with a deadline."""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from weaviate import WeaviateClient
from weaviate.classes.config import ConsistencyLevel
from weaviate.collections import Collection

from schemas.scope import Scope
from worker.adapters.stores.circuit import CircuitBreaker
from worker.adapters.stores.deadline import DeadlinePool
from worker.adapters.stores.touched import Touched
from worker.adapters.stores.weaviate_address import Address
from worker.adapters.stores.weaviate_connecting import connect
from worker.adapters.stores.weaviate_errors import CLIENT_ERRORS, out_of_reach, translated
from worker.adapters.stores.weaviate_gate import gate
from worker.adapters.stores.weaviate_mending import Mending

#: Searches of one process that run side by side.
THREADS = 8

T = TypeVar("T")
#: What a call gets to work with.
Client = WeaviateClient
#: A collection narrowed to one scope: nothing asks any other.
Room = Collection[Any, Any]


@dataclass(frozen=True)
class Connected:
    """What one process has open."""

    client: Client
    pool: DeadlinePool[Any]


class Link:
    """Connects at the first call in each process: gRPC does not survive a fork."""

    def __init__(
        self,
        address: Address,
        key: str | None,
        deadline_seconds: float,
        consistency: str | None = None,
    ) -> None:
        self.address = address
        self._key = key
        #: Of one call with all its retries: those of the client (up to 63 s) keep no deadline.
        self._deadline_seconds = deadline_seconds
        self._consistency = ConsistencyLevel[consistency] if consistency else None
        #: Keys of scopes that this process has asked anything about.
        self.touched = Touched()
        self._circuit = CircuitBreaker(address)
        self._mending = Mending()
        self._lock = threading.Lock()
        #: By process id; a parent's stays here untouched, since closing it in a child would hang.
        self._connected: dict[int, Connected] = {}

    def read(self, calls: list[Callable[[Client], T]]) -> list[T]:
        """All at once. Raises `NoTenant`, `Unavailable` and others; at once while the server rests."""
        return self._circuit.call(lambda: self._read(calls))

    def _read(self, calls: list[Callable[[Client], T]]) -> list[T]:
        connected = self._here()
        client = connected.client
        seconds = self._deadline_seconds
        try:
            return connected.pool.run([partial(call, client) for call in calls], seconds)
        except TimeoutError as error:
            raise out_of_reach(self.address, f"no answer within {seconds:g} s") from error
        except CLIENT_ERRORS as error:
            raise translated(error, self.address) from error

    def write(self, call: Callable[[Client], T], ask: Callable[[], None]) -> T:
        """As `read`. Nothing is sent, nor sent again, once `ask` raises or the caller was told that it is late."""
        until = time.monotonic() + self._deadline_seconds

        def in_time() -> None:
            ask()
            if time.monotonic() > until:
                raise TimeoutError

        def gated(client: Client) -> T:
            with gate(in_time):
                return call(client)

        return self.read([gated])[0]

    def in_room(self, name: str, scope: Scope, work: Callable[[Room], T]) -> Callable[[Client], T]:
        """The only way to the data, and it leads to one scope."""

        def call(client: Client) -> T:
            self.touched.touch(scope.key)
            return self._mending.call(self._agreeing(client, name), scope.key, work)

        return call

    def in_hall(self, name: str, work: Callable[[Room], T]) -> Callable[[Client], T]:
        """To a collection without tenants."""
        return lambda client: work(self._agreeing(client, name))

    def _agreeing(self, client: Client, name: str) -> Room:
        collection = client.collections.use(self.address.prefix + name)
        return (
            collection.with_consistency_level(self._consistency)
            if self._consistency
            else collection
        )

    def close(self) -> None:
        with self._lock:
            connected = self._connected.pop(os.getpid(), None)
        if connected:
            connected.pool.close()
            connected.client.close()

    def _here(self) -> Connected:
        # One thread connects; the others do not wait for its failure, then for the next one's.
        if not self._lock.acquire(timeout=self._deadline_seconds):
            raise out_of_reach(self.address, "no connection in time")
        try:
            if (process := os.getpid()) not in self._connected:
                client = connect(self.address, self._key, self._deadline_seconds)
                self._connected[process] = Connected(client, DeadlinePool(THREADS))
            return self._connected[process]
        finally:
            self._lock.release()
