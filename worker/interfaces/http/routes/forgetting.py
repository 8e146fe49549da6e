"""What is gone for good: a memory, what a query names, or all that there is of a user."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body
from pydantic import Field

from schemas.base import Frozen, Text
from schemas.memory import Memory
from schemas.scope import Scope
from worker.core.forgetting.going import State
from worker.core.recalling.questions import LONGEST_QUERY
from worker.core.texts.words import carriers
from worker.direct.erasing import Contents, contents, erase
from worker.direct.erasing import Receipt as Erased
from worker.direct.forgetting import Receipt, Sighted, Wanted, forget, sighted
from worker.interfaces.http.asking import TheScope, TheService
from worker.interfaces.http.problems import Problem, Responses, heeding
from worker.parts import Parts

router = APIRouter(prefix="/v1", tags=["forgetting"])

NOT_FOUND: Responses = {404: {"model": Problem, "description": "No such memory in this scope"}}
#: Memories that one request may name.
MOST_IDS = 100
QUERY = {"query": "my old phone number"}

Words = Annotated[Text, Field(min_length=1, max_length=LONGEST_QUERY)]


class LookBody(Frozen):
    #: What is to go, in the words it was said.
    query: Words


class NamedTold(Frozen):
    """A memory that has all words of a query."""

    id: UUID
    #: Null of what was forgotten in a conversation and waits to be removed.
    text: str | None
    state: State
    #: Only a part of it goes: the rest stays.
    says_more: bool


class Look(Frozen):
    """What a query would take, and what is only near it and stays."""

    named: tuple[NamedTold, ...]
    near: tuple[Memory, ...]


class ForgetBody(Frozen):
    """Memories by their ids, what a query names, or of these ids what the query names."""

    ids: tuple[UUID, ...] | None = Field(default=None, min_length=1, max_length=MOST_IDS)
    query: Words | None = None


class EraseBody(Frozen):
    #: The name of the user, once more: so that nobody is erased by mistake.
    user: Annotated[Text, Field(max_length=256)]


@router.post("/forget/look")
async def look(
    body: Annotated[LookBody, Body(examples=[QUERY])], service: TheService, scope: TheScope
) -> Look:
    """What forgetting a query would take. Nothing is changed."""
    with heeding():
        _check_names_something(body.query)
    found = await service.with_parts(lambda parts: sighted(parts, scope, body.query, service.now()))
    return _told(found)


def _told(found: Sighted) -> Look:
    named = tuple(
        NamedTold(
            id=one.id,
            text=None if one.state == "forgotten" else one.text,
            state=one.state,
            says_more=one.says_more,
        )
        for one in found.named
    )
    return Look(named=named, near=found.near)


def _check_names_something(query: str) -> None:
    if not carriers(query):
        raise ValueError("`query` names nothing: say what is to go")


@router.post("/forget", responses=NOT_FOUND)
async def forget_some(
    body: Annotated[ForgetBody, Body(examples=[QUERY])], service: TheService, scope: TheScope
) -> Receipt:
    """Forget memories, or all that names a query (`/v1/forget/look` tells what). Nothing brings it back.

    It leaves what is known, its history, the runs, and the turns that wait, were put aside or serve as context; the
    same turns published again stay out. A query takes what has all its words; where a memory says more, the rest stays.
    Again is harmless.
    """
    with heeding():
        if body.ids is None and body.query is None:
            raise ValueError("say which: `ids`, `query`, or both")
        if body.query is not None:
            _check_names_something(body.query)
    wanted = Wanted(body.ids, body.query)
    return await service.with_parts(lambda parts: forget(parts, scope, wanted, _now(parts)))


@router.delete("/memories/{id}", responses=NOT_FOUND)
async def forget_one(id: UUID, service: TheService, scope: TheScope) -> Receipt:
    """Forget one memory with all that it was made of. Again is harmless."""
    return await service.with_parts(lambda parts: forget(parts, scope, Wanted((id,)), _now(parts)))


@router.get("/contents")
async def counted(service: TheService, scope: TheScope) -> Contents:
    """How much there is of a user, by place: what erasing would take."""
    return await service.with_parts(lambda parts: contents(parts, scope))


@router.post("/erase")
async def erase_all(body: EraseBody, service: TheService, scope: TheScope) -> Erased:
    """Erase all that there is of a user. Nothing brings it back; what is said later is learned.

    What was said until now stays out even if it is published again. Again is harmless, and ends what broke off.
    """
    with heeding():
        _check_is_meant(body.user, scope)
    return await service.with_parts(lambda parts: erase(parts, scope, _now(parts)))


def _check_is_meant(named: str, scope: Scope) -> None:
    if named != scope.user:
        raise ValueError(
            "`user` in the body is not whom the address or the key names: nothing was erased"
        )


def _now(parts: Parts) -> datetime:
    """A clock that is ahead would keep out what people go on saying."""
    return parts.inbox.now()
