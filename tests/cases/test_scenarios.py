"""Six conversations that every memory of a chat has to get right, judged well under each detector, and judged badly."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from schemas.scope import Scope
from tests.cases.talk import AtDesk, found
from tests.cases.verdicts import LIES, Judge, Lie, Reply, Thing
from tests.desk import Desk, scripted
from worker.core.current import current
from worker.core.groups.guard import lost
from worker.core.groups.setting import DetectorName

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Scenario:
    """What is said, a batch a turn, with the facts in it; how it is judged; what is live at the end."""

    turns: Sequence[tuple[str, Sequence[Reply]]]
    things: Sequence[Thing]
    live: set[str]
    #: Calls of the default judge in all.
    judged: int
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def facts(self) -> dict[str, Sequence[Reply]]:
        return dict(self.turns)

    @property
    def said(self) -> list[str]:
        return [one["text"] for _, facts in self.turns for one in facts]


SEATTLE = "Has lived in Seattle for over three years"
AUSTIN = "Moved to Austin in May 2026"
BOTH = "Moved to Austin in May 2026, after living in Seattle for over three years"
MOVED = Scenario(
    [
        ("I've lived in Seattle for over three years.", [found(SEATTLE, attribute="home")]),
        ("Moved to Austin this May!", [found(AUSTIN, attribute="home", happened_at="2026-05")]),
    ],
    [Thing((AUSTIN, SEATTLE), "contradict", BOTH, ("Has lived",))],
    live={BOTH},
    judged=1,
)

POUR = "Makes pour-over coffee every morning while listening to podcasts"
CAFE = "Drinks Americano from the café while the grinder is in repair"
MEANWHILE = (
    "Drinks Americano from the café every morning while listening to podcasts,"
    " while the grinder is in repair"
)
REPAIR = Scenario(
    [
        (
            "Every morning I make pour-over and listen to podcasts.",
            [found(POUR, attribute="coffee")],
        ),
        (
            "My grinder is in repair, so it's Americano from the café.",
            [found(CAFE, attribute="coffee", until="unknown")],
        ),
    ],
    [Thing((CAFE, POUR), "update", MEANWHILE, ("Makes pour-over coffee",), POUR)],
    live={MEANWHILE},
    judged=1,
)

TEA, SHOP = "Drinks green tea after lunch", "Buys green tea at the shop in Bell Street"
QUIT = "Gave up tea and drinks only water"
OVERTURNED = "Gave up green tea, from the shop in Bell Street, after lunch, and drinks only water"
TEA_AND_SHOP = Scenario(
    [
        ("Green tea after lunch, always.", [found(TEA, attribute="tea")]),
        ("I get my green tea at the shop in Bell Street.", [found(SHOP, attribute="tea")]),
        ("No more tea for me, only water.", [found(QUIT, attribute="tea")]),
    ],
    [Thing((QUIT, TEA, SHOP), "contradict", OVERTURNED, ("Drinks green tea", "Buys green tea"))],
    live={OVERTURNED},
    judged=2,
)

WORDINGS = (
    "Lives in Seattle",
    "Is based in Seattle",
    "Resides in Seattle",
    "Has a home in Seattle",
)
FOUR_TIMES = Scenario(
    [(f"Seattle, {n}: {one}", [found(one, attribute="home")]) for n, one in enumerate(WORDINGS)],
    [Thing((later, one), "same") for one, later in pairwise(WORDINGS)],
    live={WORDINGS[-1]},
    judged=3,
)

PAIRS = ("Has a dog called Rex", "Has a cat called Mog", "Speaks Dutch", "Is learning Korean")
STAY_TWO = Scenario(
    [
        (f"I said: {one}", [found(one, attribute=slot)])
        for one, slot in zip(PAIRS, ["pet", "pet", "language", "language"], strict=True)
    ],
    [],
    live=set(PAIRS),
    judged=2,
)

LISBON = "Lives in Lisbon"
SUGGESTION = Scenario(
    [
        (MOVED.turns[0][0], MOVED.turns[0][1]),
        ("You could move to Lisbon.", [found(LISBON, attribute="home")]),
    ],
    [Thing((LISBON, SEATTLE), "contradict", "Lives in Lisbon, after over three years in Seattle")],
    live={SEATTLE},
    judged=0,
    more={"You could move to Lisbon.": {"role": "assistant"}},
)

SCENARIOS = {
    "a move keeps how long the old place was home": MOVED,
    "what holds for a while keeps the rest": REPAIR,
    "one statement overturns two": TEA_AND_SHOP,
    "a thing said four times is one memory": FOUR_TIMES,
    "two pets and two languages stay two": STAY_TWO,
    "a suggestion overrides nothing": SUGGESTION,
}


def play(
    table: Desk, scenario: Scenario, lie: Lie | None = None, **settings: Any
) -> dict[str, int]:
    """Says it turn by turn, a month apart; the model's calls by job."""
    with scripted(table, Judge(scenario.facts, scenario.things, lie), **settings) as model:
        for month, (text, _) in enumerate(scenario.turns, start=1):
            table.say(text, f"2026-{month:02}-03T10:00:00Z", **scenario.more.get(text, {}))
            table.settle()
    return dict(model.calls)


