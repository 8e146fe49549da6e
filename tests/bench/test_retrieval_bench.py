"""The bench of retrieval knows which memories have evidence, and counts what an answer holds of it."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bench.retrieval import command as retrieval
from bench.retrieval.data import Asked, evidence, records, talks
from bench.retrieval.marks import Mark, by_category, near_copies, rank, repeated, summary
from bench.retrieval.planted import Labels, probes
from bench.retrieval.variants import USUAL, VARIANTS, tried
from bench.sleep.planting import Said
from schemas.scope import Scope
from tests.build import memory, vector
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.core.recalling.answer import Answer, Recalled

SCOPE = Scope(app="bench", user="ann")
WHEN = datetime(2024, 1, 1, tzinfo=UTC)


def sample() -> dict[str, Any]:
    """Two sessions of one conversation, in the shape of the data set."""
    return {
        "sample_id": "conv-1",
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_2_date_time": "9:00 am on 1 June, 2023",
        },
        "observation": {
            "session_1_observation": {
                "Ann": [["Ann keeps bees.", "D1:1"], ["Ann sells the honey.", ["D1:1", "D1:4"]]],
                "Bo": [["Bo plays the tuba.", "D1:2, D1:3"]],
            },
            "session_2_observation": {"Bo": [["Bo sold the tuba.", "D2:1"]]},
        },
        "qa": [
            {"question": "What does Ann keep?", "evidence": ["D1:1"], "category": 4},
            {"question": "What did Bo play?", "evidence": ["D1:3; D2:1"], "category": 1},
            {"question": "What does Bo sell?", "evidence": ["D1:4"], "category": 5},
            {"question": "Where does Ann live?", "evidence": ["D9:9"], "category": 4},
            {"question": "Why?", "evidence": [], "category": 3},
        ],
    }


def test_questions_of_which_nothing_was_observed_are_counted_apart() -> None:
    (talk,) = talks([sample()])

    assert [(one.text, one.category) for one in talk.asked] == [
        ("What does Ann keep?", "single-hop"),
        ("What did Bo play?", "multi-hop"),
        ("What does Bo sell?", "adversarial"),
    ]
    assert talk.unobserved == 2


def test_a_memory_has_the_turns_that_it_was_observed_in() -> None:
    (talk,) = talks([sample()])
    found = records(SCOPE, talk.observed, HashedEmbedder(16))
    wanted = evidence(SCOPE, talk.asked[1])

    assert [one.memory.text for one in found if wanted.intersection(one.memory.turn_ids)] == [
        "Bo plays the tuba.",
        "Bo sold the tuba.",
    ]
    assert {one.memory.said_at.month for one in found} == {5, 6}


def test_what_was_observed_in_one_turn_is_linked_where_links_are_asked_for() -> None:
    (talk,) = talks([sample()])
    bees, honey, *rest = records(SCOPE, talk.observed, HashedEmbedder(16), linked=True)

    assert bees.memory.links == (honey.memory.id,)
    assert honey.memory.links == (bees.memory.id,)
    assert not any(one.memory.links for one in rest)


@pytest.mark.parametrize(
    ("found", "place"), [([["a"], ["b"]], 1), ([["x"], ["x", "b"]], 2), ([["x"]], None), ([], None)]
)
def test_a_rank_is_the_place_of_the_first_that_has_evidence(
    found: list[list[str]], place: int | None
) -> None:
    assert rank(found, {"a", "b"}) == place


def test_a_summary_counts_hits_by_depth_and_what_the_answers_hold() -> None:
    marks = [
        Mark("x", 1, tokens=10),
        Mark("x", 4, copies=1),
        Mark("x", None, superseded=2, stale=1),
    ]

    assert summary(marks) == pytest.approx(
        {
            "hit@1": 1 / 3,
            "hit@5": 2 / 3,
            "hit@10": 2 / 3,
            "hit@20": 2 / 3,
            "MRR": 1.25 / 3,
            "tokens": 10 / 3,
            "copies": 1 / 3,
            "superseded": 2 / 3,
            "stale first": 1 / 3,
        }
    )


def test_what_is_asked_of_somebody_else_is_not_among_all() -> None:
    marks = [Mark("temporal", 1), Mark("adversarial", None)]

    assert [(name, len(some)) for name, some in by_category(marks)] == [
        ("all", 1),
        ("adversarial", 1),
        ("temporal", 1),
    ]


def test_copies_are_what_comes_after_its_like() -> None:
    one, other = vector("one"), vector("other")

    assert repeated(["a", "b", "a", "a"]) == 2
    assert near_copies([one, other, one, one], 0.99) == 2
    assert near_copies([], 0.99) == 0


def test_each_way_differs_from_the_usual_in_what_its_name_says() -> None:
    assert VARIANTS["the usual"].ask == USUAL
    assert VARIANTS["vector only"].ask.weights.bm25 == 0
    assert VARIANTS["BM25 only"].ask.weights.cosine == 0
    assert VARIANTS["hybrid"].ask.mmr is None
    assert tried()["weighted, bm25 0.3"].weights.bm25 == 0.3
    assert tried()["mmr 0.5"].mmr == 0.5
    assert tried()["floor off"].floor is None


OLD = Said("Ann lives in Perth.", "Ann", WHEN, "over", "home", is_over=True, value="Perth")
NEW = Said("Ann has moved and lives in Cadiz now.", "Ann", WHEN, "over", "home")
TWICE = Said("Ann keeps bees.", "Ann", WHEN, "twice", "bees")
AGAIN = Said("Ann is keeping bees.", "Ann", WHEN, "twice", "bees")


def test_what_is_over_is_asked_for_without_its_value_and_what_is_twice_by_the_data() -> None:
    found = probes([OLD, NEW, TWICE, AGAIN], talks([sample()]))

    assert [(one.text, one.thing) for one in found] == [
        ("What does Ann keep?", "bees"),
        ("Ann lives in .", "home"),
    ]


def told(*said: Said) -> tuple[Labels, Answer]:
    """An answer of these in order, and what is known of them."""
    memories = [memory(one.text, scope=SCOPE) for one in said]
    labels = Labels(
        {one.text: one for one in said},
        {known.id: one for known, one in zip(memories, said, strict=True)},
    )
    return labels, Answer(tuple(Recalled(one, 1.0) for one in memories))


def test_what_is_over_is_no_hit_and_stale_where_it_comes_first() -> None:
    probe = probes([OLD], [])[0]
    labels, answer = told(OLD, TWICE, NEW, AGAIN)
    mark = labels.mark(probe, answer)

    assert (mark.rank, mark.stale, mark.superseded, mark.copies) == (3, 1, 1, 1)
    labels, answer = told(NEW, OLD)
    assert labels.mark(probe, answer).stale == 0


def test_a_memory_whose_text_was_changed_is_still_known() -> None:
    known = memory("Ann lives somewhere.", scope=SCOPE)

    assert Labels({}, {known.id: OLD}).of(known) is OLD


def test_missing_data_says_where_it_comes_from(capsys: pytest.CaptureFixture[str]) -> None:
    assert retrieval.main(["--data", "nowhere.json"]) == 2

    assert "snap-research/locomo" in capsys.readouterr().err


def test_every_way_is_tried_on_the_questions_of_the_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "locomo10.json"
    file.write_text(json.dumps([sample()]))
    arguments = ["--data", str(file), "--part", "ways", "--embedder", "hash", "--json"]
    assert retrieval.main(arguments) == 0

    rows = json.loads(capsys.readouterr().out)
    assert [row["way"] for row in rows if row["questions"] == "all"] == list(VARIANTS)
    usual = next(row for row in rows if row["way"] == "the usual" and row["questions"] == "all")
    assert usual["many"] == 2
    assert usual["figures"]["hit@5"] == 1


def test_evidence_is_of_one_conversation() -> None:
    asked = Asked("?", "temporal", frozenset({"D1:1"}))

    assert evidence(SCOPE, asked).isdisjoint(evidence(Scope(app="bench", user="bo"), asked))
