"""Replies that cannot be used as they are."""

import json
from typing import Any

import pytest

from schemas.scope import Scope
from tests.cases.greyhounds import DOG_SIMILARITY, DOGS, GREYHOUNDS, RESCUES, SAID, WALK
from tests.cases.talk import AtDesk, Talk, found
from tests.desk import scripted
from worker.core.hearing.sifting import FACTS_PER_TURN, TOO_LONG, TOO_MANY
from worker.core.step import UnreadableReply
from worker.extracting import BROKE_OFF

OBOE = "I play the oboe and swim on Fridays."
PLAYS, SWIMS = "Plays the oboe", "Swims on Fridays"
BOTH = json.dumps(
    Talk({OBOE: [found(PLAYS), found(SWIMS)]})(
        "extraction", {"context": [], "turns": [{"id": "t1", "text": OBOE}]}
    )
)
ONE = json.dumps({"facts": [{"text": PLAYS, "turns": ["t1"]}]})
DRAFT = '<think>maybe {"facts": ["Plays the tuba"]}</think>'


@pytest.mark.parametrize(
    "replies, texts",
    [
        ([f"```json\n{BOTH}\n```\nThese are the facts."], {PLAYS, SWIMS}),
        ([f"Sure, here you go: {BOTH} Hope that helps!"], {PLAYS, SWIMS}),
        ([DRAFT + ONE], {PLAYS}),
        ([BOTH[: BOTH.index("Swims") + 7], BOTH], {PLAYS, SWIMS}),
        ([json.dumps([{"text": PLAYS}, {"text": SWIMS}])], {PLAYS, SWIMS}),
        ([json.dumps({"facts": [PLAYS, SWIMS]})], {PLAYS, SWIMS}),
        (
            [
                BOTH.replace('{"subject"', '{"mood": "cheerful", "subject"')[:-1]
                + ', "status": "ok"}'
            ],
            {PLAYS, SWIMS},
        ),
        ([json.dumps({"memories": [{"content": PLAYS}]}), BOTH], {PLAYS, SWIMS}),
        (['{"facts": []}'], set()),
        (["", BOTH], {PLAYS, SWIMS}),
    ],
    ids=[
        *("fenced", "in prose", "after a draft", "cut off", "bare list", "bare texts"),
        *("more keys", "other keys", "nothing found", "nothing said"),
    ],
)
def test_every_usable_reply_gives_its_facts_once_and_any_other_is_asked_for_again(
    at_desk: AtDesk, scope: Scope, replies: list[str], texts: set[str]
) -> None:
    table = at_desk(scope)
    left = list(replies)
    with scripted(table, lambda job, document: left.pop(0)) as server:
        table.say(OBOE, "2026-02-05T20:00:00Z")
        table.settle()

    assert set(table.live()) == texts
    assert server.calls == {"extraction": len(replies)}
    assert {memory.confirmations for memory in table.live().values()} <= {1}
    assert table.parts.inbox.pending(scope.key) == []


@pytest.mark.parametrize(
    "reply, complaint",
    [
        (json.dumps({"memories": [{"content": PLAYS}]}), '"memories"'),
        ("", "no complete JSON"),
        (BOTH[:20], "no complete JSON"),
        ('{"facts": [', "no complete JSON"),
    ],
)
def test_a_reply_that_stays_unreadable_is_no_empty_one(
    at_desk: AtDesk, scope: Scope, reply: str, complaint: str
) -> None:
    table = at_desk(scope)
    with scripted(table, lambda job, document: reply) as server:
        table.say(OBOE, "2026-02-05T20:00:00Z")
        with pytest.raises(UnreadableReply):
            table.settle()

    assert server.calls == {"extraction": 3}
    assert complaint in server.requests[1]["messages"][-1]["content"]
    assert table.runs() == []
    assert len(table.parts.inbox.pending(scope.key)) == 1


def test_a_flood_of_facts_is_asked_about_and_then_bounded(at_desk: AtDesk, scope: Scope) -> None:
    table = at_desk(scope)
    flood = Talk({OBOE: [found(f"Plays the oboe, part {at}") for at in range(1, 2001)]})
    with scripted(table, flood) as server:
        table.say(OBOE, "2026-02-05T20:00:00Z")
        table.settle()

    assert set(table.live()) == {
        f"Plays the oboe, part {at}" for at in range(1, FACTS_PER_TURN + 1)
    }
    (run,) = table.runs()
    assert run.dropped == {TOO_MANY: 2000 - FACTS_PER_TURN}
    assert "at most" in server.requests[1]["messages"][-1]["content"]


