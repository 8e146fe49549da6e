"""A turn of tens of thousands of characters."""

from functools import cache
from typing import Any

import pytest
from redis import Redis

from schemas.scope import Scope
from schemas.tokens import estimate
from tests.build import turn
from tests.cases.talk import AtDesk, found
from tests.desk import scripted
from tests.endpoint import Refusal
from tests.similarity import GivenSimilarities
from worker.core.hearing.heard import Heard
from worker.core.hearing.sifting import FACTS_PER_TURN, TOO_MANY
from worker.core.hearing.windows import windows
from worker.core.texts.lengths import LONGEST_TEXT

LINE, ROOM = "DEBUG pump 4 idle, waiting\n", 2_000
TEACHER_SAID, SHELLFISH_SAID = (
    "By the way, my son's teacher is Mr Hallgren.\n",
    "And I can't eat shellfish.",
)
TEACHER, SHELLFISH = "The son's teacher is Mr Hallgren", "Cannot eat shellfish"


def parts_of(text: str) -> list[str]:
    return [part.turns[0].text for part in windows(Heard((turn(text=text),), window=ROOM))]


@cache
def long_turn() -> str:
    """Its first fact stands where two parts overlap."""
    for lines in range(1_100, 1_400):
        text = f"{LINE * lines}{TEACHER_SAID}{LINE * 1_100}{SHELLFISH_SAID}"
        if sum(TEACHER_SAID in part for part in parts_of(text)) == 2:
            return text
    pytest.fail("no place where parts overlap")


def finds(job: str, document: dict[str, Any]) -> dict[str, Any]:
    """A model that finds both facts wherever they stand."""
    if job != "extraction":
        return {"groups": [], "new": [one["id"] for one in document["facts"]]}
    told = ((TEACHER_SAID.strip(), TEACHER), (SHELLFISH_SAID, SHELLFISH))
    return {
        "facts": [
            {**found(fact), "turns": [one["id"]]}
            for one in document["turns"]
            for said, fact in told
            if said in one["text"]
        ]
    }


def test_two_facts_in_a_paste_of_log_lines_are_found_once_and_cite_one_turn(
    at_desk: AtDesk, scope: Scope, redis_client: Redis
) -> None:
    table = at_desk(scope)
    long = long_turn()
    assert len(long) > 59_000
    with scripted(table, finds, extraction_tokens=ROOM) as server:
        table.say(long, "2026-08-01T10:00:00Z", id="e1")
        table.settle()
        asked = server.documents
        written = table.runs()
        redis_client.flushall()
        table.say(long, "2026-08-01T10:00:00Z", id="e1")
        table.settle()

    live = table.live()
    assert set(live) == {TEACHER, SHELLFISH}
    assert live[TEACHER].turn_ids == live[SHELLFISH].turn_ids
    assert len(live[TEACHER].turn_ids) == 1
    assert table.runs() == written
    extractions = [document for document in asked if "turns" in document]
    assert 1 < len(extractions) <= len(parts_of(long))
    assert max(estimate(one["turns"][0]["text"]) for one in extractions) <= ROOM
    embedder = table.parts.embedder
    assert isinstance(embedder, GivenSimilarities)
    assert max(map(len, embedder.seen)) <= LONGEST_TEXT, "facts are looked up, not the turn"


def test_a_model_that_copies_the_log_fills_no_store(at_desk: AtDesk, scope: Scope) -> None:
    table = at_desk(scope)

    def copies(job: str, document: dict[str, Any]) -> dict[str, Any]:
        if job != "extraction":
            return finds(job, document)
        lines = [found(f"DEBUG pump 4 idle, waiting {at}") for at in range(200)]
        return {"facts": [{**one, "turns": [document["turns"][0]["id"]]} for one in lines]}

    with scripted(table, copies, extraction_tokens=ROOM):
        table.say(long_turn(), "2026-08-01T10:00:00Z")
        table.settle()

    assert len(table.live()) <= FACTS_PER_TURN
    assert table.runs()[0].dropped[TOO_MANY] >= 200 - FACTS_PER_TURN


def test_what_is_too_long_for_the_model_is_put_to_it_in_smaller_portions(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope)

    def narrow(job: str, document: dict[str, Any]) -> Any:
        if job == "extraction" and sum(estimate(one["text"]) for one in document["turns"]) > 700:
            return Refusal(400, "This model's maximum context length is 1000 tokens.")
        return finds(job, document)

    with scripted(table, narrow, extraction_tokens=ROOM):
        table.say(LINE * 100 + TEACHER_SAID, "2026-08-01T10:00:00Z")
        table.settle()

    assert set(table.live()) == {TEACHER}
