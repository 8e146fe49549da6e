"""The connection to a Weaviate server: one client for each process, every call with a deadline."""

import logging
import os
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar

import httpx
import weaviate
from weaviate.classes.init import AdditionalConfig, Auth, Timeout
from weaviate.collections import Collection

from schemas.scope import Scope
from worker.adapters.stores.deadline import DeadlinePool
from worker.adapters.stores.weaviate_address import Address
from worker.adapters.stores.weaviate_errors import (
    CLIENT_ERRORS,
    out_of_reach,
    translated,
    wrong_key,
)
from worker.adapters.stores.weaviate_gate import gate, put_gate
from worker.errors import Misconfigured

OLDEST = (1, 38, 6)
CONNECT_SECONDS = 5
#: Searches of one process that run side by side.
THREADS = 8

T = TypeVar("T")
#: What a call gets to work with.
Client = weaviate.WeaviateClient
#: A collection narrowed to one scope: nothing asks any other.
Room = Collection[Any, Any]


@dataclass(frozen=True)
class Connected:
    """What one process has open."""

    client: Client
    pool: DeadlinePool[Any]


class Link:
    """Connects at the first call in each process: gRPC does not survive a fork."""

    def __init__(self, address: Address, key: str | None, deadline_seconds: float) -> None:
        self.address = address
        self._key = key
        #: Of one call with all its retries: those of the client (up to 63 s) keep no deadline.
        self._deadline_seconds = deadline_seconds
        self._lock = threading.Lock()
        #: By process id; a parent's stays here untouched, since closing it in a child would hang.
        self._connected: dict[int, Connected] = {}

    def read(self, calls: list[Callable[[Client], T]]) -> list[T]:
        """All at once. Raises `NoTenant`, `Unavailable` and others."""
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
            collection = client.collections.use(self.address.prefix + name)
            return work(collection.with_tenant(scope.key))

        return call

    def close(self) -> None:
        with self._lock:
            connected = self._connected.pop(os.getpid(), None)
        if connected:
            connected.pool.close()
            connected.client.close()

    def _here(self) -> Connected:
        with self._lock:
            if (process := os.getpid()) not in self._connected:
                self._connected[process] = _connect(self.address, self._key, self._deadline_seconds)
            return self._connected[process]


def _connect(address: Address, key: str | None, deadline_seconds: float) -> Connected:
    """Raises `Unavailable` or `Misconfigured`."""
    _check_version(address, key)
    # It logs whole objects when one is refused: people's words do not belong into a log.
    logging.getLogger("weaviate-client").setLevel(logging.CRITICAL)
    try:
        client = weaviate.connect_to_custom(
            http_host=address.host,
            http_port=address.port,
            http_secure=address.secure,
            grpc_host=address.grpc_host,
            grpc_port=address.grpc_port,
            grpc_secure=address.secure,
            auth_credentials=Auth.api_key(key) if key else None,
            # Its checks ask PyPI for news, and give a busy server 2 seconds.
            skip_init_checks=True,
            additional_config=AdditionalConfig(
                timeout=Timeout(
                    init=CONNECT_SECONDS, query=deadline_seconds, insert=deadline_seconds
                ),
                trust_env=False,
            ),
        )
    except CLIENT_ERRORS as error:
        raise translated(error, address) from error
    put_gate(client)
    return Connected(client, DeadlinePool(THREADS))


def _check_version(address: Address, key: str | None) -> None:
    version = _version(address, key)
    numbers = tuple(map(int, re.findall(r"\d+", version)[:3]))
    if numbers < OLDEST:
        raise Misconfigured(
            f"{address} is version {version}; slowwave needs {'.'.join(map(str, OLDEST))} or newer, as older"
            " ones leave out parts of a search without a word: upgrade the server"
        )


def _version(address: Address, key: str | None) -> str:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        answer = httpx.get(
            f"{address.rest}/v1/meta", headers=headers, timeout=CONNECT_SECONDS, trust_env=False
        )
    except httpx.HTTPError as error:
        raise out_of_reach(address, str(error)) from error
    if answer.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        raise wrong_key(address)
    if answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise out_of_reach(address, f"it answers {answer.status_code}")
    try:
        return str(answer.json()["version"])
    except (ValueError, KeyError, TypeError) as error:
        raise Misconfigured(
            f"{address} answers, but not as Weaviate does: look at host and port in SLOWWAVE_STORE_URL"
        ) from error
