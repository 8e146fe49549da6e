"""Whether an answer says what was expected, in a model's opinion."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import BaseModel

from worker.core.reply_fields import Plain, Reply
from worker.core.step import Prompt

JOB = "grade"


class GradeReply(Reply):
    """The reason first."""

    why: Plain = ""
    correct: bool


@dataclass(frozen=True)
class Graded:
    """What is compared."""

    question: str
    expected: str
    answer: str


@dataclass(frozen=True)
class Grading:
    """One call. A step: `Graded` → whether it is right."""

    def ask(self, item: Graded) -> Sequence[Prompt]:
        document = {
            "question": item.question,
            "expected": item.expected,
            "answer": item.answer,
        }
        return [Prompt(JOB, document, GradeReply)]

    def read(self, item: Graded, replies: Sequence[BaseModel]) -> bool:
        return cast("GradeReply", replies[0]).correct
