"""The collections: made when they are missing, compared when they are there."""

import json
import re
from dataclasses import dataclass
from hashlib import sha256

from weaviate import WeaviateClient
from weaviate.classes.config import (
    Configure,
    DataType,
    Property,
    StopwordsPreset,
    Tokenization,
    VectorConfigCreate,
    VectorDistances,
)
from weaviate.collections.classes.config import CollectionConfig, NamedVectorConfig
from weaviate.exceptions import UnexpectedStatusCodeError

from worker.adapters.stores.weaviate_address import Address
from worker.errors import Misconfigured

LAYOUT = 2
MEMORY, ARCHIVE, RUN = "Memory", "MemoryArchive", "MemoryRun"
#: The vector of a run means nothing: see `reindexed` in `weaviate_objects`.
RUN_VECTOR = "written"
#: What Weaviate takes as a vector's name.
LEGAL_NAME = re.compile(r"[_A-Za-z][_0-9A-Za-z]{0,229}")
ALREADY_THERE = 422


@dataclass(frozen=True)
class Kind:
    """How a property may be found."""

    type: DataType
    tokenization: Tokenization | None = Tokenization.FIELD
    filterable: bool = False
    searchable: bool = False


STORED = Kind(DataType.TEXT)
KEY = Kind(DataType.TEXT, filterable=True)
KEYS = Kind(DataType.TEXT_ARRAY, filterable=True)
#: Terms are split and folded by us, so the server splits at white space only.
WORDS = Kind(DataType.TEXT, Tokenization.WHITESPACE, searchable=True)

PROPERTIES = {
    MEMORY: {
        "payload": STORED,
        "terms": WORDS,
        "subject": KEY,
        "slot": KEY,
        "pair": STORED,
        "identifiers": KEYS,
    },
    ARCHIVE: {"payload": STORED, "memory": KEY, "replaced_by": KEY},
    RUN: {"payload": STORED, "state": KEY, "turns": KEYS},
}


@dataclass(frozen=True)
class Embedding:
    """Whose vectors the store holds."""

    fingerprint: str
    dimensions: int

    @property
    def vector(self) -> str:
        """The fingerprint itself where it is a legal name; each fingerprint has another."""
        if LEGAL_NAME.fullmatch(self.fingerprint):
            return self.fingerprint
        legal = re.sub(r"\W", "_", self.fingerprint, flags=re.ASCII)[:80]
        return f"v_{legal}_{sha256(self.fingerprint.encode()).hexdigest()[:8]}"

    @property
    def description(self) -> str:
        about = {"layout": LAYOUT, "embedder": self.fingerprint, "dimensions": self.dimensions}
        return json.dumps({"slowwave": about})


def ensure(client: WeaviateClient, address: Address, embedding: Embedding) -> None:
    """Raises `Misconfigured` naming what differs."""
    for name in PROPERTIES:
        full = address.prefix + name
        if not client.collections.exists(full):
            _create(client, full, name, embedding)
    _check_embedding(client, address, embedding)
    for name in PROPERTIES:
        config = client.collections.use(address.prefix + name).config.get()
        if differences := _differences(expected(name, embedding), found(config)):
            raise Misconfigured(
                f"collection {address.prefix + name} of {address} is not as slowwave makes it:"
                f" {differences}. Another program made it, or another version: add `prefix=NAME` to"
                " SLOWWAVE_STORE_URL for collections of your own, or delete these three"
            )


def _create(client: WeaviateClient, full: str, name: str, embedding: Embedding) -> None:
    try:
        client.collections.create(
            full,
            description=embedding.description,
            # Only `prepare` makes tenants, so that a late worker cannot bring an erased scope back.
            multi_tenancy_config=Configure.multi_tenancy(
                enabled=True, auto_tenant_creation=False, auto_tenant_activation=True
            ),
            # Memories are short, and "no" and "not" matter in them.
            inverted_index_config=Configure.inverted_index(stopwords_preset=StopwordsPreset.NONE),
            vector_config=_vector(name, embedding),
            properties=[_property(*item) for item in PROPERTIES[name].items()],
        )
    except UnexpectedStatusCodeError as error:
        # Another worker was quicker; what it made is compared next.
        if error.status_code != ALREADY_THERE or not client.collections.exists(full):
            raise


def _vector(name: str, embedding: Embedding) -> VectorConfigCreate:
    index = Configure.VectorIndex
    config: VectorConfigCreate = Configure.Vectors.self_provided(
        name=RUN_VECTOR if name == RUN else embedding.vector,
        vector_index_config=index.flat(distance_metric=VectorDistances.COSINE)
        if name == MEMORY
        else index.none(),
    )
    return config


