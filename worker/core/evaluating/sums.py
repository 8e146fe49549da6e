"""Answers that were graded, added up: a mean over runs and how far they lie apart."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from schemas.base import Stored
from schemas.plan import Tokens, Usage
from worker.core.evaluating.locomo import ADVERSARIAL, CATEGORIES

#: All but `adversarial`, as the field adds them up.
OVERALL = "overall"


class Result(Stored):
    """One question in one run; kept as a line."""

    run: int
    conversation: str
    question: int
    category: str
    #: Empty where it was declined.
    answer: str
    correct: bool
    #: 0 to 1; of adversarial questions there is none.
    f1: float | None
    #: Memories that recall told, and their tokens as estimated.
    memories: int
    context_tokens: int
    #: By job: `answer` and `grade`.
    usage: Usage
    seconds: float


@dataclass(frozen=True)
class Spread:
    """Of one figure over the runs."""

    mean: float
    #: Standard deviation of the sample; nothing of a single run.
    deviation: float | None
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        deviation = stdev(values) if len(values) > 1 else None
        return cls(fmean(values), deviation, min(values), max(values))


@dataclass(frozen=True)
class Row:
    """One category."""

    category: str
    #: Of one run.
    questions: int
    accuracy: Spread
    f1: Spread | None


def rows(results: Iterable[Result]) -> list[Row]:
    """In the order of the data set's numbers, then all but `adversarial` together; only what was asked."""
    found = list(results)
    names = [name for name in CATEGORIES.values() if any(one.category == name for one in found)]
    parts = [(name, [one for one in found if one.category == name]) for name in names]
    answerable = [one for one in found if one.category != ADVERSARIAL]
    if answerable:
        parts.append((OVERALL, answerable))
    return [_row(name, of) for name, of in parts]


def spent(usages: Iterable[Usage]) -> Usage:
    """Added up by job."""
    calls, tokens = Counter[str](), defaultdict[str, Tokens](Tokens)
    for usage in usages:
        calls.update(usage.calls)
        for job, one in usage.tokens.items():
            tokens[job] += one
    return Usage.by_job(calls, tokens)


def _row(name: str, results: Sequence[Result]) -> Row:
    runs = [[one for one in results if one.run == run] for run in sorted({x.run for x in results})]
    accuracy = Spread.of([fmean(one.correct for one in run) for run in runs])
    shared = [fmean(one.f1 for one in run if one.f1 is not None) for run in runs if _has_f1(run)]
    return Row(name, max(map(len, runs)), accuracy, Spread.of(shared) if shared else None)


def _has_f1(results: Sequence[Result]) -> bool:
    return any(one.f1 is not None for one in results)
