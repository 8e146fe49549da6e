"""The read path as a list: each stage takes a pool and gives what is left of it."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import reduce

from worker.core.recalling.answer import Answer, Recalled, State, Terms
from worker.core.recalling.ask import Ask
from worker.core.recalling.budgeting import bounded
from worker.core.recalling.codes import exact
from worker.core.recalling.copies import without_copies
from worker.core.recalling.diversity import diversified
from worker.core.recalling.floor import floored
from worker.core.recalling.grouping import grouped
from worker.core.recalling.links import later_first, lifted_by_links
from worker.core.recalling.pool import Entry, Pool, Stage, best_first
from worker.core.recalling.profile import profiled
from worker.core.recalling.questions import Question
from worker.core.recalling.scoring import scored
from worker.core.recalling.unseen import unseen


def answering(ask: Ask, questions: Sequence[Question], now: datetime) -> list[Stage]:
    """From a pool with signals to what is told, in the order in which it is told."""
    return [*weighing(ask, questions, now), *choosing(ask)]


def weighing(ask: Ask, questions: Sequence[Question], now: datetime) -> list[Stage]:
    """From a pool with signals to what may answer, each with its score."""
    return [
        floored(ask.floor, follow_links=ask.follow_links),
        *([exact(questions)] if ask.exact_codes else []),
        scored(ask, moment(ask, now)),
        *([lifted_by_links(ask.weights.linked)] if ask.follow_links else []),
        later_first,
        without_copies(ask.near_copy),
    ]


def choosing(ask: Ask) -> list[Stage]:
    """From what may answer to what is told."""
    return [
        diversified(ask.mmr, ask.unrelated),
        grouped(ask.group_by, ask.group_size),
        *_told(ask),
        presented,
    ]


def profiling(ask: Ask) -> list[Stage]:
    """From all that stands to a profile."""
    return [profiled, *_told(ask)]


def _told(ask: Ask) -> list[Stage]:
    return [unseen(ask.shown), bounded(ask.limit, ask.budget)]


def run(stages: Iterable[Stage], pool: Pool) -> Pool:
    return reduce(lambda left, stage: stage(left), stages, pool)


def moment(ask: Ask, now: datetime) -> datetime:
    """When the age of a memory is asked about."""
    return min(ask.valid_at or ask.as_of or now, now)


def presented(pool: Pool) -> Pool:
    """Chosen for being different, told by how well each answers; corrections first."""
    return pool.with_entries(
        sorted(best_first(pool.entries), key=lambda one: not one.is_correction)
    )


def answer(pool: Pool) -> Answer:
    return Answer(
        items=tuple(map(_recalled, pool.entries)),
        left_out=pool.left_out,
        not_fitting=sum(one.stage == "budget" for one in pool.left_out),
    )


def _recalled(entry: Entry) -> Recalled:
    terms = Terms(parts=entry.parts)
    if entry.signals:
        signal = entry.signals[entry.fits]
        terms = Terms(signal.cosine, signal.bm25, signal.codes, entry.parts)
    state: State = "correction" if entry.is_correction else "new"
    return Recalled(entry.memory, entry.score, state, entry.superseded, terms)
