"""Whether the collections are on as many servers as the settings say."""

import structlog
from weaviate import WeaviateClient

from worker.adapters.stores.weaviate_address import Address
from worker.adapters.stores.weaviate_collections import PROPERTIES

log = structlog.get_logger()


def tell_of_replicas(client: WeaviateClient, address: Address, wanted: int) -> None:
    """Nothing is altered: moving data between servers is an operator's decision."""
    there = {
        client.collections.use(address.prefix + name).config.get().replication_config.factor
        for name in PROPERTIES
    }
    if there != {wanted}:
        log.warning(
            "store_has_other_replicas",
            store=str(address),
            there=min(there),
            wanted=wanted,
            remedy="set SLOWWAVE_STORE_REPLICAS to what is there, or make new collections: see docs/weaviate.md",
        )
