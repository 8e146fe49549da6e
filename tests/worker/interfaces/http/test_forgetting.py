"""What is forgotten over HTTP is gone everywhere, and nothing goes by mistake."""

from typing import Any
from uuid import uuid4

import pytest

from tests.worker.interfaces.http.calling import Api


def known(api: Api) -> set[str]:
    return {one["text"] for one in api.get("/v1/memories").json()["memories"]}


def test_a_memory_is_forgotten_with_its_history(api: Api) -> None:
    id = api.remember("Lives in Oslo")
    api("PATCH", f"/v1/memories/{id}", json={"text": "Lives in Bergen"})
    api.remember("Drinks tea")

    receipt = api("DELETE", f"/v1/memories/{id}").json()

    assert (receipt["memories"], receipt["archives"]) == (1, 2)
    assert known(api) == {"Drinks tea"}
    assert api.get(f"/v1/memories/{id}/history").status_code == 404
    assert api("DELETE", f"/v1/memories/{id}").json()["memories"] == 0


def test_a_query_is_looked_at_first_and_takes_what_was_named(api: Api) -> None:
    tea = api.remember("Drinks green tea")
    api.remember("Lives in Oslo")

    look = api.post("/v1/forget/look", {"query": "green tea"}).json()

    assert [(one["id"], one["text"], one["state"]) for one in look["named"]] == [
        (str(tea), "Drinks green tea", "live")
    ]
    assert known(api) == {"Drinks green tea", "Lives in Oslo"}
    assert api.post("/v1/forget", {"query": "green tea"}).json()["memories"] == 1
    assert known(api) == {"Lives in Oslo"}


def test_of_several_that_a_query_names_those_go_that_are_chosen(api: Api) -> None:
    old, new = api.remember("Drinks green tea"), api.remember("Sells green tea")

    api.post("/v1/forget", {"query": "green tea", "ids": [str(old)]})

    assert known(api) == {"Sells green tea"}
    assert api.get(f"/v1/memories/{new}").status_code == 200


@pytest.mark.parametrize(
    ("path", "body", "told"),
    [
        ("/v1/forget", {}, "say which"),
        ("/v1/forget", {"ids": []}, "ids"),
        ("/v1/forget", {"ids": ["x"]}, "ids"),
        ("/v1/forget", {"ids": [str(uuid4())] * 101}, "ids"),
        ("/v1/forget", {"query": ""}, "query"),
        ("/v1/forget", {"query": " . "}, "names nothing"),
        ("/v1/forget", {"query": "\0"}, "NUL"),
        ("/v1/forget", {"query": "x" * 100_000}, "query"),
        ("/v1/forget", {"query": "tea", "app": "other"}, "app"),
        ("/v1/forget/look", {"query": "the"}, "names nothing"),
        ("/v1/forget/look", {}, "query"),
        ("/v1/erase", {}, "user"),
        ("/v1/erase", {"user": "somebody"}, "nothing was erased"),
        ("/v1/erase", {"user": None}, "user"),
    ],
)
def test_what_does_not_say_what_is_to_go_takes_nothing(
    api: Api, path: str, body: dict[str, Any], told: str
) -> None:
    api.remember("Drinks tea")

    answer = api.post(path, body)

    assert answer.status_code == 422
    assert told in answer.json()["detail"]
    assert known(api) == {"Drinks tea"}


def test_an_id_that_was_never_there_is_not_found(api: Api) -> None:
    api.remember("Drinks tea")

    for answer in (
        api("DELETE", f"/v1/memories/{uuid4()}"),
        api.post("/v1/forget", {"ids": [str(uuid4())]}),
    ):
        assert answer.status_code == 404
    assert known(api) == {"Drinks tea"}


def test_erasing_takes_all_and_tells_how_much_there_was(api: Api) -> None:
    api.remember("Drinks tea")
    api.post("/v1/turns", {"role": "user", "text": "I live in Oslo."})
    counted = api.get("/v1/contents").json()
    assert (counted["memories"], counted["pending"]) == (1, 1)

    receipt = api.post("/v1/erase", {"user": api.scope.user}).json()

    assert receipt["gone"] == counted
    assert "tea" not in str(receipt)
    assert known(api) == set()
    left = api.get("/v1/contents").json()
    assert (left["memories"], left["pending"], left["runs"]) == (0, 0, 0)


def test_what_was_asked_for_in_a_conversation_is_named_without_its_words(api: Api) -> None:
    api.remember("My brother is in prison")
    api.desk.say("Please forget that my brother is in prison.", "2026-03-01T00:00:00Z")
    api.desk.settle()

    for one in api.post("/v1/forget/look", {"query": "brother prison"}).json()["named"]:
        assert (one["text"] is None) == (one["state"] == "forgotten")