@pytest.mark.parametrize("name", SCENARIOS)
def test_judged_well(at_desk: AtDesk, scope: Scope, name: str) -> None:
    scenario, table = SCENARIOS[name], at_desk(scope)

    calls = play(table, scenario)

    assert set(table.live()) == scenario.live
    assert calls.get("batchwise", 0) == scenario.judged


@pytest.mark.parametrize("detector", ["pointwise", "listwise_multitarget"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_judged_well_by_another_detector(
    at_desk: AtDesk, scope: Scope, name: str, detector: DetectorName
) -> None:
    scenario, table = SCENARIOS[name], at_desk(scope)

    play(table, scenario, detector=detector)

    assert set(table.live()) == scenario.live


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
@pytest.mark.parametrize("name", SCENARIOS)
def test_judged_badly_nothing_gets_lost(at_desk: AtDesk, scope: Scope, name: str, lie: Lie) -> None:
    """Every detail of every statement is live, or archived by a verdict that named it; what nobody said never is."""
    scenario, table = SCENARIOS[name], at_desk(scope)

    play(table, scenario, lie)

    texts = list(table.live())
    kept = [archive.memory.text for archive in table.archives()]
    assert not any("4711" in text for text in (*texts, *kept))
    said = [one for one in scenario.said if one != LISBON]
    assert all(one in {*texts, *kept} or _stands(table, one) for one in said)
    unlinked = [memory for memory in table.live().values() if memory.flagged and not memory.links]
    assert not [memory for memory in unlinked if memory.version > 1]


def _stands(table: Desk, text: str) -> bool:
    """Whether a live memory says all of it in other words."""
    memories = list(table.live().values())
    return any(
        not lost([memory.model_copy(update={"text": text})], [memory.text]) for memory in memories
    )


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_move_that_is_judged_badly_leaves_both_statements_live(
    at_desk: AtDesk, scope: Scope, lie: Lie
) -> None:
    table = at_desk(scope)

    play(table, MOVED, lie)

    assert set(table.live()) == {SEATTLE, AUSTIN}
    assert table.live()[AUSTIN].links == (table.live()[SEATTLE].id,)
    assert table.live()[AUSTIN].flagged
    assert table.archives() == []


def test_what_held_for_a_while_gives_way_to_what_stood_before(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope)
    play(table, REPAIR)
    (memory,) = table.live().values()
    assert memory.until is not None

    during, after = (current(memory, memory.until + days * DAY) for days in (-1, 1))

    assert (during and during.text, after and after.text) == (MEANWHILE, POUR)


def test_a_thing_said_four_times_has_four_sources(at_desk: AtDesk, scope: Scope) -> None:
    table = at_desk(scope)

    play(table, FOUR_TIMES)

    (memory,) = table.live().values()
    assert (len(memory.turn_ids), memory.confirmations) == (4, 4)
    assert {one.memory.text for one in table.archives()} == set(WORDINGS[:-1])
    assert memory.last_confirmed_at == datetime.fromisoformat("2026-04-03T10:00:00Z")


def test_a_suggestion_that_is_remembered_is_the_assistants_and_changes_nothing(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope)

    play(table, SUGGESTION, remember_assistant=True)

    assert {text: memory.authority for text, memory in table.live().items()} == {
        SEATTLE: "user",
        LISBON: "assistant",
    }
    assert table.live()[SEATTLE].version == 1
