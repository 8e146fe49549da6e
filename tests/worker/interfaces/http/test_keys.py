"""Who is let in: by a key, or without any from this machine alone."""

import json
import logging

import pytest
from redis import Redis
from structlog.testing import capture_logs

from schemas.keys import API_KEYS
from schemas.scope import Scope
from tests.worker.interfaces.http.calling import Api, local, serving
from worker.adapters.api_keys import FRESH_SECONDS
from worker.interfaces.http.app import create_app
from worker.settings import Settings


def status(api: Api, **options: object) -> int:
    return api.get("/v1/memories", **options).status_code


@pytest.fixture
def clock(api: Api) -> list[float]:
    """Seconds, as the server's look-ups of keys see them."""
    now = [0.0]
    api.service.keyring.now = lambda: now[0]
    return now


def test_without_any_key_this_machine_is_served(api: Api) -> None:
    assert status(api) == 200


def test_a_key_is_needed_within_a_second_of_the_first_that_is_made(
    api: Api, clock: list[float]
) -> None:
    assert status(api) == 200
    key = api.key(api.scope.app)
    assert status(api, headers=key) == 200

    clock[0] += FRESH_SECONDS

    assert status(api) == 401
    assert status(api, headers=key) == 200


def test_a_key_that_was_revoked_opens_nothing_after_a_second(
    api: Api, clock: list[float], redis_client: Redis
) -> None:
    api.key("another")
    key = api.key(api.scope.app)
    assert status(api, headers=key) == 200
    redis_client.hdel(API_KEYS, f"{1:012x}")

    clock[0] += FRESH_SECONDS

    assert status(api, headers=key) == 401


def test_a_refused_key_is_told_how_to_get_one(api: Api) -> None:
    api.key("acme")
    told = api.get("/v1/memories")

    assert told.headers["www-authenticate"] == "Bearer"
    assert "slowwave key add" in told.json()["detail"]


@pytest.mark.parametrize(
    "given", ["Bearer x", "Bearer ", "Basic YTpi", "Bearer sw_000000000000_x", "x", "Bearer é"]
)
@pytest.mark.parametrize("any_key", [True, False])
def test_what_is_no_key_opens_nothing_even_where_none_is_needed(
    api: Api, given: str, *, any_key: bool
) -> None:
    if any_key:
        api.key(api.scope.app)

    assert status(api, headers={"Authorization": given.encode()}) == 401


@pytest.mark.parametrize(
    ("host", "status_code"),
    [
        *[("127.0.0.1", 200), ("localhost", 200), ("localhost:99", 200), ("[::1]:8765", 200)],
        *[("evil.example", 403), ("127.0.0.1.evil.example", 403), ("localhost.evil.example", 403)],
        *[("10.0.0.1", 403), ("0.0.0.0", 403), ("", 403)],  # noqa: S104 - it is refused
        *[("evil.example:99999", 403), ("[evil", 403), ("localhost@evil.example", 403)],
    ],
)
def test_without_a_key_only_the_names_of_this_machine_are_answered(
    api: Api, host: str, status_code: int
) -> None:
    assert status(api, headers={"Host": host}) == status_code


@pytest.mark.parametrize("host", ["evil.example", "10.0.0.1"])
def test_with_a_key_any_name_is_answered(api: Api, host: str) -> None:
    assert status(api, headers={**api.key(api.scope.app), "Host": host}) == 200


@pytest.mark.parametrize(
    ("origin", "status_code"),
    [
        *[("http://localhost:3000", 200), ("http://127.0.0.1:8765", 200)],
        *[("https://evil.example", 403), ("null", 403), ("http://localhost.evil.example", 403)],
        *[("http://[", 403), ("localhost", 403), ("", 403)],
    ],
)
def test_without_a_key_no_page_of_another_place_may_ask(
    api: Api, origin: str, status_code: int
) -> None:
    assert status(api, headers={"Origin": origin}) == status_code


@pytest.mark.parametrize(("peer", "status_code"), [("127.0.0.1", 200), ("10.0.0.7", 403)])
def test_without_a_key_no_other_machine_may_ask(api: Api, peer: str, status_code: int) -> None:
    with local(create_app(api.service), client=(peer, 50_000)) as client:
        assert client.get("/v1/memories", params=api.whose).status_code == status_code


def test_a_server_for_other_machines_needs_a_key_even_once_its_last_is_revoked(
    settings: Settings, redis_client: Redis, scope: Scope
) -> None:
    public = settings.model_copy(update={"http_host": "0.0.0.0"})  # noqa: S104 - what it is about
    with serving(public, redis_client, scope) as api:
        assert status(api) == 401


def test_neither_keys_nor_words_nor_names_are_logged(
    api: Api, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    key = api.key(api.scope.app)
    other = api.key("another")
    secret = key["Authorization"].rpartition("_")[2]
    with capture_logs() as logged:
        for headers in (key, other, {"Authorization": key["Authorization"][:-1] + "t"}, {}):
            api.post("/v1/turns", {"role": "user", "text": "marmalade"}, headers=headers)
            api.post("/v1/turns", {"role": "marmalade", "text": 7}, headers=headers)
            api.post("/v1/recall", {"queries": ["marmalade"]}, headers=headers)
            api.post("/v1/memories", {"text": "marmalade"}, headers=headers)
            api.get("/v1/memories/marmalade", headers=headers)

    ours = [one.getMessage() for one in caplog.records if one.name != "httpx2"]
    out = json.dumps([logged, ours], default=str) + "".join(capfd.readouterr())
    assert not [hidden for hidden in (secret, "marmalade", api.scope.app) if hidden in out]
