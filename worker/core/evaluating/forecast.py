"""What an evaluation will ask of models, before it starts: estimates, for a person to say yes or no."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from schemas.tokens import estimate
from worker.core.evaluating.locomo import ADVERSARIAL, Conversation
from worker.core.groups.setting import DetectorName
from worker.core.judging.detectors import DETECTORS

#: Tokens that models have been seen to write for each thing, roughly.
FACTS_OF_A_TURN, JUDGMENT, ANSWER, GRADE = 30, 400, 60, 40
#: Tokens of a turn beside its text, of a memory in a question's document, of an answer to be graded, and of a call's
#: candidates in the judge's.
TURN, MEMORY, GRADED, CANDIDATES = 20, 60, 80, 2_000


@dataclass(frozen=True)
class Stage:
    """Calls and tokens of one job."""

    name: str
    calls: int
    prompt: int
    completion: int


@dataclass(frozen=True)
class Instructions:
    """Tokens of the instructions of each job."""

    extraction: int
    judge: int
    answer: int
    grade: int


@dataclass(frozen=True)
class Forecast:
    stages: tuple[Stage, ...]

    @property
    def calls(self) -> int:
        return sum(one.calls for one in self.stages)

    @property
    def prompt(self) -> int:
        return sum(one.prompt for one in self.stages)

    @property
    def completion(self) -> int:
        return sum(one.completion for one in self.stages)

    def price(self, per_million_in: float, per_million_out: float) -> float:
        """In the currency of the prices."""
        return (self.prompt * per_million_in + self.completion * per_million_out) / 1_000_000


@dataclass(frozen=True)
class Way:
    """How it is to be done."""

    told: Instructions
    batch_turns: int
    #: Calls of the judge in one batch; 0 of either where no model learns.
    judging: int
    extracting: int
    #: Memories that a question is answered from.
    top_k: int


def judge_calls(detector: DetectorName, batch_turns: int, top_k: int) -> int:
    """Of a batch with as many facts as turns: more than most come to."""
    found = DETECTORS[detector]
    if found.adds_only:
        return 0
    if found.facts is None:
        return 1
    return batch_turns * (top_k if found.by_pair else 1)


def forecast(to_learn: Sequence[Conversation], to_ask: Sequence[str], way: Way) -> Forecast:
    """Of the conversations that are not learned yet, and the categories of the questions that are not answered yet."""
    sessions = [session for one in to_learn for session in one.sessions()]
    spoken = sum(estimate(turn["text"]) + TURN for session in sessions for turn in session)
    batches = sum(ceil(len(session) / way.batch_turns) for session in sessions)
    extracted, judged = batches * way.extracting, batches * way.judging
    graded = sum(category != ADVERSARIAL for category in to_ask)
    told, turns = way.told, sum(map(len, sessions))
    return Forecast(
        (
            Stage(
                "extraction",
                extracted,
                extracted * told.extraction + 2 * spoken * way.extracting,
                turns * FACTS_OF_A_TURN * way.extracting,
            ),
            Stage("judging", judged, judged * (told.judge + CANDIDATES), judged * JUDGMENT),
            Stage(
                "answer",
                len(to_ask),
                len(to_ask) * (told.answer + way.top_k * MEMORY),
                len(to_ask) * ANSWER,
            ),
            Stage("grade", graded, graded * (told.grade + GRADED), graded * GRADE),
        )
    )
