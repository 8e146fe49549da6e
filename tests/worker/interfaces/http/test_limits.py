"""What one request may send, how often a key may ask, and what every answer says to browsers."""

from collections.abc import Iterator
from typing import Any

import pytest
from redis import Redis

from schemas.scope import Scope
from tests.worker.interfaces.http.calling import Api, local, serving
from worker.interfaces.http.app import ROUTERS, create_app
from worker.interfaces.http.problems import MEDIA_TYPE
from worker.settings import Settings

MOST = 2_000
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def small(settings: Settings, redis_client: Redis, scope: Scope) -> Iterator[Api]:
    with serving(
        settings.model_copy(update={"http_max_body_bytes": MOST}), redis_client, scope
    ) as made:
        yield made


def statement(size: int) -> bytes:
    """So many bytes."""
    body = b'{"text": "Lives in Oslo"}'
    return body + b" " * (size - len(body))


def pieces(body: bytes) -> Iterator[bytes]:
    """Sent without saying how long it is."""
    yield from (body[at : at + 500] for at in range(0, len(body), 500))


@pytest.mark.parametrize("chunked", [True, False])
@pytest.mark.parametrize(("size", "status"), [(MOST, 201), (MOST + 1, 413), (MOST * 50, 413)])
@pytest.mark.parametrize("path", ["/v1/memories", "/v1/turns"])
def test_a_body_is_as_long_as_the_setting_allows(
    small: Api, path: str, size: int, status: int, *, chunked: bool
) -> None:
    body = statement(size)

    told = small("POST", path, content=pieces(body) if chunked else body, headers=JSON)

    if path == "/v1/turns" and status == 201:
        status = 422  # its line has no role
    assert told.status_code == status, told.text
    assert status != 413 or "2,000 bytes" in told.json()["detail"]


@pytest.mark.parametrize("path", ["/v1/memories", "/v1/recall"])
def test_lines_are_longer_than_a_body_only_where_they_are_read_as_they_come(
    small: Api, path: str
) -> None:
    headers = {"Content-Type": "application/x-ndjson"}

    assert small("POST", path, content=statement(MOST + 1), headers=headers).status_code == 413


def test_a_length_that_no_number_holds_is_too_long(small: Api) -> None:
    headers = {**JSON, "Content-Length": "9" * 5_000}

    assert small("POST", "/v1/memories", content=b"{}", headers=headers).status_code == 413


def asked(api: Api, **options: Any) -> list[int]:
    return [api.client.get("/v1/memories", **options).status_code for _ in range(4)]


def test_each_key_may_ask_so_often_in_a_minute(
    settings: Settings, redis_client: Redis, scope: Scope
) -> None:
    slow = settings.model_copy(update={"http_rate_per_minute": 3})
    with serving(slow, redis_client, scope) as api:
        ann, bob = api.key("acme", "ann"), api.key("acme", "bob")

        assert asked(api, headers=ann) == [200, 200, 200, 429]
        assert asked(api, headers=bob) == [200, 200, 200, 429]
        told = api.client.get("/v1/memories", headers=ann)
        assert 1 <= int(told.headers["retry-after"]) <= 120
        assert "more than 3 requests" in told.json()["detail"]
        assert api.client.get("/health").status_code == 200


def test_what_is_refused_for_its_key_takes_nothing_from_that_key(
    settings: Settings, redis_client: Redis, scope: Scope
) -> None:
    slow = settings.model_copy(update={"http_rate_per_minute": 3})
    with serving(slow, redis_client, scope) as api:
        ann = api.key("acme", "ann")
        forged = {"Authorization": ann["Authorization"][:-1] + "t"}

        assert asked(api, headers=forged) == [401] * 4
        assert asked(api, headers=ann) == [200, 200, 200, 429]


def test_without_a_limit_anybody_asks_as_often_as_they_like(
    settings: Settings, redis_client: Redis, scope: Scope
) -> None:
    with serving(
        settings.model_copy(update={"http_rate_per_minute": 0}), redis_client, scope
    ) as api:
        assert asked(api, params=api.whose) == [200] * 4


PREFLIGHT = {"Access-Control-Request-Method": "POST", "Origin": "https://app.example.com"}


def test_pages_of_other_places_may_not_ask(api: Api) -> None:
    key = api.key("acme", "ann")
    told = api.client.options("/v1/recall", headers=PREFLIGHT)
    answer = api.client.get("/v1/memories", headers={**key, "Origin": PREFLIGHT["Origin"]})

    assert told.status_code == 405
    assert not [name for name in told.headers if name.startswith("access-control")]
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_pages_of_a_place_that_is_named_may_ask(
    settings: Settings, redis_client: Redis, scope: Scope
) -> None:
    opened = settings.model_copy(update={"http_origins": ("https://app.example.com",)})
    with serving(opened, redis_client, scope) as api:
        for origin, allowed in ((PREFLIGHT["Origin"], True), ("https://evil.example", False)):
            headers = {**PREFLIGHT, "Origin": origin}
            told = api.client.options("/v1/recall", headers=headers)
            assert (told.headers.get("access-control-allow-origin") == origin) is allowed
        answer = api.client.get("/v1/memories", headers={"Origin": PREFLIGHT["Origin"]})
        assert answer.headers["access-control-allow-origin"] == PREFLIGHT["Origin"]
        assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        *[("GET", "/health", 200), ("GET", "/v1/memories", 200), ("GET", "/nowhere", 404)],
        *[("DELETE", "/health", 405), ("POST", "/v1/recall", 422), ("GET", "/openapi.json", 200)],
    ],
)
def test_nothing_of_an_answer_is_kept_or_guessed_at(
    api: Api, method: str, path: str, status: int
) -> None:
    params = api.whose if path.startswith("/v1") else {}
    told = api.client.request(method, path, params=params)

    assert told.status_code == status
    assert told.headers["cache-control"] == "no-store"
    assert told.headers["x-content-type-options"] == "nosniff"
    assert status < 400 or told.headers["content-type"] == MEDIA_TYPE


def test_a_bug_is_told_without_what_it_was(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(api.service, "open_parts", broken)
    with local(create_app(api.service), raise_server_exceptions=False) as client:
        told = client.get("/v1/memories", params=api.whose)

    assert told.status_code == 500
    assert told.headers["content-type"] == MEDIA_TYPE
    assert told.headers["cache-control"] == "no-store"
    assert "a secret" not in told.text


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/docs/oauth2-redirect"])
def test_no_page_loads_a_script_from_elsewhere(api: Api, path: str) -> None:
    assert api.client.get(path).status_code == 404


def test_the_routes_describe_themselves_with_examples(api: Api) -> None:
    found = api.client.get("/openapi.json").json()

    told = [route for methods in found["paths"].values() for route in methods.values()]
    assert len(told) >= sum(len(router.routes) for router in ROUTERS)
    assert all(route["description"] for route in told)
    recall = found["paths"]["/v1/recall"]["post"]["requestBody"]["content"]["application/json"]
    assert recall["schema"]["examples"]
