"""What is known, listed and changed over HTTP."""

from typing import Any
from uuid import uuid4

import pytest

from tests.worker.interfaces.http.calling import Api


def listed(api: Api, **params: Any) -> list[str]:
    told = api.get("/v1/memories", params=params)
    assert told.status_code == 200, told.text
    return [one["text"] for one in told.json()["memories"]]


def test_pages_follow_each_other_without_a_gap(api: Api) -> None:
    for n in range(7):
        api.remember(f"Owns boat {n}")
    seen, cursor = [], None
    for _ in range(4):
        params = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        page = api.get("/v1/memories", params=params).json()
        seen += [one["text"] for one in page["memories"]]
        cursor = page["next"]

    assert cursor is None
    assert seen == [f"Owns boat {n}" for n in reversed(range(7))]


def test_what_changes_between_two_pages_hides_nothing(api: Api) -> None:
    ids = [api.remember(f"Owns boat {n}") for n in range(4)]
    first = api.get("/v1/memories", params={"limit": 2}).json()
    # The last of the page moves to the front, and a new one comes.
    api("PATCH", f"/v1/memories/{ids[2]}", json={"text": "Owns no boat 2"})
    api.remember("Owns boat 9")

    assert listed(api, limit=2, cursor=first["next"]) == ["Owns boat 1", "Owns boat 0"]


@pytest.mark.parametrize("cursor", ["x", "", "e30", "W10", "WzFd", "bnVsbA", "a" * 999, "é", "%00"])
def test_what_is_no_cursor_is_refused(api: Api, cursor: str) -> None:
    api.remember("Owns a boat")

    told = api.get("/v1/memories", params={"cursor": cursor})

    assert told.status_code == 422
    assert "cursor" in told.json()["detail"]


def test_a_cursor_of_another_list_is_refused(api: Api) -> None:
    for n in range(3):
        api.remember(f"Owns boat {n}")
    cursor = api.get("/v1/memories", params={"limit": 1}).json()["next"]

    for other in ({"as_of": "2030-01-01"}, {"user": "bob"}):
        told = api.get("/v1/memories", params={"cursor": cursor, **other})
        assert told.status_code == 422, other
        assert "none of this list" in told.json()["detail"]


def test_other_times_are_listed(api: Api) -> None:
    id = api.remember("Lives in Bergen", said_at="2026-01-01T00:00:00Z")
    api("PATCH", f"/v1/memories/{id}", json={"text": "Lives in Oslo"})

    assert listed(api) == ["Lives in Oslo"]
    assert listed(api, valid_at="2026-02-01") == ["Lives in Bergen"]
    assert listed(api, as_of="2026-02-01T10:00:00Z") == []


@pytest.mark.parametrize("name", ["as_of", "valid_at"])
@pytest.mark.parametrize("time", ["yesterday", "2026-13-01", "2026-01-01T25:00", "1", "x" * 41])
def test_what_is_no_time_is_refused(api: Api, name: str, time: str) -> None:
    told = api.get("/v1/memories", params={name: time})

    assert told.status_code == 422
    assert name in told.json()["detail"]
    assert time not in told.json()["detail"] or time == "1"


@pytest.mark.parametrize("time", ["0001-01-01", "9999-12-31", "9999-12-31T23:59:59-23:59"])
def test_the_ends_of_the_calendar_are_times(api: Api, time: str) -> None:
    api.remember("Owns a boat")

    for name in ("as_of", "valid_at"):
        assert api.get("/v1/memories", params={name: time}).status_code == 200


def test_a_memory_is_told_with_its_version(api: Api) -> None:
    id = api.remember("Lives in Oslo")

    told = api.get(f"/v1/memories/{id}")

    assert told.json()["text"] == "Lives in Oslo"
    assert told.headers["etag"] == '"1"'


@pytest.mark.parametrize("end", ["", "/history"])
def test_what_is_not_there_is_not_found(api: Api, end: str) -> None:
    assert api.get(f"/v1/memories/{uuid4()}{end}").status_code == 404
    assert api.get(f"/v1/memories/x{end}").status_code == 422


def test_the_history_of_a_memory_is_told_in_pages(api: Api) -> None:
    id = api.remember("Owns boat 0")
    for n in range(1, 5):
        api("PATCH", f"/v1/memories/{id}", json={"text": f"Owns boat {n}", "reason": f"no {n}"})

    first = api.get(f"/v1/memories/{id}/history", params={"limit": 3}).json()
    params = {"limit": 3, "cursor": first["next"]}
    second = api.get(f"/v1/memories/{id}/history", params=params).json()

    assert first["live"]["text"] == "Owns boat 4"
    archives = first["archives"] + second["archives"]
    assert [one["memory"]["version"] for one in archives] == [4, 3, 2, 1]
    assert archives[0]["why"] == "no 4"
    assert second["next"] is None


def test_a_statement_is_weighed_against_what_is_known_unless_it_is_to_stand(api: Api) -> None:
    first = api.post("/v1/memories", {"text": "Lives in Oslo", "attribute": "home"}).json()
    again = api.post("/v1/memories", {"text": "Lives in Oslo", "attribute": "home"})

    assert first["fate"] == "added"
    assert again.status_code == 201
    assert (again.json()["fate"], again.json()["memory"]) == ("confirmed", first["memory"])


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "body.text"),
        ({"text": "  "}, "body.text"),
        ({"text": "a\0b"}, "body.text"),
        ({"text": "x" * 2_001}, "body.text"),
        ({"text": "Lives in Oslo", "kind": "forget"}, "body.kind"),
        ({"text": "Lives in Oslo", "said_at": "2026"}, "body.said_at"),
        ({"text": "Lives in Oslo", "after": "x"}, "body"),
        ({"text": "Lives in Oslo", "mood": "x"}, "body.mood"),
        ({"text": "Lives in Oslo", "supersedes": ["x"]}, "body.supersedes.0"),
        ([], "body"),
        (None, "body"),
        ("text", "body"),
    ],
)
def test_what_is_no_statement_is_refused_field_by_field(api: Api, body: Any, field: str) -> None:
    told = api.post("/v1/memories", body)

    assert told.status_code == 422, told.text
    assert told.json()["errors"][0]["field"] == field
    assert listed(api) == []