def _property(name: str, kind: Kind) -> Property:
    return Property(
        name=name,
        data_type=kind.type,
        tokenization=kind.tokenization,
        index_filterable=kind.filterable,
        index_searchable=kind.searchable,
    )


def expected(name: str, embedding: Embedding) -> dict[str, str]:
    """A collection as it should be: what is compared → how it should be."""
    vector, index = embedding.vector, "flat, cosine"
    if name != MEMORY:
        vector, index = RUN_VECTOR if name == RUN else vector, "not searched"
    return {
        "tenants": "on, created by hand, woken by itself",
        "stop words": "none",
        "BM25": "b 0.75, k1 1.2",
        f"vector `{vector}`": index,
    } | {f"property `{prop}`": _kind(kind) for prop, kind in PROPERTIES[name].items()}


def found(config: CollectionConfig) -> dict[str, str]:
    """A collection as it is."""
    tenants, inverted = config.multi_tenancy_config, config.inverted_index_config
    properties = {
        prop.name: Kind(
            prop.data_type, prop.tokenization, prop.index_filterable, prop.index_searchable
        )
        for prop in config.properties
    }
    return (
        {
            "tenants": f"{'on' if tenants.enabled else 'off'},"
            f" created by {'itself' if tenants.auto_tenant_creation else 'hand'},"
            f" woken by {'itself' if tenants.auto_tenant_activation else 'hand'}",
            "stop words": inverted.stopwords.preset.value,
            "BM25": f"b {inverted.bm25.b}, k1 {inverted.bm25.k1}",
        }
        | {f"property `{prop}`": _kind(kind) for prop, kind in properties.items()}
        | {f"vector `{name}`": _index(one) for name, one in (config.vector_config or {}).items()}
    )


def _kind(kind: Kind) -> str:
    ways = {"filtered": kind.filterable, "searched": kind.searchable}
    split = kind.tokenization.value if kind.tokenization else "not split"
    on = [way for way, on in ways.items() if on] or ["only stored"]
    return ", ".join([kind.type.value, split, *on])


def _index(vector: NamedVectorConfig) -> str:
    config = vector.vector_index_config
    if getattr(config, "skip", False):
        return "not searched"
    distance = getattr(getattr(config, "distance_metric", None), "value", "no distance")
    return f"{config.vector_index_type()}, {distance}"


def _differences(wanted: dict[str, str], there: dict[str, str]) -> str:
    return "; ".join(
        f"{what} is {there.get(what, 'missing')}, not {how}"
        for what, how in wanted.items()
        if there.get(what) != how
    )


def _check_embedding(client: WeaviateClient, address: Address, embedding: Embedding) -> None:
    full = address.prefix + MEMORY
    collection = client.collections.use(full)
    description = collection.config.get().description or ""
    if description == embedding.description:
        return
    try:
        about = json.loads(description)["slowwave"]
        layout, known, size = about["layout"], about["embedder"], about["dimensions"]
    except (ValueError, KeyError, TypeError) as error:
        raise Misconfigured(
            f"collection {full} of {address} was not made by slowwave: add `prefix=NAME` to"
            " SLOWWAVE_STORE_URL for collections of your own"
        ) from error
    if layout != LAYOUT:
        raise Misconfigured(
            f"the collections of {address} have layout {layout}, this slowwave reads layout {LAYOUT}: use"
            " the slowwave that made them, or a `prefix=NAME` in SLOWWAVE_STORE_URL"
        )
    if not _is_empty(client, address):
        raise Misconfigured(
            f"the memories of {address} were embedded by {known} ({size} dimensions), the settings say"
            f" {embedding.fingerprint} ({embedding.dimensions}): set SLOWWAVE_EMBEDDER back, or let"
            " `slowwave reembed` change them over"
        )
    _adopt(client, address, embedding)


def _is_empty(client: WeaviateClient, address: Address) -> bool:
    return not any(
        collection.with_tenant(tenant).aggregate.over_all(total_count=True).total_count
        for collection in (
            client.collections.use(address.prefix + name) for name in (MEMORY, ARCHIVE)
        )
        for tenant in collection.tenants.get()
    )


def _adopt(client: WeaviateClient, address: Address, embedding: Embedding) -> None:
    """Give a store without memories to another embedder."""
    for name in (MEMORY, ARCHIVE):
        config = client.collections.use(address.prefix + name).config
        if embedding.vector not in (config.get().vector_config or {}):
            config.add_vector(vector_config=_vector(name, embedding))
        config.update(description=embedding.description)
