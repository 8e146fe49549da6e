"""A verdict is a proposal: only what was offered counts, and the new fact is never what gets lost."""

from typing import Any

import pytest

from schemas.scope import Scope
from tests.cases.talk import AtDesk, found
from tests.desk import Desk, scripted

LOATHES, PAPER = "Dislikes chess", "Gets a printed newspaper"
LOVES, STILL = "Loves chess now", "Does not like chess"
TURNS = {
    "Chess? Not for me.": found(LOATHES, attribute="chess"),
    "I get a printed newspaper.": found(PAPER),
    "I've come to love chess.": found(LOVES, attribute="chess"),
    "I don't like chess.": found(STILL, attribute="chess"),
}
GROUP: dict[str, Any] = {
    "why": "w",
    "relation": "contradict",
    "drops": [],
    "text": None,
    "after": None,
}


def judged(table: Desk, said: str, **group: Any) -> int:
    """How often the judge was asked about the last thing said."""

    def script(job: str, document: dict[str, Any]) -> dict[str, Any]:
        if job == "extraction":
            turns = document["turns"]
            return {"facts": [{**TURNS[turn["text"]], "turns": [turn["id"]]} for turn in turns]}
        if document["facts"][0]["text"] not in {LOVES, STILL}:
            return {"groups": [], "new": [one["id"] for one in document["facts"]]}
        named = {one["text"]: one["id"] for one in document["candidates"]}
        given = GROUP | group
        members = [named.get(one, one) for one in given["members"]]
        return {"groups": [{**given, "members": members}], "new": []}

    with scripted(table, script) as model:
        for day, text in enumerate((*list(TURNS)[:2], said), start=1):
            table.say(text, f"2026-03-{day:02}T21:00:00Z")
            table.settle()
        return model.calls["batchwise"]


def test_a_number_that_was_never_offered_changes_nothing(at_desk: AtDesk, scope: Scope) -> None:
    table = at_desk(scope)

    calls = judged(table, "I've come to love chess.", members=["f1", "9"])

    assert set(table.live()) == {LOATHES, PAPER, LOVES}
    assert table.live()[LOVES].flagged
    assert table.archives() == []
    assert calls == 3


def test_an_update_that_writes_the_old_words_again_is_not_obeyed(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope)

    judged(table, "I've come to love chess.", members=["f1", LOATHES], text=LOATHES)

    assert LOVES in table.live()
    assert table.archives() == []


def test_an_old_memory_never_goes_without_the_new_one_in_its_place(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope)

    judged(table, "I've come to love chess.", members=["f1", LOATHES])

    assert set(table.live()) == {LOVES, PAPER}
    (archive,) = table.archives()
    assert (archive.memory.text, archive.replaced_by) == (LOATHES, table.live()[LOVES].id)


def test_a_verdict_that_is_none_deletes_nothing(at_desk: AtDesk, scope: Scope) -> None:
    table = at_desk(scope)

    judged(table, "I don't like chess.", members=["f1", LOATHES], relation="delete")

    assert set(table.live()) == {LOATHES, PAPER, STILL}


@pytest.mark.parametrize("spelling", [1, "1", "#1", "[1]", " 1 ", "C1"])
def test_every_certain_spelling_means_the_same_memory(
    at_desk: AtDesk, scope: Scope, spelling: Any
) -> None:
    table = at_desk(scope)

    judged(table, "I've come to love chess.", members=["f1", spelling])

    assert set(table.live()) == {LOVES, PAPER}
