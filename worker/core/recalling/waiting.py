"""Turns that are not consolidated yet, as they are told beside the memories: no amnesia while a batch waits."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
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
#: Characters of one, as it is kept for context too.
LONGEST_PENDING = 2_000
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


def told_of(queue: Queue, past: Past, marks: Marks) -> list[Waiting]:
    """What may be told of them, by when it was said.

    Nothing of machinery, of what a machine sent by itself, of what is settled, or was said before its scope was erased;
    and no wish to forget, which would tell what it wants gone.
    """
    in_work = {turn.id for turn in queue.turns[: queue.in_work]}
    fresh = [turn for turn in queue.turns if _is_fresh(turn, past)]
    heard = heard_in(fresh, marks=marks, remember_assistant=True).turns
    wishes = {turn.id for turn in fresh if turn.role == "user" and asks_to_forget(turn.text)}
    told = {turn.id: _waiting(turn, in_work) for turn in heard if turn.id not in wishes}
    return sorted(told.values(), key=lambda one: one.said_at)


def _is_fresh(turn: Turn, past: Past) -> bool:
    return turn.id not in past.settled and not is_erased(turn.said_at, past.erased_at)


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


def newest(
    waiting: Sequence[Waiting], limit: int, budget: Budget
) -> tuple[tuple[Waiting, ...], Budget]:
    """The last of them that fit into their share of the budget, and what of it they leave."""
    characters, tokens = _share(budget.characters), _share(budget.tokens)
    chosen: list[Waiting] = []
    for one in reversed(waiting):
        size = len(one.text), budget.count(one.text) if tokens is not None else 0
        fits = (characters is None or size[0] <= characters) and (
            tokens is None or size[1] <= tokens
        )
        if len(chosen) < limit and fits:
            chosen.append(one)
            characters, tokens = _less(characters, size[0]), _less(tokens, size[1])
    return tuple(reversed(chosen)), replace(
        budget,
        characters=_less(budget.characters, sum(len(one.text) for one in chosen)),
        tokens=_less(budget.tokens, sum(budget.count(one.text) for one in chosen))
        if budget.tokens is not None
        else None,
    )


def _share(whole: int | None) -> int | None:
    return None if whole is None else int(whole * SHARE)


def _less(whole: int | None, part: int) -> int | None:
    return None if whole is None else whole - part
