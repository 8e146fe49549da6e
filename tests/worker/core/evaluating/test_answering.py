"""What is asked of a model about a question, and what is taken of its reply."""

from typing import Any

import pytest

from tests.build import record
from worker.core.evaluating.answering import Answered, Answering, AnswerReply, Asked
from worker.core.evaluating.grading import Graded, GradeReply, Grading
from worker.core.step import BadReply

HOME = record("Lives in Oslo").memory
ASKED = Asked("Where does Ann live?", (HOME,))


def test_a_question_is_sent_with_its_memories_and_when_each_was_said() -> None:
    (prompt,) = Answering().ask(ASKED)

    document: Any = prompt.document
    assert document["question"] == "Where does Ann live?"
    assert [(one["text"], one["about"]) for one in document["memories"]] == [
        ("Lives in Oslo", HOME.subject)
    ]
    assert document["memories"][0]["said_at"].startswith(f"{HOME.said_at:%Y-%m-%d}")


@pytest.mark.parametrize(
    ("reply", "answered"),
    [
        ({"known": True, "answer": "Oslo"}, Answered("Oslo", True)),
        ({"known": False, "answer": "Perhaps Oslo"}, Answered("", False)),
        ({"known": False, "answer": ""}, Answered("", False)),
    ],
)
def test_an_answer_that_is_not_known_is_none(reply: dict[str, Any], answered: Answered) -> None:
    assert Answering().read(ASKED, [AnswerReply.model_validate(reply)]) == answered


def test_a_known_answer_without_words_is_asked_for_again() -> None:
    with pytest.raises(BadReply) as bad:
        Answering().read(ASKED, [AnswerReply.model_validate({"known": True, "answer": " "})])

    assert "`known`" in bad.value.told


def test_a_grade_sees_the_answer_and_what_was_expected_and_nothing_else() -> None:
    graded = Graded("Where?", "Oslo", "In Oslo")
    (prompt,) = Grading().ask(graded)

    assert prompt.document == {"question": "Where?", "expected": "Oslo", "answer": "In Oslo"}
    assert Grading().read(graded, [GradeReply(correct=True)])
    assert not Grading().read(graded, [GradeReply(correct=False)])
