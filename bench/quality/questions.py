"""What a data set asks of its streams, answered by letters in what comes up first. Pure.

No reader puts an answer together: what is counted is whether the words of the answer are there to be read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.quality.counts import Counts
from bench.quality.stream import Question
from worker.core.texts.folding import folded


@dataclass(frozen=True)
class Asked(Counts):
    """Counts of questions."""

    #: That want something told.
    questions: int = 0
    #: Of those: all of it stands in the first hit.
    answered_first: int = 0
    #: Of those: all of it stands in the first ten.
    answered: int = 0
    #: Single things that are to be told, of all those questions: an answer may be made of eight.
    pieces: int = 0
    #: Of those: what stands in the first ten.
    pieces_told: int = 0
    #: That name something which may not be told.
    guarded: int = 0
    #: Of those: it stands in the first ten.
    told_wrongly: int = 0


def asked(questions: Sequence[Question], hits: Sequence[Sequence[str]]) -> Asked:
    """`hits` has the texts that came up for each question, the best first."""
    found = Asked()
    for question, texts in zip(questions, hits, strict=True):
        wants = bool(question.must)
        found += Asked(
            questions=wants,
            answered_first=wants and _tell_all(question, texts[:1]),
            answered=wants and _tell_all(question, texts),
            pieces=len(question.must),
            pieces_told=sum(_tell_any(wordings, texts) for wordings in question.must),
            guarded=bool(question.must_not),
            told_wrongly=_tell_any(question.must_not, texts),
        )
    return found


def _tell_all(question: Question, texts: Sequence[str]) -> bool:
    return all(_tell_any(wordings, texts) for wordings in question.must)


def _tell_any(wordings: Iterable[str], texts: Sequence[str]) -> bool:
    plain = [_plain(text) for text in texts]
    return any(_plain(one) in text for one in wordings for text in plain)


def _plain(text: str) -> str:
    return " ".join(folded(text).split())
