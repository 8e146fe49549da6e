"""What follows from several memories together and none of them says: derived by a model, held to what was said."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel, model_validator

from schemas.memory import Memory
from worker.core.groups.guard import denied, unsaid
from worker.core.judging.judge import moment
from worker.core.reply_fields import Labels, Plain, Reply
from worker.core.step import Prompt
from worker.core.texts.lengths import LONGEST_TEXT
from worker.core.texts.words import carriers, normalised

JOB = "insights"
#: Pieces of evidence of one insight, at least.
LEAST_EVIDENCE = 2
LABEL = re.compile(r"m?([1-9][0-9]{0,3})")


class InsightReply(Reply):
    """One insight, the reason first."""

    why: Plain = ""
    text: Plain
    evidence: Labels


class InsightsReply(Reply):
    """An object without `insights` is refused, never read as none."""

    insights: list[InsightReply]

    @model_validator(mode="before")
    @classmethod
    def _has_insights(cls, value: Any) -> Any:
        if isinstance(value, dict) and "insights" not in value:
            raise ValueError('the reply has to be {"insights": [...]}, with an empty list for none')
        return value


@dataclass(frozen=True)
class Material:
    """Memories of one subject, and what was derived about it before, in words."""

    memories: tuple[Memory, ...]
    known: tuple[str, ...] = ()


@dataclass(frozen=True)
class Insight:
    """A statement that nobody made."""

    text: str
    why: str
    #: What it follows from, in order of the document.
    evidence: tuple[Memory, ...]


@dataclass(frozen=True)
class Deriving:
    """One call for one group of memories. A step: `Material` → `Insight`s.

    An insight that is not sound is left out, and nobody is asked for a better one: there need not be any.
    """

    def ask(self, item: Material) -> Sequence[Prompt]:
        memories = [
            {
                "id": f"m{number}",
                "text": one.text,
                "subject": one.subject,
                "said_at": moment(one.said_at),
            }
            for number, one in enumerate(item.memories, start=1)
        ]
        return [Prompt(JOB, {"memories": memories, "known": list(item.known)}, InsightsReply)]

    def read(self, item: Material, replies: Sequence[BaseModel]) -> tuple[Insight, ...]:
        (reply,) = replies
        return tuple(_sound(item, cast("InsightsReply", reply).insights))


def _sound(item: Material, given: Sequence[InsightReply]) -> Iterator[Insight]:
    """Each that says something new."""
    known = list(item.known)
    for one in given:
        evidence = _evidence(item, one)
        if len(evidence) < LEAST_EVIDENCE or not is_sound(one.text, evidence, known):
            continue
        known.append(one.text)
        yield Insight(one.text, one.why, evidence)


def _evidence(item: Material, given: InsightReply) -> tuple[Memory, ...]:
    """None where a label was never shown: then nobody knows what it follows from."""
    labels = [LABEL.fullmatch(label) for label in given.evidence]
    numbers = {int(label[1]) if label else 0 for label in labels}
    if not all(1 <= number <= len(item.memories) for number in numbers):
        return ()
    return tuple(item.memories[number - 1] for number in sorted(numbers))


def is_sound(text: str, evidence: Sequence[Memory], known: Sequence[str] = ()) -> bool:
    """Whether it keeps to the evidence, and says more than any piece of it or anything that is known.

    Its words may be its own, but no number, date, name, quotation, identifier or negation, and it denies nothing.
    """
    if len(text) > LONGEST_TEXT or unsaid(evidence, text) or denied(evidence, text):
        return False
    plain = _telling(text, evidence)
    return not any(plain <= _telling(other, evidence) for other in _texts(evidence, known))


def _texts(evidence: Sequence[Memory], known: Sequence[str]) -> Iterator[str]:
    yield from (one.text for one in evidence)
    yield from known


def _telling(text: str, evidence: Sequence[Memory]) -> frozenset[str]:
    """What it says but whom it is about. Nothing for a text that is all grammar: so much any text says."""
    return carriers(normalised(text)) - carriers(evidence[0].subject)
