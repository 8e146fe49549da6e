"""Turns that were put aside are listed, put back, accepted and given up over HTTP."""

from typing import Any

import pytest

from tests.worker.interfaces.http.calling import Api


def park(api: Api, *texts: str) -> list[str]:
    for text in texts:
        api.desk.say(text, "2026-01-01T00:00:00Z")
        claim = api.desk.claim()
        api.desk.parts.inbox.park(claim, 1, "no model reads it")
    return [one["id"] for one in listed(api)]


def listed(api: Api) -> list[dict[str, Any]]:
    told = api.get("/v1/parked")
    assert told.status_code == 200, told.text
    found: list[dict[str, Any]] = told.json()["parked"]
    return found


def test_they_are_listed_with_their_words_and_the_reason(api: Api) -> None:
    park(api, "I live in Oslo.")

    (one,) = listed(api)

    assert (one["text"], one["reason"]) == ("I live in Oslo.", "no model reads it")
    assert (one["app"], one["user"]) == (api.scope.app, api.scope.user)


def test_pages_follow_each_other(api: Api) -> None:
    park(api, "I live in Oslo.", "I drink tea.", "I keep bees.")

    first = api.get("/v1/parked", params={"limit": 2}).json()
    second = api.get("/v1/parked", params={"limit": 2, "cursor": first["next"]}).json()

    seen = [one["text"] for page in (first, second) for one in page["parked"]]
    assert seen == ["I keep bees.", "I drink tea.", "I live in Oslo."]
    assert second["next"] is None


def test_those_that_are_named_are_put_back_and_learned(api: Api) -> None:
    bees, *_ = park(api, "I live in Oslo.", "I keep bees.")

    assert api.post("/v1/parked/replay", {"ids": [bees, bees]}).json() == {
        "count": 1,
        "problems": [],
    }

    assert [one["text"] for one in listed(api)] == ["I live in Oslo."]
    api.desk.settle()
    told = api.get("/v1/memories").json()["memories"]
    assert [one["text"] for one in told] == ["User keeps bees"]


def test_all_of_a_user_are_given_up(api: Api) -> None:
    park(api, "I live in Oslo.", "I keep bees.")

    assert api.post("/v1/parked/drop", {"all": True}).json()["count"] == 2
    assert listed(api) == []


def test_without_a_proposal_nothing_is_accepted(api: Api) -> None:
    (id,) = park(api, "I live in Oslo.")

    told = api.post("/v1/parked/accept", {"ids": [id]}).json()

    assert told["count"] == 0
    assert "has no proposal" in told["problems"][0]["message"]
    assert len(listed(api)) == 1


@pytest.mark.parametrize("what", ["replay", "accept", "drop"])
@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"ids": []}, 422),
        ({"ids": ["x"], "all": True}, 422),
        ({"ids": ["x"] * 501}, 422),
        ({"ids": ["x" * 257]}, 422),
        ({"all": "perhaps"}, 422),
        ({"ids": ["x"]}, 404),
    ],
)
def test_what_does_not_say_which_touches_none(
    api: Api, what: str, body: dict[str, Any], status: int
) -> None:
    park(api, "I live in Oslo.")

    assert api.post(f"/v1/parked/{what}", body).status_code == status
    assert len(listed(api)) == 1


def test_those_of_another_user_are_not_there(api: Api) -> None:
    (id,) = park(api, "I live in Oslo.")

    told = api.post("/v1/parked/drop", {"ids": [id]}, params={"user": "somebody"})

    assert told.status_code == 404
    assert len(listed(api)) == 1
