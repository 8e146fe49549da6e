"""The collections: what each holds, how it is made, and how one that is there differs."""

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

LAYOUT = 3
MEMORY, ARCHIVE, RUN, SCOPE = "Memory", "MemoryArchive", "MemoryRun", "MemoryScope"
#: Those with a tenant for each scope, in the order in which it is made. `SCOPE` outlives the tenants.
TENANTED = (RUN, ARCHIVE, MEMORY)
#: The vector of what has no embedding means nothing: see `reindexed` in `weaviate_objects`.
WRITTEN = "written"
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
        "embedder": STORED,
    },
    ARCHIVE: {"payload": STORED, "memory": KEY, "replaced_by": KEY, "reason": KEY},
    RUN: {"payload": STORED, "state": KEY, "turns": KEYS},
    SCOPE: {"payload": STORED},
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


def create(
    client: WeaviateClient, full: str, name: str, embedding: Embedding, replicas: int = 1
) -> None:
    """Nothing where another worker was quicker."""
    try:
        client.collections.create(
            full,
            description=embedding.description,
            # Only `prepare` makes tenants, so that a late worker cannot bring an erased scope back.
            multi_tenancy_config=Configure.multi_tenancy(
                enabled=True, auto_tenant_creation=False, auto_tenant_activation=True
            )
            if name in TENANTED
            else None,
            # Memories are short, and "no" and "not" matter in them.
            inverted_index_config=Configure.inverted_index(stopwords_preset=StopwordsPreset.NONE),
            replication_config=Configure.replication(factor=replicas) if replicas > 1 else None,
            vector_config=vector_of(name, embedding),
            properties=[property_of(*item) for item in PROPERTIES[name].items()],
        )
    except UnexpectedStatusCodeError as error:
        if error.status_code != ALREADY_THERE or not client.collections.exists(full):
            raise


def vector_of(name: str, embedding: Embedding) -> VectorConfigCreate:
    index = Configure.VectorIndex
    config: VectorConfigCreate = Configure.Vectors.self_provided(
        name=_vector_name(name, embedding),
        vector_index_config=index.flat(distance_metric=VectorDistances.COSINE)
        if name == MEMORY
        else index.none(),
    )
    return config


def _vector_name(name: str, embedding: Embedding) -> str:
    return embedding.vector if name in {MEMORY, ARCHIVE} else WRITTEN


def property_of(name: str, kind: Kind) -> Property:
    return Property(
        name=name,
        data_type=kind.type,
        tokenization=kind.tokenization,
        index_filterable=kind.filterable,
        index_searchable=kind.searchable,
    )


def differences(name: str, embedding: Embedding, config: CollectionConfig) -> str:
    """How a collection is not as it should be, in words; nothing where it is."""
    wanted, there = _expected(name, embedding), _found(config)
    return "; ".join(
        f"{what} is {there.get(what, 'missing')}, not {how}"
        for what, how in wanted.items()
        if there.get(what) != how
    )


def _expected(name: str, embedding: Embedding) -> dict[str, str]:
    """What is compared → how it should be."""
    return {
        "tenants": "on, created by hand, woken by itself" if name in TENANTED else "off",
        "stop words": "none",
        "BM25": "b 0.75, k1 1.2",
        f"vector `{_vector_name(name, embedding)}`": "flat, cosine"
        if name == MEMORY
        else "not searched",
    } | {f"property `{prop}`": _kind(kind) for prop, kind in PROPERTIES[name].items()}


def _found(config: CollectionConfig) -> dict[str, str]:
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
            "tenants": f"on, created by {'itself' if tenants.auto_tenant_creation else 'hand'},"
            f" woken by {'itself' if tenants.auto_tenant_activation else 'hand'}"
            if tenants.enabled
            else "off",
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
