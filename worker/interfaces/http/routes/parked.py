"""Turns that were put aside: what failed for good, and what waits for review."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from schemas.base import Frozen
from schemas.scope import Scope
from worker.adapters.parking import Letter
from worker.direct.reviewing import accept
from worker.errors import NotFound
from worker.interfaces.http.asking import TheScope, TheService
from worker.interfaces.http.paging import USUAL, Cursor, Key, Limit, newest, page
from worker.interfaces.http.problems import Problem, Responses, heeding
from worker.interfaces.letters import ParkedTurn, exported
from worker.interfaces.settled_letters import Decided, each, replayed
from worker.parts import Parts

router = APIRouter(prefix="/v1/parked", tags=["parked turns"])

NOT_FOUND: Responses = {404: {"model": Problem, "description": "One of them is not parked"}}
#: Turns that one request may name.
MOST_IDS = 500


class ParkedTurns(Frozen):
    """The latest first."""

    parked: tuple[ParkedTurn, ...]
    #: For the page behind it; null for the last.
    next: str | None


class Chosen(Frozen):
    """By their ids as they are listed, or all that the user has."""

    ids: tuple[Annotated[str, Field(max_length=256)], ...] = Field(default=(), max_length=MOST_IDS)
    all: bool = False


@router.get("")
async def listed(
    service: TheService, scope: TheScope, limit: Limit = USUAL, cursor: Cursor = None
) -> ParkedTurns:
    """Turns of a user that were put aside, whole, with what was queued and what is proposed for them."""
    found = await service.with_parts(lambda parts: sorted(_letters(parts, scope), key=_place))
    with heeding():
        told = page(found, _place, ("parked", scope.key), limit, cursor)
    return ParkedTurns(parked=tuple(map(exported, told.items)), next=told.next)


def _letters(parts: Parts, scope: Scope) -> list[Letter]:
    return list(parts.inbox.parking.letters(scope.key))


def _place(letter: Letter) -> Key:
    return newest(letter.parked.parked_at), letter.id


@router.post("/replay", responses=NOT_FOUND)
async def replay(body: Chosen, service: TheService, scope: TheScope) -> Decided:
    """Put them back into the queue, behind what waits by now, to be tried afresh."""
    return await service.with_parts(lambda parts: replayed(parts.inbox, _named(parts, scope, body)))


@router.post("/accept", responses=NOT_FOUND)
async def accept_some(body: Chosen, service: TheService, scope: TheScope) -> Decided:
    """Carry out what is proposed for turns held for review, where the memories are as they were."""
    return await service.with_parts(
        lambda parts: each(
            _named(parts, scope, body), lambda one: accept(parts, one, service.now())
        )
    )


@router.post("/drop", responses=NOT_FOUND)
async def drop(body: Chosen, service: TheService, scope: TheScope) -> Decided:
    """Give them up for good: nothing is learned from them. Their turns may be published again."""
    return await service.with_parts(
        lambda parts: Decided(count=parts.inbox.parking.drop(_named(parts, scope, body)))
    )


def _named(parts: Parts, scope: Scope, body: Chosen) -> Sequence[Letter]:
    """Raises `WrongInput` where it is not said which, `NotFound` for one that is not parked: then nothing is done."""
    with heeding():
        if bool(body.ids) is body.all:
            raise ValueError("say which: `ids`, or `all`")
    letters = {one.id: one for one in _letters(parts, scope)}
    if body.all:
        return list(letters.values())
    if unknown := [id for id in body.ids if id not in letters]:
        raise NotFound(f"turn {unknown[0]} is not parked in this scope: nothing was done")
    return [letters[id] for id in dict.fromkeys(body.ids)]
