"""Nights: one at once, what the last ones came to, and what waits for a person's word."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body, Query

from schemas.base import Frozen
from schemas.scope import Scope
from worker.core.sleeping.kept import NIGHTS
from worker.core.sleeping.note import read_note
from worker.core.sleeping.report import Report
from worker.core.sleeping.retold import Retold
from worker.direct.one_night import one_night
from worker.direct.proposals import Proposal, accept, proposals, refuse
from worker.errors import NotFound
from worker.interfaces.http.asking import TheScope, TheService
from worker.interfaces.http.paging import USUAL, Cursor, Key, Limit, newest, page
from worker.interfaces.http.problems import Problem, Responses, heeding
from worker.interfaces.nights import ProposalTold, proposal_of, told_again
from worker.parts import Parts

router = APIRouter(prefix="/v1/sleep", tags=["sleep"])

NO_NIGHT: Responses = {404: {"model": Problem, "description": "No such night is kept"}}
NOT_FOUND: Responses = {404: {"model": Problem, "description": "No such proposal waits"}}
MOVED: Responses = {409: {"model": Problem, "description": "Its memories have changed since"}}


DRY = {"dry_run": True}


class SleepBody(Frozen):
    #: Only tell what it would do and what that costs; the model is asked the same questions.
    dry_run: bool = False


class Proposals(Frozen):
    """The latest first."""

    proposals: tuple[ProposalTold, ...]
    #: For the page behind it; null for the last.
    next: str | None


class Accepted(Frozen):
    """It was carried out as a run of its own, which can be undone."""

    run: UUID


@router.post("")
async def sleep(
    service: TheService, scope: TheScope, body: Annotated[SleepBody, Body(examples=[DRY])]
) -> Report:
    """Tidy a user's memory now, looking only at what changed since the last time. Turns that wait go first.

    It answers when the night is over, which takes a model's time for each memory that changed; `stopped` tells why it
    ended early. Also without it every scope is tidied by the workers.
    """
    return await service.with_parts(lambda parts: one_night(parts, scope, dry_run=body.dry_run))


@router.get("/report", responses=NO_NIGHT)
async def report(
    service: TheService,
    scope: TheScope,
    night: Annotated[int, Query(ge=1, le=NIGHTS, description="The Nth last; 1 is the latest.")] = 1,
) -> Retold:
    """What a night came to: what each pass did and cost, and the words before and after that may still be told."""
    return await service.with_parts(lambda parts: _night(parts, scope, night))


def _night(parts: Parts, scope: Scope, nth: int) -> Retold:
    nights = read_note(parts.store.about(scope).sleep, scope).nights
    if nth > len(nights):
        raise NotFound(f"there is no night {nth}: {len(nights)} are kept, of at most {NIGHTS}")
    return told_again(parts.store, scope, nights, nth)


@router.get("/proposals")
async def listed(
    service: TheService, scope: TheScope, limit: Limit = USUAL, cursor: Cursor = None
) -> Proposals:
    """What sleep would not do by itself: it would change too much, leave a question unanswered, or lose words."""
    found = await service.with_parts(
        lambda parts: sorted(proposals(parts.store, scope), key=_place)
    )
    with heeding():
        told = page(found, _place, ("proposals", scope.key), limit, cursor)
    return Proposals(proposals=tuple(map(proposal_of, told.items)), next=told.next)


def _place(one: Proposal) -> Key:
    return newest(one.run.started_at), one.run.id.hex


@router.post("/proposals/{id}/accept", responses={**NOT_FOUND, **MOVED})
async def accept_one(id: UUID, service: TheService, scope: TheScope) -> Accepted:
    """Carry a proposal out, where its memories are as they were."""
    plan = await service.with_parts(lambda parts: accept(parts, scope, id, service.now()))
    return Accepted(run=plan.run)


@router.post("/proposals/{id}/refuse", status_code=204, responses=NOT_FOUND)
async def refuse_one(id: UUID, service: TheService, scope: TheScope) -> None:
    """Drop a proposal."""
    await service.with_parts(lambda parts: refuse(parts, scope, id, service.now()))
