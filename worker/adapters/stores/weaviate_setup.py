"""Opening the collections for an embedder: made when they are missing, compared when they are there."""

import json
from dataclasses import dataclass

from weaviate import WeaviateClient

from worker.adapters.stores.weaviate_address import Address
from worker.adapters.stores.weaviate_cards import all_cards, put_card
from worker.adapters.stores.weaviate_collections import (
    ARCHIVE,
    LAYOUT,
    MEMORY,
    PROPERTIES,
    SCOPE,
    Embedding,
    create,
    differences,
    vector_of,
)
from worker.errors import Misconfigured

#: The layout that `slowwave migrate` makes the current one of.
MIGRATED_LAYOUT = 2


@dataclass(frozen=True)
class Described:
    """What the collections say of themselves."""

    layout: object
    embedding: Embedding


def ensure(
    client: WeaviateClient, address: Address, embedding: Embedding, replicas: int = 1
) -> None:
    """Raises `Misconfigured` naming what differs. An embedder that nothing was embedded by gives way."""
    known = _current(client, address)
    _make(client, address, embedding, replicas)
    if known and known.embedding != embedding:
        if not _is_empty(client, address):
            raise Misconfigured(
                f"the memories of {address} were embedded by {known.embedding.fingerprint}"
                f" ({known.embedding.dimensions} dimensions), the settings say {embedding.fingerprint}"
                f" ({embedding.dimensions}): set SLOWWAVE_EMBEDDER back, or let `slowwave reembed` change"
                " them over"
            )
        _change_cards(client, address, embedding)
        _give_over(client, address, embedding)
    _compare(client, address, embedding)


def adopt(
    client: WeaviateClient, address: Address, embedding: Embedding, replicas: int = 1
) -> None:
    """As `ensure`, but the embedder of memories that are there gives way too. They keep their vectors."""
    known = _current(client, address)
    _make(client, address, embedding, replicas)
    if known and known.embedding != embedding:
        _give_over(client, address, embedding)
    _compare(client, address, embedding)


def described(client: WeaviateClient, address: Address) -> Described | None:
    """Nothing where there are no collections. Raises `Misconfigured` for those of others."""
    full = address.prefix + MEMORY
    if not client.collections.exists(full):
        return None
    description = client.collections.use(full).config.get().description or ""
    try:
        about = json.loads(description)["slowwave"]
        return Described(
            about["layout"], Embedding(str(about["embedder"]), int(about["dimensions"]))
        )
    except (ValueError, KeyError, TypeError) as error:
        raise Misconfigured(
            f"collection {full} of {address} was not made by slowwave: add `prefix=NAME` to"
            " SLOWWAVE_STORE_URL for collections of your own"
        ) from error


def check_layout(address: Address, layout: object) -> None:
    if layout == MIGRATED_LAYOUT:
        raise Misconfigured(
            f"the collections of {address} have layout {layout}, this slowwave reads layout {LAYOUT}: stop"
            " every worker of the older version, then run `slowwave migrate`, which keeps all memories"
        )
    if layout != LAYOUT:
        raise Misconfigured(
            f"the collections of {address} have layout {layout}, this slowwave reads layout {LAYOUT}: use"
            " the slowwave that made them, or a `prefix=NAME` in SLOWWAVE_STORE_URL"
        )


def describe(client: WeaviateClient, address: Address, embedding: Embedding) -> None:
    """What `described` reads comes last."""
    for name in (ARCHIVE, MEMORY):
        config = client.collections.use(address.prefix + name).config
        config.update(description=embedding.description)


def _current(client: WeaviateClient, address: Address) -> Described | None:
    known = described(client, address)
    if known:
        check_layout(address, known.layout)
    return known


def _make(client: WeaviateClient, address: Address, embedding: Embedding, replicas: int) -> None:
    for name in PROPERTIES:
        full = address.prefix + name
        if not client.collections.exists(full):
            create(client, full, name, embedding, replicas)


def _compare(client: WeaviateClient, address: Address, embedding: Embedding) -> None:
    for name in PROPERTIES:
        full = address.prefix + name
        config = client.collections.use(full).config.get()
        if wrong := differences(name, embedding, config):
            raise Misconfigured(
                f"collection {full} of {address} is not as slowwave makes it: {wrong}. Another program made"
                " it, or another version: add `prefix=NAME` to SLOWWAVE_STORE_URL for collections of your"
                " own, or delete these four"
            )


def _is_empty(client: WeaviateClient, address: Address) -> bool:
    return not any(
        collection.with_tenant(tenant).aggregate.over_all(total_count=True).total_count
        for collection in (
            client.collections.use(address.prefix + name) for name in (MEMORY, ARCHIVE)
        )
        for tenant in collection.tenants.get()
    )


def _change_cards(client: WeaviateClient, address: Address, embedding: Embedding) -> None:
    hall = client.collections.use(address.prefix + SCOPE)
    for card in all_cards(lambda read: read(hall)):
        if card.scope:
            put_card(hall, card.model_copy(update={"embedder": embedding.fingerprint}), address)


def _give_over(client: WeaviateClient, address: Address, embedding: Embedding) -> None:
    for name in (MEMORY, ARCHIVE):
        config = client.collections.use(address.prefix + name).config
        if embedding.vector not in (config.get().vector_config or {}):
            config.add_vector(vector_config=vector_of(name, embedding))
    describe(client, address, embedding)
