"""What changed the memory is told over HTTP, and taken back."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from tests.worker.interfaces.http.calling import Api


def learn(api: Api, *texts: str) -> None:
    """Each in a run of its own, a second after the one before."""
    for n, text in enumerate(texts):
        api.desk.say(text, f"2026-01-0{n + 1}T00:00:00Z")
        api.desk.settle()
        api.desk.now += timedelta(seconds=1)


def known(api: Api) -> set[str]:
    return {one["text"] for one in api.get("/v1/memories").json()["memories"]}


def test_runs_are_listed_the_latest_first_a_page_at_a_time(api: Api) -> None:
    learn(api, "I live in Oslo.", "I drink tea.", "I keep bees.")

    first = api.get("/v1/runs", params={"limit": 2}).json()
    second = api.get("/v1/runs", params={"limit": 2, "cursor": first["next"]}).json()

    told = [*first["runs"], *second["runs"]]
    assert [one["changed"] for one in told] == [{"add": 1}] * 3
    assert [one["id"] for one in told] == [str(one.run) for one in reversed(api.desk.outcomes)]
    assert second["next"] is None
    assert "tea" not in str(told)


def test_a_run_tells_the_words_before_and_after_with_the_reason(api: Api) -> None:
    id = api.remember("Lives in Oslo")
    run = api("PATCH", f"/v1/memories/{id}", json={"text": "Lives in Bergen"}).json()["run"]

    told = api.get(f"/v1/runs/{run}").json()

    (change,) = told["changes"]
    assert (change["before"], change["after"]) == ("Lives in Oslo", "Lives in Bergen")
    assert change["memory_id"] == str(id)


def test_a_run_is_taken_back_and_a_dry_run_only_tells(api: Api) -> None:
    id = api.remember("Lives in Oslo")
    run = api("PATCH", f"/v1/memories/{id}", json={"text": "Lives in Bergen"}).json()["run"]

    foreseen = api.post(f"/v1/runs/{run}/undo", {"dry_run": True}).json()
    assert foreseen["dry_run"]
    assert known(api) == {"Lives in Bergen"}

    done = api.post(f"/v1/runs/{run}/undo", {}).json()
    assert done["changes"] == foreseen["changes"]
    assert known(api) == {"Lives in Oslo"}
    assert api.post(f"/v1/runs/{run}/undo", {}).status_code == 422
    assert known(api) == {"Lives in Oslo"}


def test_turns_of_what_was_taken_back_may_be_published_again(api: Api) -> None:
    learn(api, "I drink tea.")
    (run,) = api.get("/v1/runs").json()["runs"]

    freed = api.post(f"/v1/runs/{run['id']}/undo", {}).json()["turn_ids"]
    assert freed == run["turn_ids"] != []
    assert known(api) == set()

    learn(api, "I drink tea.")
    assert known(api) == {"User drinks tea"}


def test_while_a_worker_holds_the_user_nothing_is_taken_back(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.direct.holding.WAIT_SECONDS", 0.0)
    api.remember("Lives in Oslo")
    run = api.get("/v1/runs").json()["runs"][0]["id"]
    held = api.desk.parts.inbox.claim_scope(api.scope.key)
    assert held is not None

    told = api.post(f"/v1/runs/{run}/undo", {})

    assert told.status_code == 503
    assert int(told.headers["retry-after"]) > 0
    assert known(api) == {"Lives in Oslo"}
    api.desk.parts.inbox.release(held)
    assert api.post(f"/v1/runs/{run}/undo", {}).status_code == 200


def test_what_a_later_run_built_on_stays(api: Api) -> None:
    id = api.remember("Lives in Oslo")
    first = api("PATCH", f"/v1/memories/{id}", json={"text": "Lives in Bergen"}).json()["run"]
    api("PATCH", f"/v1/memories/{id}", json={"text": "Lives in Turin"})

    told = api.post(f"/v1/runs/{first}/undo", {})

    assert told.status_code == 409
    assert known(api) == {"Lives in Turin"}


def test_what_a_person_asked_to_forget_is_brought_back_only_where_that_is_meant(api: Api) -> None:
    # Within the time for which a request to forget can be taken back.
    api.desk.now = datetime.now(UTC)
    learn(api, "I live in Oslo.", "Please forget that I live in Oslo.")
    assert known(api) == set()
    run = api.get("/v1/runs").json()["runs"][0]["id"]

    refused = api.post(f"/v1/runs/{run}/undo", {})
    assert refused.status_code == 422
    assert "`remember_again`" in refused.json()["detail"]
    assert known(api) == set()

    done = api.post(f"/v1/runs/{run}/undo", {"remember_again": True})
    assert done.status_code == 200, done.text
    assert known(api) == {"User lives in Oslo"}


def test_a_run_that_is_not_there_is_not_found(api: Api) -> None:
    api.remember("Lives in Oslo")

    assert api.get(f"/v1/runs/{uuid4()}").status_code == 404
    assert api.post(f"/v1/runs/{uuid4()}/undo", {}).status_code == 404
    assert api.post(f"/v1/runs/{uuid4()}/undo", {"dry_run": True}).status_code == 404
    assert api.get("/v1/runs/last").status_code == 422
