"""A question is answered from what recall told."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import BaseModel

from schemas.memory import Memory
from worker.core.judging.judge import moment
from worker.core.reply_fields import Plain, Reply
from worker.core.step import BadReply, Prompt

JOB = "answer"


class AnswerReply(Reply):
    """The reason first."""

    why: Plain = ""
    known: bool
    answer: Plain


@dataclass(frozen=True)
class Asked:
    """A question, and the memories that it may be answered from, the best first."""

    question: str
    memories: tuple[Memory, ...]


@dataclass(frozen=True)
class Answered:
    """What a model made of it; `is_known` is false where it declines."""

    text: str
    is_known: bool


@dataclass(frozen=True)
class Answering:
    """One call. A step: `Asked` → `Answered`."""

    def ask(self, item: Asked) -> Sequence[Prompt]:
        memories = [
            {"text": one.text, "about": one.subject, "said_at": moment(one.said_at)}
            for one in item.memories
        ]
        return [Prompt(JOB, {"question": item.question, "memories": memories}, AnswerReply)]

    def read(self, item: Asked, replies: Sequence[BaseModel]) -> Answered:
        reply = cast("AnswerReply", replies[0])
        if reply.known and not reply.answer:
            raise BadReply(
                "`answer` is empty although `known` is true: write the answer, or set `known` to false.",
                plainly="an answer that is known is empty",
            )
        return Answered(reply.answer if reply.known else "", reply.known)
