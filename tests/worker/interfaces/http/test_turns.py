"""Turns in over HTTP, and what has become of them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from redis import Redis

from schemas.limits import Limits
from schemas.scope import Scope
from tests.worker.interfaces.http.calling import Api, serving
from worker.interfaces.http import streaming
from worker.settings import Settings

LINE: Mapping[str, Any] = {"role": "user", "text": "I live in Oslo.", "id": "1"}
NDJSON = {"Content-Type": "application/x-ndjson"}


def lines(*turns: Any) -> bytes:
    return b"".join(json.dumps(turn).encode() + b"\n" for turn in turns)


def numbered(count: int) -> list[dict[str, Any]]:
    return [{**LINE, "id": str(n), "text": f"I own {n} boats."} for n in range(count)]


def pending(api: Api) -> int:
    return api.desk.parts.inbox.status().pending_turns


def test_a_turn_is_published_consolidated_and_recalled(api: Api) -> None:
    told = api.post("/v1/turns", LINE)
    assert told.status_code == 202, told.text
    assert told.json()["status"] == "accepted"
    ticket = told.json()["ticket"]
    assert api.get(f"/v1/tickets/{ticket}").json()["status"] == "waiting"

    api.desk.settle()

    assert api.get(f"/v1/tickets/{ticket}").json()["status"] == "consolidated"
    found = api.post("/v1/recall", {"queries": ["Where do I live?"]})
    assert found.status_code == 200, found.text
    assert [one["text"] for one in found.json()["items"]] == ["User lives in Oslo"]


def test_the_same_turn_twice_is_a_duplicate_and_in_all_the_same(api: Api) -> None:
    api.post("/v1/turns", LINE)

    told = api.post("/v1/turns", LINE)

    assert (told.status_code, told.json()["status"]) == (202, "duplicate")
    assert pending(api) == 1


def test_a_turn_alone_is_another_each_time_and_a_list_is_the_same_history(api: Api) -> None:
    yes = {"role": "user", "text": "Yes."}
    for _ in range(2):
        assert api.post("/v1/turns", yes).json()["status"] == "accepted"

    first = api.post("/v1/turns", [yes, yes]).json()
    again = api.post("/v1/turns", [yes, yes]).json()

    assert [one["status"] for one in first] == ["accepted", "accepted"]
    assert [one["status"] for one in again] == ["duplicate", "duplicate"]


def test_a_long_list_is_told_apart_over_its_portions(api: Api) -> None:
    yes = {"role": "user", "text": "Yes."}

    told = api.post("/v1/turns", [yes] * 120)

    assert [one["status"] for one in told.json()] == ["accepted"] * 120
    assert pending(api) == 120


def test_a_list_answers_each_turn_and_the_worst_decides(api: Api) -> None:
    told = api.post("/v1/turns", [LINE, 7, {"role": "user"}, {**LINE, "id": "2", "mood": "x"}])

    problem = told.json()
    assert told.status_code == 422
    assert told.headers["content-type"] == "application/problem+json"
    assert [one["status"] for one in problem["answers"]] == ["accepted", *["refused"] * 3]
    assert problem["detail"].startswith("3 of 4 turns are refused: mend those. The first: ")
    assert problem["answers"][1]["message"] == "is not an object"
    assert "`text`" in problem["answers"][2]["message"]
    assert not any("line" in (one["message"] or "") for one in problem["answers"])
    assert pending(api) == 1


def test_a_turn_that_is_refused_says_what_is_wrong(api: Api) -> None:
    told = api.post("/v1/turns", {**LINE, "text": "a\0b"})

    assert told.status_code == 422
    assert "NUL" in told.json()["answers"][0]["message"]


def test_what_finds_no_room_is_told_to_come_again(api: Api) -> None:
    api.desk.parts.inbox.configure(Limits(max_pending=1))

    told = api.post("/v1/turns", numbered(3))

    assert told.status_code == 429
    assert told.headers["retry-after"] == "5"
    assert [one["status"] for one in told.json()["answers"]] == ["accepted", "full", "full"]


def test_lines_are_answered_one_by_one(api: Api) -> None:
    body = lines(LINE, {"role": "user"}) + b"\n  \nnot json\n" + lines(LINE).rstrip(b"\n")

    told = api("POST", "/v1/turns", content=body, headers=NDJSON)

    answers = [json.loads(line) for line in told.text.splitlines()]
    assert told.status_code == 422
    assert told.headers["content-type"] == "application/x-ndjson"
    assert [(one["line"], one["status"]) for one in answers] == [
        *[(1, "accepted"), (2, "refused"), (5, "refused"), (6, "duplicate")],
    ]


def test_lines_may_be_cut_anywhere_and_be_longer_together_than_a_body(
    settings: Settings, redis_client: Redis, scope: Scope
) -> None:
    small = settings.model_copy(update={"http_max_body_bytes": 2_000})
    body = lines(*numbered(200))
    assert len(body) > 5 * 2_000

    def pieces() -> Iterator[bytes]:
        yield from (body[at : at + 97] for at in range(0, len(body), 97))

    with serving(small, redis_client, scope) as api:
        told = api("POST", "/v1/turns", content=pieces(), headers=NDJSON)

    assert told.status_code == 202
    assert len(told.text.splitlines()) == 200
    assert pending_of(redis_client) == 200


def pending_of(redis: Redis) -> int:
    return int(redis.hget("slowwave:{0}:counters", "pending") or 0)


def test_a_line_that_is_too_long_is_refused_alone(
    settings: Settings, redis_client: Redis, scope: Scope
) -> None:
    small = settings.model_copy(update={"http_max_body_bytes": 2_000})
    body = lines(LINE, {**LINE, "id": "2", "text": "x" * 3_000}, {**LINE, "id": "3"})
    with serving(small, redis_client, scope) as api:
        told = api("POST", "/v1/turns", content=body, headers=NDJSON)

    answers = [json.loads(line) for line in told.text.splitlines()]
    assert [one["status"] for one in answers] == ["accepted", "refused", "accepted"]
    assert "longer than 2,000 bytes" in answers[1]["message"]


def test_answers_to_many_lines_are_not_kept_in_memory(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "KEPT_BYTES", 1_000)

    told = api("POST", "/v1/turns", content=lines(*numbered(130)), headers=NDJSON)

    assert [json.loads(one)["line"] for one in told.text.splitlines()] == [*range(1, 131)]


def test_beyond_so_many_lines_none_is_read(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "MOST_LINES", 60)

    told = api("POST", "/v1/turns", content=lines(*numbered(70)), headers=NDJSON)

    last = json.loads(told.text.splitlines()[-1])
    assert told.status_code == 422
    assert (last["line"], last["status"]) == (61, "refused")
    assert "publish from it on" in last["message"]
    assert pending(api) == 60


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data", "", "application/xml"])
def test_what_is_neither_json_nor_lines_is_refused(api: Api, kind: str) -> None:
    told = api("POST", "/v1/turns", content=lines(LINE), headers={"Content-Type": kind})

    assert told.status_code == 415
    assert "application/json" in told.json()["detail"]
    assert pending(api) == 0


@pytest.mark.parametrize("named", ["line", "address"])
def test_a_turn_for_another_app_or_user_than_the_key_is_refused(api: Api, named: str) -> None:
    headers = api.key("acme", "ann")
    for whose in ({"app": "other"}, {"user": "bob"}, {"app": ["acme"]}, {"user": 7}):
        params = whose if named == "address" else {}
        line = LINE if named == "address" else {**LINE, **whose}
        if named == "address" and not isinstance(next(iter(whose.values())), str):
            continue
        for body in (line, [line]):
            told = api.client.post("/v1/turns", json=body, params=params, headers=headers)
            assert told.status_code in {403, 422}, (whose, told.text)
            assert "this key is for another" in told.text
        told = api.client.post(
            "/v1/turns", content=lines(line), params=params, headers={**headers, **NDJSON}
        )
        assert "this key is for another" in told.text
    assert pending(api) == 0


@pytest.mark.parametrize(
    ("bound", "line", "fits"),
    [
        (("acme", "ann"), {}, True),
        (("acme", "ann"), {"app": "acme", "user": "ann"}, True),
        (("acme", "ann"), {"app": " acme ", "user": None}, True),
        (("acme", None), {"user": "bob"}, True),
        (("acme", None), {}, False),
    ],
)
def test_a_key_fills_the_names_that_a_turn_leaves_out(
    api: Api, bound: tuple[str, str | None], line: dict[str, Any], fits: bool
) -> None:
    headers = api.key(*bound)

    told = api.client.post("/v1/turns", json={**LINE, **line}, headers=headers)

    assert told.status_code == (202 if fits else 422), told.text
    assert pending(api) == fits


def test_a_ticket_is_told_to_its_own_scope_alone(api: Api) -> None:
    ticket = api.post("/v1/turns", LINE).json()["ticket"]

    told = api.get(f"/v1/tickets/{ticket}", params={"user": "somebody else"})

    assert told.status_code == 404


def test_a_ticket_waits_until_its_turn_is_settled(api: Api) -> None:
    ticket = api.post("/v1/turns", LINE).json()["ticket"]
    api.desk.settle()

    assert api.get(f"/v1/tickets/{ticket}", params={"wait": 60}).json()["status"] == "consolidated"


@pytest.mark.parametrize("wait", ["61", "-1", "nan", "inf", "x"])
def test_nobody_waits_longer_than_a_minute(api: Api, wait: str) -> None:
    ticket = api.post("/v1/turns", LINE).json()["ticket"]

    told = api.get(f"/v1/tickets/{ticket}", params={"wait": wait})

    assert told.status_code == 422
    assert told.json()["errors"][0]["field"] == "query.wait"


@pytest.mark.parametrize("ticket", ["x", "a.b.c.d", "1" * 150, "%00", "é"])
def test_what_is_no_ticket_is_refused_and_not_repeated(api: Api, ticket: str) -> None:
    told = api.get(f"/v1/tickets/{ticket}")

    assert told.status_code == 422
    assert "no ticket" in told.json()["detail"]
    assert ticket not in told.json()["detail"] or ticket == "x"
