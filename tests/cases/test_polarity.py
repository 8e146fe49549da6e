"""Denials, and what is no more."""

from typing import Any

import pytest

from schemas.scope import Scope
from tests.cases.talk import AtDesk, Talk, found
from tests.desk import scripted
from worker.core.hearing.sifting import REVERSED

NO_WAKING = "No need to wake me on Sundays."
MEAT = "I used to eat meat, not any more."


@pytest.mark.parametrize("said, lie", [(NO_WAKING, "Needs waking on Sundays"), (MEAT, "Eats meat")])
def test_the_opposite_of_what_was_said_is_asked_about_and_never_stored(
    at_desk: AtDesk, scope: Scope, said: str, lie: str
) -> None:
    table = at_desk(scope)
    with scripted(table, Talk({said: [found(lie)]})) as server:
        table.say(said, "2026-02-01T09:00:00Z")
        table.settle()

    assert table.live() == {}
    (run,) = table.runs()
    assert run.dropped == {REVERSED: 1}
    assert lie in server.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "said, lie, mended",
    [
        (NO_WAKING, "Needs waking on Sundays", "Need not be woken on Sundays"),
        (MEAT, "Eats meat", "Eats no meat any more, did before"),
    ],
)
def test_a_denial_that_the_model_mends_is_stored_once(
    at_desk: AtDesk, scope: Scope, said: str, lie: str, mended: str
) -> None:
    table = at_desk(scope)
    answers = [lie, mended]

    def script(job: str, document: dict[str, Any]) -> Any:
        return {"facts": [found(answers.pop(0), "t1")]}

    with scripted(table, script) as server:
        table.say(said, "2026-02-01T09:01:00Z")
        table.settle()

    assert set(table.live()) == {mended}
    assert table.live()[mended].confirmations == 1
    assert server.calls == {"extraction": 2}


def test_of_a_dream_nothing_and_of_a_story_only_that_it_is_written(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope)
    dream, story = "If I were rich I'd buy an island.", "In my novel I am a deaf sailor."
    writes = "Is writing a novel about a deaf sailor"
    with scripted(table, Talk({story: [found(writes)]})):
        table.say(dream, "2026-02-01T09:02:00Z")
        table.say(story, "2026-02-01T09:03:00Z")
        table.settle()

    assert set(table.live()) == {writes}


def test_a_statement_and_its_denial_are_two_things_however_alike(
    at_desk: AtDesk, scope: Scope
) -> None:
    with_milk, without = "Takes milk in coffee", "Takes no milk in coffee"
    table = at_desk(scope, {without: (with_milk, 0.99)})
    talk = Talk(
        {
            "I take milk in coffee.": [found(with_milk)],
            "I take no milk in coffee.": [found(without)],
        }
    )
    with scripted(table, talk) as server:
        for at, text in enumerate(talk.facts):
            table.say(text, f"2026-02-0{at + 1}T09:00:00Z")
            table.settle()

    live = table.live()
    assert set(live) == {with_milk, without}
    assert live[with_milk].id != live[without].id
    assert server.calls["batchwise"] == 1, "a judge has to say, not a gate"
