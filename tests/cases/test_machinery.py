"""Noise of machines, and memories that come back."""

from collections.abc import Sequence
from typing import Any

import pytest

from schemas.scope import Scope
from tests.cases.talk import AtDesk, Talk, found
from tests.desk import scripted

NOISE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("You are Pip, a cheerful helper. Answer in two sentences.", {"role": "system"}),
    ('{"city": "Tromsø", "temp": 3}', {"role": "tool"}),
    ("Run the weekly report and reply READY.", {"automated": True}),
    ("HEARTBEAT_FINE", {"role": "assistant"}),
)
ENVELOPE = "[msg 55102 from +47 900 00 000] I start at the ferry office on Monday."
STARTS = "Starts at the ferry office on Monday 2026-03-09"
SETTING = "This setting broke it:\n```\nretries = 7\n```"
LIES = (
    *("Persona is Pip", "It is 3 degrees in Tromsø", "Answers HEARTBEAT_FINE"),
    *(
        "Message number is 55102",
        "Phone number is +47 900 00 000",
        "The setting retries = 7 broke it",
    ),
    "Uses retries = 7",
)


def test_machines_ask_no_model_and_leave_nothing(at_desk: AtDesk, scope: Scope) -> None:
    table = at_desk(scope)

    def script(job: str, document: dict[str, Any]) -> Any:
        (turn,) = document["turns"]
        facts = [found(lie, turn["id"]) for lie in LIES]
        if "ferry" in turn["text"]:
            facts.append(found(STARTS, turn["id"], happened_at="2026-03-09"))
        return {"facts": facts}

    with scripted(table, script) as server:
        for at, (text, fields) in enumerate(NOISE):
            table.say(text, f"2026-03-06T07:00:0{at}Z", **fields)
        table.settle()
        assert server.requests == []

        table.say(ENVELOPE, "2026-03-06T07:05:00Z")
        table.settle()
        table.say(SETTING, "2026-03-06T07:06:00Z")
        table.settle()

    assert set(table.live()) == {STARTS}
    assert table.live()[STARTS].happened_at == "2026-03-09"
    sent = str(server.documents)
    assert not any(noise in sent for noise in ("Pip", "Tromsø", "weekly", "55102", "+47", "= 7"))


KNOWN = ("Plays the oboe", "Lives in Utrecht", "Has two canaries")
REWORDED = (
    ("Is an oboe player", "Home is in Utrecht", "Keeps two canaries"),
    ("Plays oboe", "Lives in Utrecht", "Owns a pair of canaries"),
    ("Plays the oboe", "Utrecht is home", "Has canaries, two"),
)
MARKS = ("<recalled>", "</recalled>")


@pytest.mark.parametrize(
    "begin, end, question, lies",
    [
        (*MARKS, "What time is it in Quito?", REWORDED),
        (*MARKS, "What is the weather in Utrecht?", (KNOWN,)),
        (MARKS[0], "", "What time is it in Quito?", REWORDED),
        ("[[memory]]", "[[end]]", "What time is it in Quito?", REWORDED),
    ],
    ids=["marked", "asked about the same town", "closing mark missing", "other marks"],
)
def test_memories_that_come_back_with_a_question_confirm_nothing(
    at_desk: AtDesk,
    scope: Scope,
    begin: str,
    end: str,
    question: str,
    lies: Sequence[Sequence[str]],
) -> None:
    table = at_desk(scope)
    told = "I play the oboe, live in Utrecht and have two canaries."
    with scripted(table, Talk({told: [found(text) for text in KNOWN]})):
        table.say(told, "2026-06-30T09:00:00Z", conversation="before")
        table.settle()
    before = table.live()
    assert set(before) == set(KNOWN)

    def again(job: str, document: dict[str, Any]) -> Any:
        turns = enumerate(document["turns"])
        found_in = [(turn["id"], text) for at, turn in turns for text in lies[at % len(lies)]]
        return {"facts": [found(text, id) for id, text in found_in]}

    marks = {"recall_begin": begin, "recall_end": end or MARKS[1]}
    with scripted(table, again, **marks) as server:
        for at in range(50):
            block = f"{begin}- {KNOWN[0]} - {KNOWN[1]} - {KNOWN[2]}{end}"
            table.say(f"{block} {question}", f"2026-07-01T09:{at:02}:00Z")
        table.settle()

    assert table.live() == before
    assert table.archives() == []
    assert "canaries" not in str(server.documents)
    assert (server.calls["extraction"] > 0) == bool(end)