def test_the_same_write_under_one_key_is_done_once(api: Api) -> None:
    headers = {"Idempotency-Key": "k-1"}
    first = api.post("/v1/memories", {"text": "Lives in Oslo"}, headers=headers)
    again = api.post("/v1/memories", {"text": "Lives in Oslo"}, headers=headers)

    assert again.status_code == first.status_code == 201
    assert again.json() == {**first.json(), "duplicate": True}
    id = first.json()["memory"]
    assert api.get(f"/v1/memories/{id}").json()["confirmations"] == 1


def test_the_same_edit_under_one_key_is_done_once(api: Api) -> None:
    id = api.remember("Lives in Oslo")
    headers = {"Idempotency-Key": "k-1"}
    first = api("PATCH", f"/v1/memories/{id}", json={"text": "Lives in Bergen"}, headers=headers)
    api("PATCH", f"/v1/memories/{id}", json={"text": "Lives in Rome"})

    again = api("PATCH", f"/v1/memories/{id}", json={"text": "Lives in Bergen"}, headers=headers)

    assert again.json() == {**first.json(), "duplicate": True}
    assert listed(api) == ["Lives in Rome"]


def test_one_key_names_one_write_of_each_kind_and_memory(api: Api) -> None:
    headers = {"Idempotency-Key": "k-1"}
    made = api.post("/v1/memories", {"text": "Lives in Oslo"}, headers=headers).json()["memory"]
    other = str(api.remember("Owns a boat"))

    for id in (made, other):
        told = api("PATCH", f"/v1/memories/{id}", json={"pinned": True}, headers=headers)
        assert (told.json()["fate"], told.json()["duplicate"]) == ("revised", False)
    assert api.get(f"/v1/memories/{other}").json()["pinned"] is True


def test_fields_tags_and_pin_are_changed_together(api: Api) -> None:
    id = api.remember("Lives in Oslo", tags=["a", "b"], metadata={"x": 1, "y": 2})
    body = {"pinned": True, "add_tags": ["c"], "remove_tags": ["a"], "metadata": {"x": None}}

    told = api("PATCH", f"/v1/memories/{id}", json={**body, "attribute": "home"})

    assert told.headers["etag"] == '"2"'
    found = api.get(f"/v1/memories/{id}").json()
    assert (found["pinned"], found["tags"], found["metadata"]) == (True, ["b", "c"], {"y": 2})
    assert (found["attribute"], found["text"]) == ("home", "Lives in Oslo")


@pytest.mark.parametrize(
    ("if_match", "status"),
    [
        *[('"1"', 200), ("*", 200), (' "1" ', 200), ('"2"', 412)],
        *[("1", 422), ('W/"1"', 422), ('"x"', 422), ('"0"', 422), ('"1", "2"', 422)],
    ],
)
def test_a_change_is_made_to_the_version_that_was_seen(
    api: Api, if_match: str, status: int
) -> None:
    id = api.remember("Lives in Oslo")

    told = api(
        *("PATCH", f"/v1/memories/{id}"),
        json={"text": "Lives in Bergen"},
        headers={"If-Match": if_match},
    )

    assert told.status_code == status, told.text
    assert listed(api) == ["Lives in Bergen" if status == 200 else "Lives in Oslo"]


@pytest.mark.parametrize(
    "body", [{}, {"reason": "x"}, {"text": None}, {"mood": 1}, {"add_tags": ["x"] * 51}, []]
)
def test_what_changes_nothing_is_refused(api: Api, body: Any) -> None:
    id = api.remember("Lives in Oslo")

    assert api("PATCH", f"/v1/memories/{id}", json=body).status_code == 422


def test_two_versions_in_one_change_are_refused(api: Api) -> None:
    id = api.remember("Lives in Oslo")
    told = api(
        *("PATCH", f"/v1/memories/{id}"),
        json={"pinned": True, "if_version": 2},
        headers={"If-Match": '"1"'},
    )

    assert told.status_code == 422
    assert "two versions" in told.json()["detail"]


def test_a_change_of_what_is_not_there_is_not_found(api: Api) -> None:
    assert api("PATCH", f"/v1/memories/{uuid4()}", json={"pinned": True}).status_code == 404


def test_an_earlier_version_stands_again_and_twice_is_once(api: Api) -> None:
    id = api.remember("Lives in Oslo")
    api("PATCH", f"/v1/memories/{id}", json={"text": "Lives in Bergen"})

    first = api.post(f"/v1/memories/{id}/restore", {"version": 1})
    again = api.post(f"/v1/memories/{id}/restore", {"version": 1})

    assert (first.json()["version"], first.headers["etag"]) == (3, '"3"')
    assert again.json()["version"] is None
    assert listed(api) == ["Lives in Oslo"]


def test_a_version_that_never_was_is_not_found(api: Api) -> None:
    id = api.remember("Lives in Oslo")

    assert api.post(f"/v1/memories/{id}/restore", {"version": 9}).status_code == 404
    assert api.post(f"/v1/memories/{uuid4()}/restore", {"version": 1}).status_code == 404
    assert api.post(f"/v1/memories/{id}/restore", {"version": 0}).status_code == 422
