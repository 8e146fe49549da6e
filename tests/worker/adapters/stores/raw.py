"""A Weaviate server past our own store: to see what lies there, and to make what others have made."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import weaviate
from weaviate.classes.init import AdditionalConfig

from deploy.weaviate_process import Server
from schemas.scope import Scope
from worker.adapters.stores.weaviate_address import Address, parse
from worker.adapters.stores.weaviate_collections import SCOPE, TENANTED


@contextmanager
def client_of(running: Server) -> Iterator[weaviate.WeaviateClient]:
    with weaviate.connect_to_local(
        port=running.port,
        grpc_port=running.grpc_port,
        skip_init_checks=True,
        additional_config=AdditionalConfig(trust_env=False),
    ) as client:
        yield client


@contextmanager
def own_address(running: Server) -> Iterator[Address]:
    """Collections of one test's own."""
    prefix = f"Own{uuid4().hex}"
    yield parse(f"{running.url}&prefix={prefix}")
    with client_of(running) as client:
        client.collections.delete(
            [name for name in client.collections.list_all() if name.startswith(prefix)]
        )


def card_of(client: weaviate.WeaviateClient, address: Address, scope: Scope) -> dict[str, Any]:
    """What lies in the collection that outlives the tenants; empty for nothing."""
    cards = client.collections.use(address.prefix + SCOPE)
    # The client's types leave out that there may be none.
    found: Any = cards.query.fetch_object_by_id(UUID(scope.key))
    return json.loads(str(found.properties["payload"])) if found else {}


def tenants_of(client: weaviate.WeaviateClient, address: Address, scope: Scope) -> list[str]:
    """The collections in which the scope has one."""
    return [
        name
        for name in TENANTED
        if client.collections.use(address.prefix + name).tenants.exists(scope.key)
    ]
