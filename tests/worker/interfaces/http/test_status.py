"""Figures of the queue, without anybody's names and words."""

from itertools import count

from tests.worker.interfaces.http.calling import Api


def test_it_tells_what_waits(api: Api) -> None:
    api.post("/v1/turns", {"role": "user", "text": "I drink tea."})

    told = api.client.get("/v1/status").json()

    assert told["pending_turns"] == 1
    assert (told["model"], told["store"]) == ("rules", "sqlite")
    for hidden in ("tea", api.scope.app, api.scope.user):
        assert hidden not in str(told)


def test_an_error_of_somebody_is_told_to_nobody_with_a_key(api: Api) -> None:
    api.desk.say("I drink tea.", "2026-01-01T00:00:00Z")
    api.desk.parts.inbox.fail(api.desk.claim(), 0.0, burn=True, reason="model gone")
    assert api.client.get("/v1/status").json()["last_error"]["reason"] == "model gone"

    headers = api.key("another")
    api.service.keyring.now = count(10**9, 10).__next__

    told = api.client.get("/v1/status", headers=headers)
    assert told.json()["last_error"] is None


def test_a_key_of_one_user_is_told_no_figures_of_all(api: Api) -> None:
    headers = api.key(api.scope.app, api.scope.user)
    api.service.keyring.now = count(10**9, 10).__next__

    told = api.client.get("/v1/status", headers=headers)

    assert told.status_code == 403
    assert "for one user" in told.json()["detail"]
