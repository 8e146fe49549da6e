"""Walls between tenants and users."""

from typing import Any

import pytest
from redis import Redis

from producers.producer import Producer
from schemas.scope import Scope
from tests.cases.talk import AtDesk, Talk, found
from tests.desk import scripted
from worker.adapters.inbox import Inbox
from worker.core.ports import Query
from worker.core.texts.words import terms

DENTIST, GATE = "My dentist is in Rue Basse.", "The gate code is 4417."
PRIVATE = Talk(
    facts={DENTIST: [found("Dentist is in Rue Basse")], GATE: [found("Gate code is 4417")]}
)


def test_equal_words_of_two_tenants_never_meet(at_desk: AtDesk, scope: Scope) -> None:
    ours = at_desk(Scope(app=f"{scope.app} A", user="u1"))
    theirs = at_desk(Scope(app=f"{scope.app} B", user="u1"))
    for table, said in ((ours, [DENTIST, GATE]), (theirs, [DENTIST])):
        with scripted(table, PRIVATE) as server:
            for text in said:
                table.say(text, "2026-02-02T10:00:00Z")
                table.settle()
            if table is theirs:
                assert "4417" not in str(server.requests)

    one, other = ours.live()["Dentist is in Rue Basse"], theirs.live()["Dentist is in Rue Basse"]
    assert one.id != other.id
    assert set(theirs.live()) == {"Dentist is in Rue Basse"}
    store = ours.parts.store
    assert list(store.memories(theirs.scope, [one.id])) == []
    asked = Query(None, terms("gate code 4417"), ("4417",), ("user", "gate"))
    assert store.nominate(theirs.scope, [asked], 10).records.keys() <= {other.id}


def test_a_verdict_that_names_another_tenants_memory_changes_nothing(
    at_desk: AtDesk, scope: Scope
) -> None:
    ours = at_desk(Scope(app=f"{scope.app} A", user="u1"))
    theirs = at_desk(
        Scope(app=f"{scope.app} B", user="u1"), {"Dentist moved": ("Dentist is in Rue Basse", 0.9)}
    )
    with scripted(ours, PRIVATE):
        ours.say(DENTIST, "2026-02-02T10:00:00Z")
        ours.settle()
    before = ours.live()
    foreign = str(before["Dentist is in Rue Basse"].id)

    def script(job: str, document: dict[str, Any]) -> Any:
        if job == "extraction":
            return {"facts": [found("Dentist moved", turns=[document["turns"][0]["id"]])]}
        group = {"why": "x", "members": ["f1", foreign], "relation": "contradict"}
        return {
            "groups": [{**group, "drops": [], "text": "Dentist moved", "after": None}],
            "new": [],
        }

    with scripted(theirs, script):
        theirs.say("My dentist moved.", "2026-02-03T10:00:00Z")
        theirs.settle()

    assert ours.live() == before
    assert set(theirs.live()) == {"Dentist moved"}


@pytest.mark.parametrize("names", [{"app": ""}, {"user": ""}, {"app": None}, {"user": "  "}])
def test_without_an_owner_there_is_no_answer(redis_client: Redis, names: dict[str, Any]) -> None:
    line = {"app": "a", "user": "u", "role": "user", "text": DENTIST, **names}
    (name,) = names

    answer = Producer(redis_client).publish({k: v for k, v in line.items() if v is not None})

    assert answer.status == "refused"
    assert name in (answer.message or "")
    assert Inbox(redis_client).idle()
