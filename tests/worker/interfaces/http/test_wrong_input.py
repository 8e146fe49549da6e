"""Whatever is sent, the answer is a problem that says what is wrong, and no route breaks."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.worker.interfaces.http.calling import Api
from worker.interfaces.http.app import described
from worker.interfaces.http.problems import LONGEST_NAME, MEDIA_TYPE, MOST_FAULTS

ID = "6f1c0a9e-0000-5000-8000-000000000001"
BODIED = sorted(
    (method.upper(), path)
    for path, methods in described().openapi()["paths"].items()
    for method, route in methods.items()
    if "requestBody" in route
)


def route(call: tuple[str, str]) -> tuple[str, str]:
    method, path = call
    return method, path.replace("{id}", ID)


RAW: dict[str, bytes] = {
    "nothing": b"",
    "no JSON": b"{",
    "two documents": b"{} {}",
    "a number": b"7",
    "null": b"null",
    "a text": b'"text"',
    "lists in lists": b"[" * 100_000,
    "objects in objects": b'{"a":' * 100_000,
    "a whole deep document": b"[" * 900 + b"]" * 900,
    "no UTF-8": b'{"text": "\xff\xfe"}',
    "latin-1": '{"text": "Århus"}'.encode("latin-1"),
    "half a surrogate pair": b'{"text": "\\ud800", "queries": ["\\ud800"], "role": "user"}',
    "half a pair in a name": b'{"\\ud800": 1, "text": "x", "role": "user"}',
    "NUL": b'{"text": "a\\u0000b", "queries": ["a\\u0000b"], "role": "user"}',
    "no number": b'{"text": NaN, "queries": [Infinity], "version": NaN, "role": "user"}',
    "a long number": b'{"version": ' + b"9" * 5_000 + b"}",
    "many unknown fields": b"{" + b",".join(b'"a%d": 1' % n for n in range(1_000)) + b"}",
    "a long name": b'{"' + b"a" * 100_000 + b'": 1}',
    "a name of somebody": b'{"__class__": {"x": 1}, "__proto__": 2}',
}


@pytest.mark.parametrize("call", BODIED, ids=" ".join)
def test_a_body_that_cannot_be_is_refused_by_every_route(api: Api, call: tuple[str, str]) -> None:
    for name, body in RAW.items():
        told = api(*route(call), content=body, headers={"Content-Type": "application/json"})
        assert 400 <= told.status_code < 500, (name, told.text[:200])
        assert told.headers["content-type"] == MEDIA_TYPE, name
        problem = told.json()
        assert problem["detail"], name
        assert len(problem["errors"]) <= MOST_FAULTS, name
        assert len(told.content) < 20 * (LONGEST_NAME + 200), name


@pytest.mark.parametrize("call", BODIED, ids=" ".join)
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_what_a_page_may_send_without_asking_is_refused(
    api: Api, call: tuple[str, str], kind: str
) -> None:
    body = b'{"text": "x", "role": "user", "version": 1, "queries": [], "pinned": true}'

    told = api(*route(call), content=body, headers={"Content-Type": kind})

    assert told.status_code in {415, 422}, told.text
    assert "Content-Type: application/json" in told.json()["detail"]


def test_what_was_sent_is_not_repeated(api: Api) -> None:
    told = api.post("/v1/memories", {"text": 7, "kind": ["hunter2"], "until": "hunter2"})

    assert told.status_code == 422
    assert len(told.json()["errors"]) == 3
    assert "hunter2" not in told.text


def test_every_fault_is_named_by_its_field(api: Api) -> None:
    told = api.post("/v1/recall", {"limit": 0, "filters": {"kinds": [1]}})

    assert [one["field"] for one in told.json()["errors"]] == ["body.limit", "body.filters.kinds.0"]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.just("2026-01-01T00:00:00Z"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
FIELDS = {
    call: sorted(described().openapi()["components"]["schemas"][name]["properties"])
    for call, name in {
        ("POST", "/v1/recall"): "RecallBody",
        ("POST", "/v1/memories"): "StatementLine",
        ("PATCH", "/v1/memories/{id}"): "Amendment",
        ("POST", "/v1/turns"): "TurnLine",
    }.items()
}


@pytest.mark.parametrize("call", [*FIELDS], ids=" ".join)
@given(data=st.data())
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_value_of_any_field_breaks_a_route(
    api: Api, call: tuple[str, str], data: st.DataObject
) -> None:
    names = st.sampled_from(FIELDS[call])
    body: dict[str, Any] = data.draw(st.dictionaries(names, VALUES, max_size=3))
    method, path = route(call)
    told = api(method, path, content=_json(body), headers={"Content-Type": "application/json"})

    assert told.status_code < 500, told.text


def _json(body: object) -> bytes:
    """NaN and half pairs as Python writes them."""
    return json.dumps(body).encode()


@given(data=st.data())
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_value_in_an_address_or_a_header_breaks_a_route(api: Api, data: st.DataObject) -> None:
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
    params = data.draw(
        st.dictionaries(st.sampled_from(["as_of", "valid_at", "limit", "cursor", "user"]), text)
    )
    visible = st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=30)
    sent = st.dictionaries(
        st.sampled_from(["If-Match", "Idempotency-Key", "Authorization"]), visible
    )
    headers = {name: value.encode("latin-1") for name, value in data.draw(sent).items()}

    assert api.get("/v1/memories", params=params, headers=headers).status_code < 500
    changed = api("PATCH", f"/v1/memories/{ID}", json={"pinned": True}, headers=headers)
    assert changed.status_code in {401, 404, 422}
