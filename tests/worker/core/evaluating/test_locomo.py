"""The file that people bring becomes conversations and questions, or a sentence about what is wrong with it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.locomo import sample
from worker.core.evaluating.locomo import CATEGORIES, Question, conversations, spread


def test_a_sample_becomes_turns_of_named_speakers_and_questions_with_answers_as_text() -> None:
    (found,) = conversations([sample()])

    assert found.name == "conv-1"
    assert [(one["speaker"], one["text"], one["said_at"]) for one in found.turns] == [
        ("Ann", "I live in Oslo.", "2023-05-08T13:56:00+00:00"),
        ("Bo", "I like tea.", "2023-05-08T13:56:01+00:00"),
        ("Bo", "I moved to Turin.", "2023-09-13T00:09:00+00:00"),
    ]
    assert [(one.category, one.expected) for one in found.questions] == [
        ("single-hop", "Oslo"),
        ("temporal", "2023"),
        ("multi-hop", "tea, rain"),
        ("open domain", "Yes"),
        ("adversarial", ""),
    ]


def test_turns_that_were_said_in_one_go_are_a_session() -> None:
    (found,) = conversations([sample()])

    assert [[one["id"] for one in session] for session in found.sessions()] == [
        ["D1:1", "D1:2"],
        ["D2:1"],
    ]


def test_sessions_are_told_in_their_numbers_order_and_none_is_left_out() -> None:
    talk = sample()["conversation"]
    talk |= {f"session_{number}": talk["session_1"] for number in (10, 9)}
    talk |= {f"session_{number}_date_time": talk["session_1_date_time"] for number in (10, 9, 11)}

    (found,) = conversations([sample(conversation=talk)])

    places = [session[0]["conversation"] for session in found.sessions()]
    assert places == ["session_1", "session_2", "session_9", "session_10"]


def said(*turns: dict[str, Any]) -> dict[str, Any]:
    whole = [{"speaker": "Ann", "dia_id": f"D1:{at}", "text": "Hi."} for at in range(len(turns))]
    told = [one | turn for one, turn in zip(whole, turns, strict=True)]
    return {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": told}


def qa(**changes: Any) -> list[dict[str, Any]]:
    return [{"question": "Where?", "answer": "Oslo", "category": 4, **changes}]


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({}, "is no list of conversations"),
        ([], "is no list of conversations"),
        ("[]", "is no list of conversations"),
        ([7], "entry 1 is not as LoCoMo's entries are"),
        ([sample(), None], "entry 2 is not as LoCoMo's entries are"),
        ([{"conversation": {}, "qa": []}], "entry 1 has no 'sample_id'"),
        ([{"sample_id": "a", "qa": []}], "entry 1 has no 'conversation'"),
        ([sample(conversation={"session_1": []})], "entry 1 has no 'session_1_date_time'"),
        ([sample(conversation={})], "entry 1 has no turns"),
        ([sample(conversation=[])], "entry 1 has no turns"),
        ([sample(qa=None)], "entry 1 is not as LoCoMo's entries are"),
        ([sample(qa=[{"question": "Where?"}])], "entry 1 has no 'category'"),
        ([sample(qa=qa(category=6))], "question 1 is of category 6, not 1 to 5"),
        ([sample(qa=qa(category=[]))], "entry 1 is not as LoCoMo's entries are"),
        ([sample(qa=qa(answer=" "))], "question 1 has no `answer`"),
        ([sample(qa=[*qa(), {"question": "?", "category": 4}])], "question 2 has no `answer`"),
        ([sample(qa=qa(answer=None))], "question 1 has no `answer`"),
        ([sample(qa=qa(question=None))], "question 1 has no `question`"),
        ([sample(qa=qa(question=" "))], "question 1 has no `question`"),
        ([sample(qa=qa(question="\ud800"))], "question 1: `question` holds what is no text"),
        ([sample(qa=qa(answer="a\0b"))], "question 1: `answer` holds what is no text"),
        ([sample("")], "entry 1: session_1, turn D1:1: `user` is empty"),
        ([sample("n" * 300)], "entry 1: session_1, turn D1:1: `user` has 300 characters"),
        ([sample("\ud800")], "entry 1: session_1, turn D1:1: `user` has half a surrogate"),
        (
            [sample(conversation=said({}, {"text": "a\0b"}))],
            "entry 1: session_1, turn D1:1: `text` has a NUL",
        ),
        (
            [sample(conversation=said({"text": "ab " * 40_000}))],
            "entry 1: session_1, turn D1:0: `text` has 120,000 characters",
        ),
        (
            [sample(conversation=said({"speaker": 5}))],
            "entry 1: session_1, turn D1:0: `speaker` has to be text",
        ),
        (
            [sample(conversation=said({}, {"dia_id": "D1:0"}))],
            "entry 1: session_1, turn D1:0: there are two of this `dia_id`",
        ),
        ([sample("a"), sample("a")], "two conversations of one `sample_id`"),
        (
            [sample(conversation={"session_1_date_time": "in May", "session_1": []})],
            "entry 1: time data 'in May'",
        ),
    ],
)
def test_what_is_not_as_the_data_set_is_told_by_place_and_reason(document: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told.replace("[", r"\[")):
        conversations(document)


@given(st.lists(st.sampled_from(sorted(CATEGORIES.values()))), st.integers(1, 20))
def test_a_limit_takes_of_each_category_in_turn_and_keeps_the_order(
    categories: list[str], limit: int
) -> None:
    questions = tuple(Question(at, "?", one, "x") for at, one in enumerate(categories, start=1))

    chosen = spread(questions, limit)

    assert len(chosen) == min(limit, len(questions))
    assert [one.number for one in chosen] == sorted(one.number for one in chosen)
    counts = [[one.category for one in chosen].count(name) for name in set(categories)]
    left = [[one.category for one in questions].count(name) for name in set(categories)]
    whole = [count for count, there in zip(counts, left, strict=True) if count < there]
    assert all(max(counts) - count <= 1 for count in whole)
    assert spread(questions, None) == questions