def test_a_text_without_end_is_never_stored(at_desk: AtDesk, scope: Scope) -> None:
    table = at_desk(scope)
    endless = "Plays the oboe " * 50_000
    with scripted(table, Talk({OBOE: [found(endless), found(SWIMS)]})):
        table.say(OBOE, "2026-02-05T20:00:00Z")
        table.settle()

    assert set(table.live()) == {SWIMS}
    (run,) = table.runs()
    assert run.dropped == {TOO_LONG: 1}


def test_a_model_that_answers_in_prose_costs_a_few_calls_and_loses_no_turn(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope, DOG_SIMILARITY)
    with scripted(table, GREYHOUNDS):
        table.say(*SAID[0])
        table.settle()

    def prose(job: str, document: dict[str, Any]) -> Any:
        return GREYHOUNDS(job, document) if job == "extraction" else "They are much the same!"

    with scripted(table, prose) as server:
        table.say(*SAID[1])
        with pytest.raises(UnreadableReply):
            table.settle()

    assert server.calls["batchwise"] == 9, "three tries together, three for each half"
    assert set(table.live()) == {DOGS}
    assert len(table.parts.inbox.pending(scope.key)) == 1


def test_a_verdict_that_keeps_breaking_the_rules_is_judged_fact_by_fact_and_kept_flagged(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope, DOG_SIMILARITY)
    with scripted(table, GREYHOUNDS):
        table.say(*SAID[0])
        table.settle()

    def nonsense(job: str, document: dict[str, Any]) -> Any:
        if job == "extraction":
            return GREYHOUNDS(job, document)
        return {"groups": [], "new": [one["id"] for one in document["facts"]] * 2 + ["f99"]}

    with scripted(table, nonsense) as server:
        table.say(*SAID[1])
        table.settle()

    assert set(table.live()) == {DOGS, RESCUES, WALK}
    assert table.live()[RESCUES].flagged
    assert table.live()[RESCUES].links == (table.live()[DOGS].id,)
    assert server.calls["batchwise"] == 9, "three tries together, three for each of two facts"


def test_what_was_complete_before_every_reply_broke_off_is_kept_and_the_run_says_so(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope)

    def loops(job: str, document: dict[str, Any]) -> str:
        whole = json.dumps({"text": "Plays the oboe", "turns": ["t1"]})
        return f'{{"facts": [{whole}, {{"text": "Plays the oboe and the oboe and the'

    with scripted(table, loops) as server:
        table.say(OBOE, "2026-01-05T20:00:00Z")
        table.settle()

    assert set(table.live()) == {"Plays the oboe"}
    assert table.runs()[0].dropped == {BROKE_OFF: 1}
    shown = [message["content"] for message in server.requests[-1]["messages"]]
    assert not any("and the oboe" in text for text in shown[2:])


FORGET = "Please forget my dogs. I also bake."
WISH = found("Forget the dogs", kind="forget")
WISHES = Talk({FORGET: [WISH, found("Bakes")]})


def test_a_wish_to_forget_that_finds_no_judgment_waits_for_a_person_and_can_be_put_back(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope, {**DOG_SIMILARITY, WISH["text"]: DOG_SIMILARITY[DOGS]})
    with scripted(table, GREYHOUNDS):
        table.say(*SAID[0])
        table.settle()

    def stubborn(job: str, document: dict[str, Any]) -> Any:
        return {"groups": [], "new": ["f99"]} if job != "extraction" else WISHES(job, document)

    with scripted(table, stubborn):
        table.say(FORGET, "2026-05-12T20:00:00Z")
        table.settle()

    (letter,) = table.parts.inbox.parking.letters(scope.key)
    assert set(table.live()) == {DOGS}
    assert "judgment failed" in letter.parked.reason
    assert letter.parked.proposal == ()

    def forgets(job: str, document: dict[str, Any]) -> Any:
        if job == "extraction":
            return WISHES(job, document)
        ids = {one["text"]: one["id"] for one in (*document["facts"], *document["candidates"])}
        told = {"why": "w", "relation": "forget", "drops": [DOGS], "text": None, "after": None}
        return {"groups": [{**told, "members": [ids[WISH["text"]], ids[DOGS]]}], "new": []}

    with scripted(table, forgets):
        table.parts.inbox.parking.replay([letter])
        table.settle()

    assert set(table.live()) == {"Bakes"}
