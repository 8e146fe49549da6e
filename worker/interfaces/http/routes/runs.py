"""What changed a user's memory, and how it is taken back."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body

from schemas.base import Frozen
from schemas.plan import Run
from schemas.scope import Scope
from worker.direct.undoing import planned, undo, unfinished
from worker.errors import NotFound, Unprocessable
from worker.interfaces.http.asking import TheScope, TheService
from worker.interfaces.http.paging import USUAL, Cursor, Key, Limit, newest, page
from worker.interfaces.http.problems import Problem, Responses, heeding
from worker.interfaces.runs_told import RunLine, RunTold, document_of, line_of, told, with_plan
from worker.interfaces.undone import Undone, brings_back, forgotten_by, undone_of
from worker.parts import Parts

router = APIRouter(prefix="/v1/runs", tags=["runs"])

NOT_FOUND: Responses = {404: {"model": Problem, "description": "No such run in this scope"}}
BUILT_UPON: Responses = {
    409: {"model": Problem, "description": "A later run built on it: undo that one first"}
}


DRY = {"dry_run": True}


class Runs(Frozen):
    """The latest first."""

    runs: tuple[RunLine, ...]
    #: For the page behind it; null for the last.
    next: str | None


class UndoBody(Frozen):
    """How a run is to be taken back."""

    #: Only tell what it would do.
    dry_run: bool = False
    #: Also where that brings back what a person asked to forget.
    remember_again: bool = False


@router.get("")
async def listed(
    service: TheService, scope: TheScope, limit: Limit = USUAL, cursor: Cursor = None
) -> Runs:
    """What changed a user's memory: batches of turns, sleep, direct writes, and what took them back."""
    found = await service.with_parts(lambda parts: sorted(parts.store.runs(scope), key=_place))
    with heeding():
        told_now = page(found, _place, ("runs", scope.key), limit, cursor)
    return Runs(runs=tuple(line_of(with_plan(run)) for run in told_now.items), next=told_now.next)


def _place(run: Run) -> Key:
    return newest(run.started_at), run.id.hex


@router.get("/{id}", responses=NOT_FOUND)
async def one(id: UUID, service: TheService, scope: TheScope) -> RunTold:
    """What one run changed: what came in, what it cost, and the words before and after, with the reason."""
    return await service.with_parts(lambda parts: _told(parts, scope, id))


def _told(parts: Parts, scope: Scope, id: UUID) -> RunTold:
    run = parts.store.run(scope, id)
    if run is None:
        raise NotFound(f"run {id} is not found in this scope")
    return document_of(told(parts.store, scope, run))


@router.post("/{id}/undo", responses={**NOT_FOUND, **BUILT_UPON})
async def undo_run(
    id: UUID, service: TheService, scope: TheScope, body: Annotated[UndoBody, Body(examples=[DRY])]
) -> Undone:
    """Take back what a run changed, unless a later run built on it. Its turns may be published again."""
    return await service.with_parts(lambda parts: _undone(parts, scope, id, body, service.now()))


def _undone(parts: Parts, scope: Scope, id: UUID, body: UndoBody, now: datetime) -> Undone:
    if body.dry_run:
        plan = planned(parts.store, scope, id, now)
        return undone_of(parts.store, plan, unfinished(parts.store, scope))
    if not body.remember_again and (count := forgotten_by(parts.store, scope, id)):
        raise Unprocessable(
            f"{brings_back(count)}: set `remember_again` if that is meant; nothing was done"
        )
    return undone_of(parts.store, undo(parts, scope, id, now), None)
