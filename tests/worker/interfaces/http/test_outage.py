"""The server while Redis is down: what needs none goes on."""

from collections.abc import Iterator
from typing import Any

import pytest

from schemas.scope import Scope
from tests.redis_service import RedisServer
from tests.worker.interfaces.http.calling import Api, serving
from worker.adapters.redis_server import connect
from worker.settings import Settings


@pytest.fixture
def down(settings: Settings, redis_server: RedisServer, scope: Scope) -> Iterator[Api]:
    """One that has worked, and whose Redis was killed since; `ann` has a key."""
    own = settings.model_copy(update={"redis_url": redis_server.url})
    with connect(redis_server.url) as client, serving(own, client, scope) as api:
        api.remember("Lives in Oslo")
        api.client.headers.update(api.key(scope.app, scope.user))
        assert api.get("/v1/memories").status_code == 200
        redis_server.kill()
        yield api


def test_recall_answers_all_the_same_and_says_what_it_could_not_do(down: Api) -> None:
    told = down.post("/v1/recall", {"queries": ["Oslo"], "conversation": "42"})

    assert told.status_code == 200
    assert [one["text"] for one in told.json()["items"]] == ["Lives in Oslo"]
    (degraded,) = told.json()["degraded"]
    assert "may be shown again" in degraded
    assert "127.0.0.1" not in degraded


def test_memories_are_read_all_the_same(down: Api) -> None:
    assert len(down.get("/v1/memories").json()["memories"]) == 1


TURN = {"role": "user", "text": "I live in Rome.", "id": "1"}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/turns", TURN),
        ("POST", "/v1/turns", [TURN] * 60),
        ("POST", "/v1/memories", {"text": "Owns a boat"}),
    ],
)
def test_what_needs_redis_is_to_be_tried_again_later(
    down: Api, method: str, path: str, body: object
) -> None:
    told = down(method, path, json=body)

    assert told.status_code == 503
    assert int(told.headers["retry-after"]) > 0
    assert "Redis" in told.json()["detail"]
    assert "127.0.0.1" not in told.text
    if isinstance(body, list):
        assert [one["status"] for one in told.json()["answers"]] == ["unavailable"] * 60


def test_of_lines_no_more_are_read_once_one_could_not_be_taken(down: Api) -> None:
    body = b'{"role": "user", "text": "Yes."}\n' * 500
    headers = {"Content-Type": "application/x-ndjson"}

    told = down("POST", "/v1/turns", content=body, headers=headers)

    assert told.status_code == 503
    assert len(told.text.splitlines()) == 50
    assert "127.0.0.1" not in told.text


def test_of_a_list_no_more_are_tried_once_one_could_not_be_taken(
    down: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []
    publish_many = down.service.producer.publish_many

    async def counted(turns: Any, earlier: Any = None) -> Any:
        tries.append(len(turns))
        return await publish_many(turns, earlier)

    monkeypatch.setattr(down.service.producer, "publish_many", counted)
    told = down.post("/v1/turns", [TURN] * 160)

    assert tries == [50]
    assert len(told.json()["answers"]) == 160


def test_a_key_that_nobody_has_looked_up_yet_cannot_be_known(down: Api) -> None:
    other = {"Authorization": f"Bearer sw_{7:012x}_{'s' * 43}"}

    told = down.get("/v1/memories", headers=other)

    assert told.status_code == 503
    assert "no key can be looked up" in told.json()["detail"]


def test_the_server_lives_and_is_not_ready(down: Api) -> None:
    assert down.client.get("/health").status_code == 200
    told = down.client.get("/ready")
    assert told.status_code == 503
    assert told.json()["problems"]["redis"].startswith("does not answer")
    assert "127.0.0.1" not in told.text
