"""Facts that nobody stated."""

import json
from typing import Any

from schemas.scope import Scope
from tests.cases.talk import AtDesk, Talk, found
from tests.desk import scripted
from worker.adapters.prompts import Prompts

THANKS = "great, thanks a lot, bye!"
VEGAN, TEA = "I've been a vegan since 2017.", "毎晩お茶を飲みます"
LIES = (
    "I'm sorry, there is no personal information in this conversation.",
    "User's name is Lena Brandt",
)


def example_of_the_instructions() -> list[dict[str, Any]]:
    """The facts that extraction's instructions show."""
    text = Prompts().instructions("extraction")
    reply, _ = json.JSONDecoder().raw_decode(text, text.rindex('\n{"facts"') + 1)
    return [{**fact, "turns": []} for fact in reply["facts"]]


def test_an_example_an_apology_and_an_invented_name_are_counted_and_not_stored(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope)
    examples = example_of_the_instructions()
    lies = [*examples, *map(found, LIES)]
    with scripted(table, Talk({THANKS: lies})) as server:
        table.say(THANKS, "2026-02-09T22:00:00Z")
        table.settle()

    assert table.live() == {}
    assert server.calls == {"extraction": 1}
    (run,) = table.runs()
    assert (run.state, sum(run.dropped.values())) == ("applied", len(lies))
    assert table.parts.inbox.pending(scope.key) == []


def test_an_honest_paraphrase_is_kept_also_where_words_have_no_spaces(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope)
    honest = {
        VEGAN: [found("Has eaten no animal products since 2017")],
        TEA: [found("ユーザーは毎晩お茶を飲む")],
    }
    with scripted(table, Talk(honest)):
        table.say(VEGAN, "2026-02-10T12:00:00Z")
        table.say(TEA, "2026-02-10T12:01:00Z")
        table.settle()

    assert set(table.live()) == {facts[0]["text"] for facts in honest.values()}
