"""What is known, asked for over HTTP."""

from typing import Any
from uuid import uuid4

import pytest
from redis import Redis

from tests.worker.interfaces.http.calling import Api
from worker.adapters.served import ServedLog
from worker.core.recalling.options import HINTS
from worker.interfaces.http.recall_answer import RecallAnswer
from worker.interfaces.http.recall_body import RecallBody

HOME, TEA, BOAT = "Lives in Oslo", "Drinks green tea", "Owns a wooden boat"


def recall(api: Api, *queries: str, **body: Any) -> dict[str, Any]:
    told = api.post("/v1/recall", {"queries": queries, **body})
    assert told.status_code == 200, told.text
    RecallAnswer.model_validate(told.json())
    found: dict[str, Any] = told.json()
    return found


def texts(answer: dict[str, Any]) -> list[str]:
    return [one["text"] for one in answer["items"]]


@pytest.fixture
def known(api: Api) -> Api:
    for text in (HOME, TEA, BOAT):
        api.remember(text)
    return api


def test_every_option_of_recall_can_be_sent() -> None:
    beside = {"queries", "block", "explain"}

    assert {*RecallBody.model_fields} - beside == {*HINTS}


def test_the_best_comes_first_and_no_more_than_are_wanted(known: Api) -> None:
    assert texts(recall(known, "Where does she live, in Oslo?", limit=1)) == [HOME]


def test_what_is_not_sent_is_as_the_settings_say(known: Api) -> None:
    assert len(recall(known, "boat")["items"]) == 3
    assert recall(known, "boat")["block"] is None
    assert recall(known, "boat")["left_out"] == []


def test_explained_each_score_has_its_terms_and_what_is_left_out_its_stage(known: Api) -> None:
    told = recall(known, "tea", limit=1, explain=True)

    assert told["items"][0]["terms"]["parts"]
    assert {one["left_out"]["stage"] for one in told["left_out"]} == {"limit"}


def test_the_block_is_the_text_for_a_prompt(known: Api) -> None:
    told = recall(known, "tea", limit=1, block=True)

    assert TEA in told["block"]
    assert HOME not in told["block"]


def test_a_conversation_is_told_a_memory_once(known: Api) -> None:
    first = texts(recall(known, "tea", conversation="42", limit=2))
    second = texts(recall(known, "tea", conversation="42", limit=2))

    assert set(first).isdisjoint(second)
    assert len(first + second) == 3


def test_turns_that_wait_are_told_where_they_are_asked_for(known: Api) -> None:
    known.post("/v1/turns", {"role": "user", "text": "I sold the boat.", "id": "1"})

    told = recall(known, "boat", include_pending=True)

    assert [one["text"] for one in told["pending"]] == ["I sold the boat."]
    assert recall(known, "boat")["pending"] == []


def test_what_was_shown_and_has_changed_comes_as_a_correction(known: Api) -> None:
    shown = recall(known, "tea", conversation="42")["items"]
    (tea,) = [one["id"] for one in shown if one["text"] == TEA]
    known("PATCH", f"/v1/memories/{tea}", json={"text": "Drinks black tea"})

    told = recall(known, "tea", conversation="42")

    assert [(one["text"], one["state"]) for one in told["items"]] == [
        ("Drinks black tea", "correction")
    ]
    assert [one["memory"]["text"] for one in told["outdated"]] == [TEA]


def test_filters_and_weights_are_heeded(known: Api) -> None:
    known.remember("Has a red car", tags=["car"], metadata={"source": "crm"})

    assert texts(recall(known, "boat", filters={"tags": ["car"]})) == ["Has a red car"]
    assert texts(recall(known, "boat", filters={"metadata": {"source": "crm"}})) == [
        "Has a red car"
    ]
    assert texts(recall(known, "boat", weights={"cosine": 0, "codes": 0}, limit=1)) == [BOAT]


def test_other_times_are_asked_for_with_their_offset(known: Api) -> None:
    assert texts(recall(known, "boat", as_of="2020-01-01T00:00:00Z")) == []
    told = known.post("/v1/recall", {"queries": ["boat"], "as_of": "2020-01-01T00:00:00"})
    assert told.status_code == 422
    assert told.json()["errors"][0]["field"] == "body.as_of"


WRONG: dict[str, dict[str, Any]] = {
    "limit": {"limit": 0},
    "limit is null": {"limit": None},
    "too many": {"limit": 201},
    "queries": {"queries": ["x"] * 17},
    "a query": {"queries": [7]},
    "a long query": {"queries": ["x" * 20_001]},
    "nul": {"queries": ["a\0b"]},
    "unknown": {"querys": ["x"]},
    "deadline": {"deadline_seconds": 1e9},
    "fusion": {"fusion": "both"},
    "no weight": {"weights": {"cosine": 0, "bm25": 0, "codes": 0}},
    "two views": {"as_of": "2020-01-01T00:00:00Z", "with_history": True},
    "filter": {"filters": {"mood": "x"}},
    "conversation": {"conversation": ""},
    "shown": {"shown": {"x": 1}},
    "a deep field": {"filters": {"metadata": {"a": "\0"}}},
}


@pytest.mark.parametrize("body", [*WRONG.values()], ids=[*WRONG])
def test_what_cannot_be_asked_is_refused(api: Api, body: dict[str, Any]) -> None:
    told = api.post("/v1/recall", body)

    assert told.status_code == 422, told.text
    assert told.json()["detail"]


def test_without_a_question_the_profile_is_told(known: Api) -> None:
    known.remember("Is allergic to nuts", pinned=True)

    told = known.get("/v1/profile", params={"limit": 2, "block": "true"}).json()

    assert texts(told)[0] == "Is allergic to nuts"
    assert len(told["items"]) == 2
    assert "Is allergic to nuts" in told["block"]


def test_an_opinion_of_a_memory_is_noted(known: Api, redis_client: Redis) -> None:
    (id,) = [one["id"] for one in recall(known, "tea", limit=1)["items"]]

    told = known.post("/v1/recall/feedback", {"memory_id": id, "useful": False})

    assert (told.status_code, told.content) == (204, b"")
    known.service.recaller.close()
    (noted,) = ServedLog(redis_client, 1).feedback(known.scope.key).items()
    assert str(noted[0]) == id


@pytest.mark.parametrize("body", [{"memory_id": "x", "useful": True}, {"useful": True}, {}])
def test_an_opinion_of_nothing_is_refused(api: Api, body: dict[str, Any]) -> None:
    assert api.post("/v1/recall/feedback", body).status_code == 422


def test_of_somebody_who_is_not_known_nothing_is_told(known: Api) -> None:
    told = known.post("/v1/recall", {"queries": ["boat"]}, params={"user": str(uuid4())})

    assert told.json()["items"] == []
