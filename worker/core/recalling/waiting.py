"""Turns that are not consolidated yet, as they are told beside the memories: no amnesia while a batch waits."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from itertools import chain, islice
from uuid import UUID

from schemas.turn import Turn
from worker.core.forgetting.erased import is_erased
from worker.core.hearing.forget_requests import asks_to_forget
from worker.core.hearing.hearing import heard_in
from worker.core.hearing.marks import Marks
from worker.core.recalling.answer import Waiting
from worker.core.recalling.ask import Budget

#: Most turns of one answer.
MOST_PENDING = 50
#: Characters of one, as it is kept for context too; and of one that is read for it, which would hold up an answer.
LONGEST_PENDING, LONGEST_READ = 2_000, 10_000
#: What turns may take of a budget. They come first in it, and the memories have all that they leave: what was said a
#: minute ago would else have no room beside a large memory.
SHARE = 0.25


@dataclass(frozen=True)
class Queue:
    """The last turns of a scope that wait, in order of arrival."""

    turns: tuple[Turn, ...] = ()
    #: How many of these, the first ones, are in a batch that somebody holds.
    in_work: int = 0


@dataclass(frozen=True)
class Past:
    """What a store says against telling a turn."""

    #: Turns that a run has settled: learned from, or forgotten.
    settled: frozenset[UUID] = frozenset()
    erased_at: datetime | None = None


def told_of(queue: Queue, marks: Marks, limit: int) -> list[Waiting]:
    """Of what may be told the last to arrive, by when it was said.

    Nothing of machinery, of what a machine sent by itself, and of what is longer than `LONGEST_READ`; and no wish to
    forget, which would tell what it wants gone.
    """
    in_work = {turn.id for turn in queue.turns[: queue.in_work]}
    # None is looked at that need not be: reading a long text takes its time.
    heard = chain.from_iterable(_heard(turn, marks) for turn in reversed(queue.turns))
    told = {turn.id: _waiting(turn, in_work) for turn in islice(heard, limit)}
    in_order = list(told.values())[::-1]
    return sorted(in_order, key=lambda one: one.said_at)


def _heard(turn: Turn, marks: Marks) -> Sequence[Turn]:
    if len(turn.text) > LONGEST_READ or (turn.role == "user" and asks_to_forget(turn.text)):
        return ()
    return heard_in([turn], marks=marks, remember_assistant=True).turns


def unsettled(waiting: Iterable[Waiting], past: Past) -> list[Waiting]:
    """Without what a run has settled, and what was said before its scope was erased."""
    return [
        one
        for one in waiting
        if one.id not in past.settled and not is_erased(one.said_at, past.erased_at)
    ]


def _waiting(turn: Turn, in_work: Collection[UUID]) -> Waiting:
    return Waiting(
        id=turn.id,
        conversation=turn.conversation,
        role=turn.role,
        speaker=turn.speaker,
        text=turn.text[:LONGEST_PENDING],
        said_at=turn.said_at,
        state="in work" if turn.id in in_work else "waiting",
    )


def fitting(waiting: Sequence[Waiting], budget: Budget) -> tuple[tuple[Waiting, ...], Budget]:
    """The newest that fit into their share of the budget, and what of it they leave."""
    room = replace(budget, characters=_share(budget.characters), tokens=_share(budget.tokens))
    chosen: list[Waiting] = []
    for one in reversed(waiting):
        after = _less(room, one.text)
        if (after.characters or 0) >= 0 and (after.tokens or 0) >= 0:
            chosen.append(one)
            room = after
    left = reduce(_less, (one.text for one in chosen), budget)
    return tuple(reversed(chosen)), left


def _share(whole: int | None) -> int | None:
    return None if whole is None else int(whole * SHARE)


def _less(budget: Budget, text: str) -> Budget:
    characters, tokens = budget.characters, budget.tokens
    return replace(
        budget,
        characters=None if characters is None else characters - len(text),
        tokens=None if tokens is None else tokens - budget.count(text),
    )
