"""Nights over HTTP: one at once, what it came to, and what waits for a person."""

from uuid import uuid4

import pytest

from tests.worker.interfaces.http.calling import Api


def known(api: Api) -> set[str]:
    return {one["text"] for one in api.get("/v1/memories").json()["memories"]}


def test_a_dry_run_tells_what_a_night_would_do_and_does_nothing(api: Api) -> None:
    api.remember("Lives in Oslo")
    before = known(api)

    told = api.post("/v1/sleep", {"dry_run": True}).json()

    assert told["dry_run"]
    assert told["stopped"] is None
    assert known(api) == before
    assert api.get("/v1/sleep/report").status_code == 404


def test_turns_that_wait_go_first(api: Api) -> None:
    api.remember("Lives in Oslo")
    api.post("/v1/turns", {"role": "user", "text": "I drink tea."})

    told = api.post("/v1/sleep", {}).json()

    assert "turns wait" in told["stopped"]


def test_a_night_that_is_not_kept_is_not_found(api: Api) -> None:
    api.remember("Lives in Oslo")

    told = api.get("/v1/sleep/report", params={"night": 3})

    assert told.status_code == 404
    assert "there is no night 3" in told.json()["detail"]


def test_a_proposal_that_is_not_there_is_not_found(api: Api) -> None:
    api.remember("Lives in Oslo")

    assert api.get("/v1/sleep/proposals").json() == {"proposals": [], "next": None}
    for what in ("accept", "refuse"):
        assert api.post(f"/v1/sleep/proposals/{uuid4()}/{what}").status_code == 404


@pytest.mark.parametrize("body", [None, [], {"dry_run": "perhaps"}, {"all": True}])
def test_a_night_that_is_asked_for_wrongly_is_not_slept(api: Api, body: object) -> None:
    assert api.post("/v1/sleep", body).status_code == 422
