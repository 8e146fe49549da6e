"""Nobody is told anything of another's, by any route of the server."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any
from uuid import UUID

import pytest
from httpx2 import Response

from tests.worker.interfaces.http.calling import Api
from worker.interfaces.http.app import described

#: These tell nothing of anybody.
OPEN = {("GET", "/health"), ("GET", "/ready"), ("GET", "/openapi.json")}
#: What stands in a body so that the route would do something; the id of a memory stands for `ID`, and the name of
#: the user for `USER`.
ID, USER = "ID", "USER"
BODIES: dict[tuple[str, str], Any] = {
    ("POST", "/v1/turns"): {"role": "user", "text": "The gate code is 1", "id": "1"},
    ("POST", "/v1/recall"): {"queries": ["gate code"], "with_history": True},
    ("POST", "/v1/recall/feedback"): {"memory_id": ID, "useful": False},
    ("POST", "/v1/memories"): {"text": "The gate code is 1", "supersedes": [ID]},
    ("PATCH", "/v1/memories/{id}"): {"text": "The gate code is 1"},
    ("POST", "/v1/memories/{id}/restore"): {"version": 1},
    ("POST", "/v1/forget/look"): {"query": "gate code"},
    ("POST", "/v1/forget"): {"ids": [ID]},
    ("POST", "/v1/erase"): {"user": USER},
    ("POST", "/v1/runs/{id}/undo"): {"remember_again": True},
    ("POST", "/v1/sleep"): {},
    ("POST", "/v1/parked/replay"): {"all": True},
    ("POST", "/v1/parked/accept"): {"all": True},
    ("POST", "/v1/parked/drop"): {"all": True},
}
#: A word of what is known of the owner, and of nobody else.
SECRET = "wisteria"


#: No route of FastAPI, so that it is in no description; a GET of it would not end.
BESIDE = {("POST", "/mcp"), ("DELETE", "/mcp")}
DESCRIBED = {
    (method.upper(), path)
    for path, methods in described().openapi()["paths"].items()
    for method in methods
}
#: These take the names of a scope in their address.
SCOPED = {
    (method.upper(), path)
    for path, methods in described().openapi()["paths"].items()
    for method, route in methods.items()
    if any(one["name"] == "app" for one in route.get("parameters", ()))
}
#: All that is there, but for what tells nothing.
ROUTES = sorted((DESCRIBED | BESIDE) - OPEN)


def named(route: tuple[str, str]) -> str:
    return " ".join(route)


@dataclass(frozen=True)
class Owner:
    """Who knows a code in its second version, and has a turn that waits."""

    api: Api
    memory: UUID
    ticket: str

    def asked(
        self, route: tuple[str, str], headers: dict[str, str], params: dict[str, str]
    ) -> Response:
        method, path = route
        run = next(iter(self.api.desk.runs())).id
        is_run = any(word in path for word in ("/runs", "/proposals"))
        id = str(run if is_run else self.memory)
        filled = path.replace("{ticket}", self.ticket)
        while "{" in filled:
            before, _, rest = filled.partition("{")
            filled = f"{before}{id}{rest.partition('}')[2]}"
        return self.api.client.request(
            method, filled, params=params, headers=headers, json=self._body(route)
        )

    def _body(self, route: tuple[str, str]) -> Any:
        if route[0] == "GET":
            return None
        body: dict[str, Any] = BODIES.get(route, {})
        swapped = {ID: str(self.memory), USER: self.api.scope.user}
        return {
            name: [str(self.memory)] if value == [ID] else swapped.get(str(value), value)
            for name, value in body.items()
        }

    def everything(self) -> tuple[object, ...]:
        """All that is kept of the owner."""
        store, scope = self.api.desk.parts.store, self.api.scope
        records = (store.memories(scope), store.archives(scope), store.runs(scope))
        turns = self.api.redis.lrange(f"slowwave:{{0}}:turns:{scope.key}", 0, -1)
        return (*map(list, records), turns)


@pytest.fixture
def owner(api: Api) -> Iterator[Owner]:
    memory = api.remember("The gate code is wisteria")
    told = api("PATCH", f"/v1/memories/{memory}", json={"text": "The gate code is wisterias"})
    assert told.status_code == 200
    ticket = api.post("/v1/turns", {"role": "user", "text": "Not wisteria but wisterias."}).json()[
        "ticket"
    ]
    api.key("somebody")
    api.service.keyring.now = count(10**9, 10).__next__
    made = Owner(api, memory, ticket)
    before = made.everything()
    yield made
    assert made.everything() == before


def test_the_table_has_every_route_that_takes_a_body() -> None:
    described_here = described().openapi()["paths"]

    found = {
        (method.upper(), path)
        for path, methods in described_here.items()
        for method, route in methods.items()
        if "requestBody" in route
    }

    assert found == {*BODIES}


def test_every_route_of_the_server_is_tried_here(api: Api) -> None:
    listed = {getattr(route, "path", None) for route in api.client.app.routes}  # type: ignore[attr-defined]

    assert listed - {None} <= {path for _, path in [*ROUTES, *OPEN]}


WRONG = {
    "no key": "",
    "no key of ours": "Bearer letmein",
    "a key that was never made": f"Bearer sw_{99:012x}_{'s' * 43}",
    "a wrong secret": f"Bearer sw_{0:012x}_{'t' * 43}",
}


@pytest.mark.parametrize("route", ROUTES, ids=named)
def test_without_a_key_no_route_answers(owner: Owner, route: tuple[str, str]) -> None:
    for name, given in WRONG.items():
        headers = {"Authorization": given} if given else {}
        # Where no names belong, they are refused before a key is looked at.
        for params in (owner.api.whose, {}) if route in SCOPED else ({},):
            told = owner.asked(route, headers, params)
            assert told.status_code == 401, (name, told.text)
            assert SECRET not in told.text


@pytest.mark.parametrize("route", ROUTES, ids=named)
def test_a_key_of_another_app_or_user_is_told_nothing_by_any_route(
    owner: Owner, route: tuple[str, str]
) -> None:
    scope = owner.api.scope
    others = {
        "another app's": owner.api.key(f"{scope.app}2"),
        "another user's": owner.api.key(scope.app, f"{scope.user}2"),
        "the same user's elsewhere": owner.api.key(f"{scope.app}2", scope.user),
    }
    for name, headers in others.items():
        for params in (owner.api.whose, {"app": scope.app}, {"user": scope.user}):
            told = owner.asked(route, headers, params)
            assert SECRET not in told.text, (name, params)
            names_anothers = params.get("app") == scope.app and name != "another user's"
            names_anothers |= "user" in params and name == "another user's"
            if names_anothers and route in SCOPED:
                assert told.status_code == 403, (name, params, told.text)


@pytest.mark.parametrize("route", ROUTES, ids=named)
def test_ids_of_somebody_else_are_ids_of_nothing(owner: Owner, route: tuple[str, str]) -> None:
    headers = owner.api.key(f"{owner.api.scope.app}2")
    told = owner.asked(route, headers, {"user": owner.api.scope.user})

    assert SECRET not in told.text
    assert told.status_code < 500
    if "{" in route[1]:
        assert told.status_code in {404, 422}, told.text


@pytest.mark.parametrize("route", sorted(OPEN), ids=named)
def test_what_needs_no_key_tells_nothing_of_anybody(owner: Owner, route: tuple[str, str]) -> None:
    told = owner.api.client.request(*route)

    assert told.status_code == 200
    for hidden in (SECRET, owner.api.scope.app, str(owner.memory), owner.api.scope.key):
        assert hidden not in told.text


def test_a_name_that_is_not_sent_as_utf_8_is_nobodys(owner: Owner) -> None:
    headers = owner.api.key(owner.api.scope.app)
    for path in ("/v1/memories?user=ann%E9", "/v1/profile?user=%ff"):
        told = owner.api.client.get(path, headers=headers)
        assert told.status_code == 422
        assert "UTF-8" in told.json()["detail"]


@pytest.mark.parametrize("user", ["", "%20", "%00", "a%0Ab", "x" * 257])
def test_what_is_no_name_is_nobodys(owner: Owner, user: str) -> None:
    headers = owner.api.key(owner.api.scope.app)

    told = owner.api.client.get(f"/v1/memories?user={user}", headers=headers)

    assert told.status_code == 422, told.text
    assert "user" in told.json()["detail"]


def test_of_a_name_that_is_given_twice_the_one_that_counts_is_checked(owner: Owner) -> None:
    headers = owner.api.key("another", "ann")
    for query in (
        f"app=another&app={owner.api.scope.app}",
        f"app={owner.api.scope.app}&app=another",
    ):
        told = owner.api.client.get(f"/v1/memories?{query}", headers=headers)
        assert SECRET not in told.text


def test_a_parameter_that_is_not_known_is_refused(owner: Owner) -> None:
    headers = owner.api.key(owner.api.scope.app, owner.api.scope.user)
    told = owner.api.client.get("/v1/memories?validat=2026-01-01", headers=headers)

    assert told.status_code == 422
    assert "`valid_at`" in told.json()["detail"]
    assert "validat=" not in told.json()["detail"]
