"""Requests that a Weaviate server is sent, by what is done."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast
from uuid import uuid4

import pytest
from redis import Redis

from deploy.weaviate_process import Server
from schemas.scope import Scope
from tests.guard.agreed import Counts, agree
from tests.guard.commands import counted_commands
from tests.guard.conftest import at_desk
from tests.guard.counting import Counted
from tests.guard.store_acts import CASES, UNCHANGED
from tests.weaviate_service import opened
from worker.adapters.stores.weaviate import WeaviateStore
from worker.core.ports import Store

#: Requests by name over gRPC and by method over REST; `renew`: how often Redis was asked whether the lease still holds.
REQUESTS: dict[str, Counts] = {
    "settling the first batch of a scope": {
        "Search": 11,
        "GET": 2,
        "POST": 3,
        "BatchObjects": 4,
        "Aggregate": 1,
        "renew": 8,
    },
    "settling a batch of ten turns": {"Search": 21, "Aggregate": 1, "BatchObjects": 4, "renew": 5},
    "settling a batch of chat": {"Search": 7, "Aggregate": 1, "BatchObjects": 1, "renew": 2},
    "settling a batch whose plan was kept": {"Search": 5, "BatchObjects": 4, "renew": 4},
    "recalling": {"Search": 3},
    "recalling what is known of somebody": {"Search": 1},
    "a night over what changed": {"Search": 47, "BatchObjects": 2, "renew": 2},
    "a night over what is as it was": {"Search": 17},
}


@pytest.mark.parametrize("case", REQUESTS)
def test_weaviate_is_sent(
    case: str, weaviate_server: Server, embedding: tuple[str, int], counted: Redis
) -> None:
    scope = Scope(app=f"guard-{uuid4()}", user="ann")
    for store in opened(f"{weaviate_server.url}&prefix=Guard", embedding):
        table = at_desk(store, counted, scope)
        with CASES[case](table) as act, requests_of(store) as found:
            found.clear()
            with counted_commands(counted) as commands:
                act()
    found["renew"] = commands.counts["renew"]

    agree(case, found, REQUESTS[case], f"REQUESTS[{case!r}]", __file__)


@contextmanager
def requests_of(store: Store) -> Iterator[Counter[str]]:
    """Of this process's connection."""
    connection: Any = cast("WeaviateStore", store)._link._here().client._connection
    found, stub, send = Counter[str](), connection._grpc_stub, connection._send

    def sent(method: str, *args: Any, **options: Any) -> Any:
        found[method] += 1
        return send(method, *args, **options)

    connection._grpc_stub, connection._send = Counted(stub, found), sent
    yield found
    connection._grpc_stub, connection._send = stub, send


def test_a_night_over_what_is_as_it_was_is_agreed_to_write_nothing() -> None:
    assert REQUESTS[UNCHANGED].keys() == {"Search"}
