"""The same over HTTP, whichever store it is."""

from collections.abc import Iterator

import pytest
from redis import Redis

from schemas.scope import Scope
from tests.worker.interfaces.http.calling import Api, serving
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.core.ports import Store
from worker.settings import Settings


@pytest.fixture
def embedding() -> tuple[str, int]:
    return HashedEmbedder().fingerprint, HashedEmbedder().dimensions


@pytest.fixture
def both(
    store: Store, store_url: str, settings: Settings, redis_client: Redis, scope: Scope
) -> Iterator[Api]:
    with serving(settings.model_copy(update={"store_url": store_url}), redis_client, scope) as made:
        yield made


def test_a_memory_is_written_found_changed_and_put_back(both: Api) -> None:
    id = both.remember("Lives in Oslo", attribute="home")
    both.remember("Owns a wooden boat")
    stale = {"If-Match": '"7"'}

    assert both("PATCH", f"/v1/memories/{id}", json={"text": "x"}, headers=stale).status_code == 412
    both("PATCH", f"/v1/memories/{id}", json={"text": "Lives in Bergen"})
    found = both.post("/v1/recall", {"queries": ["in Bergen?"], "limit": 1}).json()["items"]
    assert [one["text"] for one in found] == ["Lives in Bergen"]
    restored = both.post(f"/v1/memories/{id}/restore", {"version": 1}).json()
    assert restored["version"] == 3
    history = both.get(f"/v1/memories/{id}/history").json()
    assert history["live"]["text"] == "Lives in Oslo"
    assert [one["memory"]["version"] for one in history["archives"]] == [2, 1]


def test_a_list_goes_on_behind_its_first_page(both: Api) -> None:
    for n in range(3):
        both.remember(f"Owns boat {n}")
    first = both.get("/v1/memories", params={"limit": 2}).json()

    rest = both.get("/v1/memories", params={"limit": 2, "cursor": first["next"]}).json()

    assert [one["text"] for one in rest["memories"]] == ["Owns boat 0"]
    assert rest["next"] is None


def test_nothing_of_one_scope_is_found_from_another(both: Api) -> None:
    id = both.remember("The gate code is 4417")
    other = {"user": "somebody else"}

    assert both.get(f"/v1/memories/{id}", params=other).status_code == 404
    assert both.get(f"/v1/memories/{id}/history", params=other).status_code == 404
    changed = both("PATCH", f"/v1/memories/{id}", json={"pinned": True}, params=other)
    assert changed.status_code == 404
    told = both.post("/v1/recall", {"queries": ["gate code"]}, params=other).json()
    assert told["items"] == []
    assert both.get("/v1/memories", params=other).json()["memories"] == []
