"""Streamable HTTP on a real port, alone and beside the other routes, behind the keys of HTTP."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from redis import Redis

from schemas.scope import Scope
from tests.build import NOW
from tests.worker.interfaces.http.calling import Api, serving
from tests.worker.interfaces.mcp.calling import MODES, Answer, environment, hosting, listening
from worker.adapters.api_keys import ApiKeys
from worker.core.access.api_key import ApiKey, Shown
from worker.settings import Settings

HEADERS = {"Accept": "application/json, text/event-stream"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def calling(tool: str, **arguments: Any) -> dict[str, Any]:
    return {**LIST, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def made_key(redis: Redis, number: int, app: str, user: str | None = None) -> dict[str, str]:
    shown = Shown(f"{number:012x}", "s" * 43)
    ApiKeys(redis).add(ApiKey(id=shown.id, digest=shown.digest, app=app, user=user, created_at=NOW))
    return {"Authorization": f"Bearer {shown.text}"}


@pytest.mark.parametrize("command", ["mcp --http", "serve"])
def test_the_tools_answer_on_a_port(
    redis_client: Redis, redis_url: str, tmp_path: Path, scope: Scope, command: str
) -> None:
    redis_client.ping()

    async def talk(url: str, mode: str) -> list[Answer]:
        async with hosting(url, scope, mode) as host:
            return [
                await host("remember", text="The user lives in Oslo."),
                await host("recall", query="Where does the user live?"),
            ]

    with listening(command, environment(tmp_path, redis_url), tmp_path) as url:
        for mode, fate in zip(MODES, ("added", "confirmed"), strict=True):
            written, told = asyncio.run(talk(url, mode))
            assert written.fields["fate"] == fate
            assert [one["text"] for one in told.fields["memories"]] == ["The user lives in Oslo."]


def test_two_clients_at_once_have_each_their_own_memory(
    redis_client: Redis, redis_url: str, tmp_path: Path
) -> None:
    people = {"ann": "Oslo", "bob": "Rome"}
    keys = {
        user: made_key(redis_client, at, "acme", user) for at, user in enumerate(people, start=1)
    }

    async def live(url: str, user: str) -> list[str]:
        async with (
            httpx2.AsyncClient(headers=keys[user]) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            for at in range(5):
                text = f"Note {at}: {user} lives in {people[user]}."
                Answer(await client.call_tool("remember", {"text": text})).fields  # noqa: B018
            told = Answer(await client.call_tool("recall", {"query": "Oslo Rome", "limit": 50}))
            return [one["text"] for one in told.fields["memories"]]

    async def both(url: str) -> list[list[str]]:
        return await asyncio.gather(*(live(url, user) for user in people))

    with listening("mcp --http", environment(tmp_path, redis_url), tmp_path) as url:
        ann, bob = asyncio.run(both(url))

    assert ann
    assert bob
    assert all("Oslo" in text for text in ann)
    assert all("Rome" in text for text in bob)


@pytest.fixture
def api(settings: Settings, redis_client: Redis, scope: Scope) -> Any:
    with serving(settings, redis_client, scope) as made:
        yield made


def post(api: Api, message: object, **options: Any) -> Any:
    headers = {**HEADERS, **options.pop("headers", {})}
    return api.client.post("/mcp", json=message, headers=headers, **options)


def asked_for(listed: Any) -> set[str]:
    """What `recall` takes."""
    (data,) = [line for line in listed.text.splitlines() if line.startswith("data: ")]
    tools = json.loads(data.removeprefix("data: "))["result"]["tools"]
    (recall,) = [tool for tool in tools if tool["name"] == "recall"]
    return {*recall["inputSchema"]["properties"]}


def test_without_a_key_only_this_machine_is_served(api: Api) -> None:
    assert post(api, LIST).status_code == 200
    for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
        told = post(api, LIST, headers=headers)
        assert told.status_code == 403
        assert "without an API key only this machine" in told.json()["detail"]


def test_a_key_is_asked_for_at_each_request_and_a_revoked_one_opens_nothing(api: Api) -> None:
    times = iter(range(0, 10**6, 10))
    api.service.keyring.now = lambda: float(next(times))
    api.key("another")
    key = api.key(api.scope.app)

    assert post(api, LIST).status_code == 401
    assert post(api, LIST, headers=key).status_code == 200
    ApiKeys(api.redis).remove(key["Authorization"].split("_")[1])
    assert post(api, LIST, headers=key).status_code == 401


def test_what_a_key_says_is_not_asked_for_and_cannot_be_said_otherwise(api: Api) -> None:
    whole, app = api.key(api.scope.app, api.scope.user), api.key(api.scope.app)
    names = {"query": "Oslo", "app": "another", "user": "bob"}

    assert asked_for(post(api, LIST, headers=whole)) == {"query", "limit", "max_tokens"}
    assert asked_for(post(api, LIST, headers=app)) == {"query", "limit", "max_tokens", "user"}
    for key in (whole, app):
        assert "`app` is not known here" in post(api, calling("recall", **names), headers=key).text


@pytest.mark.parametrize("fixed", [{"mcp_app": "another"}, {"mcp_user": "bob"}])
def test_a_key_of_another_than_the_settings_say_is_refused(
    settings: Settings, redis_client: Redis, scope: Scope, fixed: dict[str, str]
) -> None:
    with serving(settings.model_copy(update=fixed), redis_client, scope) as api:
        told = post(api, LIST, headers=api.key(scope.app, scope.user))

    assert told.status_code == 403


def test_the_limits_of_http_hold(settings: Settings, redis_client: Redis, scope: Scope) -> None:
    limited = settings.model_copy(update={"http_rate_per_minute": 2, "http_max_body_bytes": 2_000})
    with serving(limited, redis_client, scope) as api:
        long = post(api, calling("recall", query="x" * 3_000))
        answers = [post(api, LIST).status_code for _ in range(3)]

    assert long.status_code == 413
    assert answers == [200, 200, 429]


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_nothing_but_messages_is_taken(api: Api, method: str) -> None:
    told = api.client.request(method, "/mcp", headers=HEADERS)

    assert told.status_code == 405
    assert told.headers["Allow"] == "POST"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"jsonrpc":"2.0"}', b"[" * 10_000, b"\xff"])
def test_what_is_no_message_is_refused_without_a_trace(api: Api, body: bytes) -> None:
    told = api.client.post(
        "/mcp", content=body, headers={**HEADERS, "Content-Type": "application/json"}
    )

    assert 400 <= told.status_code < 500
    assert "Traceback" not in told.text


def test_a_client_that_goes_in_the_middle_leaves_the_server_well(
    redis_client: Redis, redis_url: str, tmp_path: Path, scope: Scope
) -> None:
    redis_client.ping()
    names = {"app": scope.app, "user": scope.user}

    async def go(url: str) -> None:
        async with httpx2.AsyncClient(headers=HEADERS) as client:
            for at in range(10):
                message = calling("remember", text=f"Note {at} of the user.", **names)
                asked = asyncio.ensure_future(client.post(url, json=message))
                await asyncio.sleep(at / 500)
                asked.cancel()
                await asyncio.gather(asked, return_exceptions=True)

    async def ask(url: str) -> Answer:
        async with hosting(url, scope) as host:
            return await host("status")

    with listening("mcp --http", environment(tmp_path, redis_url), tmp_path) as url:
        asyncio.run(go(url))
        assert 0 <= asyncio.run(ask(url)).fields["memories"] <= 10

    assert "Traceback" not in (tmp_path / "log").read_text()
