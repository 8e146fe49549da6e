"""A Weaviate store as the version before made it: a copy of what it did, not its code."""

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import weaviate
from weaviate.classes.config import (
    Configure,
    DataType,
    Property,
    StopwordsPreset,
    Tokenization,
    VectorDistances,
)

from schemas.ids import uuid_of
from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Run
from schemas.scope import Scope
from tests.build import uid
from tests.worker.adapters.stores.keeping import archived, record, run
from worker.adapters.stores.weaviate_address import Address

ABOUT = {"slowwave": {"layout": 2, "embedder": "tests_8", "dimensions": 8}}
FLAT = Configure.VectorIndex.flat(distance_metric=VectorDistances.COSINE)
NONE = Configure.VectorIndex.none()

#: Collection → its vector, that one's index, and its properties.
COLLECTIONS = {
    "Memory": (
        *("tests_8", FLAT),
        {"payload": "", "terms": "w", "subject": "k", "slot": "k", "pair": "", "identifiers": "K"},
    ),
    "MemoryArchive": ("tests_8", NONE, {"payload": "", "memory": "k", "replaced_by": "k"}),
    "MemoryRun": ("written", NONE, {"payload": "", "state": "k", "turns": "K"}),
}


@dataclass(frozen=True)
class Held:
    """What a scope holds."""

    scope: Scope
    memories: tuple[MemoryRecord, ...]
    archives: tuple[ArchiveRecord, ...]
    runs: tuple[Run, ...]


def held_by(scope: Scope) -> Held:
    """Of every kind, with the same ids in every scope."""
    memories = (record(scope, "Lives in Austin."), record(scope, "Has a dog.", attribute="pet"))
    archives = (
        archived(record(scope, "Lived in Seattle."), "Lives in Austin."),
        archived(record(scope, "Had a secret."), reason="forgotten"),
    )
    return Held(scope, memories, archives, (run(scope, "r"), run(scope, "begun", state="open")))


def make(client: weaviate.WeaviateClient, address: Address) -> None:
    for name, (vector, index, properties) in COLLECTIONS.items():
        client.collections.create(
            address.prefix + name,
            description=json.dumps(ABOUT),
            multi_tenancy_config=Configure.multi_tenancy(
                enabled=True, auto_tenant_creation=False, auto_tenant_activation=True
            ),
            inverted_index_config=Configure.inverted_index(stopwords_preset=StopwordsPreset.NONE),
            vector_config=Configure.Vectors.self_provided(name=vector, vector_index_config=index),
            properties=[_property(*item) for item in properties.items()],
        )


def _property(name: str, kind: str) -> Property:
    return Property(
        name=name,
        data_type=DataType.TEXT_ARRAY if kind == "K" else DataType.TEXT,
        tokenization=Tokenization.WHITESPACE if kind == "w" else Tokenization.FIELD,
        index_filterable=kind in {"k", "K"},
        index_searchable=kind == "w",
    )


def add(client: weaviate.WeaviateClient, address: Address, held: Held) -> None:
    add_tenants(client, address, held.scope)
    for one in held.memories:
        _put(client, address, held.scope, "Memory", _memory(one))
    for archive in held.archives:
        _put(client, address, held.scope, "MemoryArchive", _archive(archive))
    for begun in held.runs:
        places = [uuid_of("open run", str(begun.id))]
        if begun.state != "open":
            places.append(begun.id)
        for place in places:
            _put(client, address, held.scope, "MemoryRun", _run(begun, place))


def add_tenants(client: weaviate.WeaviateClient, address: Address, scope: Scope) -> None:
    for name in COLLECTIONS:
        client.collections.use(address.prefix + name).tenants.create([scope.key])


def _put(
    client: weaviate.WeaviateClient, address: Address, scope: Scope, name: str, one: dict[str, Any]
) -> None:
    client.collections.use(address.prefix + name).with_tenant(scope.key).data.insert(**one)


def _memory(one: MemoryRecord) -> dict[str, Any]:
    slot = one.memory.slot
    properties: dict[str, Any] = {
        "payload": one.model_dump_json(exclude={"memory": {"since"}}),
        "terms": one.memory.text.lower().strip("."),
        "subject": str(uuid_of("subject", one.memory.subject)),
        "identifiers": [],
    }
    if slot:
        properties |= {"slot": str(uuid_of("slot", *slot)), "pair": json.dumps(slot)}
    return {
        "uuid": one.memory.id,
        "properties": properties,
        "vector": {"tests_8": np.frombuffer(one.vector, "<f4").tolist()},
    }


def _archive(one: ArchiveRecord) -> dict[str, Any]:
    properties = {
        "payload": one.model_dump_json(exclude={"archive": {"memory": {"since"}}}),
        "memory": str(one.archive.memory.id),
    }
    if one.archive.replaced_by:
        properties["replaced_by"] = str(one.archive.replaced_by)
    return {
        "uuid": one.archive.id,
        "properties": properties,
        "vector": {"tests_8": np.frombuffer(one.vector, "<f4").tolist()},
    }


def _run(one: Run, place: UUID) -> dict[str, Any]:
    return {
        "uuid": place,
        "properties": {
            "payload": one.model_dump_json(exclude={"undoes"}),
            "state": one.state,
            "turns": [str(uid("turn of r")), *map(str, one.turn_ids)],
        },
        "vector": {"written": [0.5, 1.0]},
    }
