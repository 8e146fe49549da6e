"""Whose fact it is: the assistant's ideas, third parties, several voices."""

import pytest

from schemas.scope import Scope
from tests.cases.talk import AtDesk, Talk, found
from tests.desk import Desk, scripted

ASKS = "How could I make my hallway warmer?"
IDEAS = "Felt curtains and a draught stop help; a north-facing door also suits a heavy rug."
TAKES = "The curtains sound right, I'll leave the rest."
WANTED = "Wants felt curtains for the hallway"
ADVICE = Talk(
    {
        IDEAS: [
            found("Has felt curtains and a draught stop"),
            found("Has a north-facing door"),
            found("Owns a heavy rug"),
        ],
        TAKES: [found(WANTED, IDEAS, TAKES)],
    }
)


def advised(table: Desk) -> None:
    table.say(ASKS, "2026-04-03T18:00:00Z")
    table.say(IDEAS, "2026-04-03T18:00:05Z", role="assistant")
    table.say(TAKES, "2026-04-03T18:01:00Z")
    table.settle()


def test_what_the_assistant_thought_of_is_nobodys_fact_until_the_user_takes_it(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope)
    with scripted(table, ADVICE):
        advised(table)

    assert set(table.live()) == {WANTED}
    assert table.live()[WANTED].authority == "user"


def test_what_the_assistant_said_is_its_own_where_it_is_remembered(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope)
    with scripted(table, ADVICE, remember_assistant=True):
        advised(table)

    authors = {text: memory.authority for text, memory in table.live().items()}
    assert authors.pop(WANTED) == "user"
    assert set(authors.values()) == {"assistant"}
    assert len(authors) == 3


GREETING, LATER = "Good morning! How can I help you today?", "All fine, see you later."
PAN, TAKEN = "A carbon steel pan, or a course in making sushi.", "I'll take the pan."


def test_the_assistants_own_sentences_are_nobodys_facts_though_a_user_answered_them(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope)
    facts = {
        LATER: [found("Good morning! How can I help you today?", GREETING, LATER)],
        TAKEN: [
            found("a carbon steel pan", PAN, TAKEN),
            found("Wants a carbon steel pan", PAN, TAKEN),
        ],
    }
    with scripted(table, Talk(facts)):
        for at, text in enumerate((GREETING, LATER, PAN, TAKEN)):
            role = "assistant" if text in {GREETING, PAN} else "user"
            table.say(text, f"2026-04-03T18:00:0{at}Z", role=role)
        table.settle()

    assert set(table.live()) == {"Wants a carbon steel pan"}


COUSIN = "My cousin Imre is diabetic, so I bake without sugar when he visits."


def test_what_a_relative_has_is_not_the_users(at_desk: AtDesk, scope: Scope) -> None:
    table = at_desk(scope)
    of_imre, of_user = "Imre, a cousin, is diabetic", "Bakes without sugar when Imre visits"
    with scripted(table, Talk({COUSIN: [found(of_imre, subject="Imre"), found(of_user)]})):
        table.say(COUSIN, "2026-05-01T10:00:00Z")
        table.settle()

    assert {text: memory.subject for text, memory in table.live().items()} == {
        of_imre: "Imre",
        of_user: "user",
    }


NO_MONDAYS, BEST = "I can't do Mondays.", "Mondays are my best day."
MOVING, YES = "Pim, you're moving to Turku in June, right?", "Yes!"
ROSAS, PIMS, MOVES = "Rosa cannot do Mondays", "Mondays are Pim's best day", "Pim moves to Turku"
GROUP = Talk(
    {
        NO_MONDAYS: [found(ROSAS, subject="Rosa")],
        BEST: [found(PIMS, subject="Pim")],
        YES: [found(MOVES, MOVING, YES, subject="Pim", happened_at="2026-06")],
    },
    relations={(PIMS, ROSAS): "contradict"},
)


@pytest.mark.parametrize("at_once", [False, True], ids=["turn by turn", "at once"])
def test_each_voice_of_a_group_has_facts_of_its_own(
    at_desk: AtDesk, scope: Scope, at_once: bool
) -> None:
    table = at_desk(scope, {PIMS: (ROSAS, 0.9)})
    said = ((NO_MONDAYS, "Rosa"), (BEST, "Pim"), (MOVING, "Rosa"), (YES, "Pim"))
    with scripted(table, GROUP) as server:
        for at, (text, speaker) in enumerate(said):
            table.say(text, f"2026-05-02T10:00:{at}0Z", speaker=speaker, id=f"e{at}")
            if not at_once:
                table.settle()
        table.settle()

    live = table.live()
    assert {text: memory.subject for text, memory in live.items()} == {
        ROSAS: "Rosa",
        PIMS: "Pim",
        MOVES: "Pim",
    }
    assert server.calls["batchwise"] == 0, "facts about two people are not compared"
    assert live[MOVES].said_by == "Pim"
    assert len(live[MOVES].turn_ids) == 2
