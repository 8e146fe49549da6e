"""What is known, and how people change it."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body, Query, Response
from pydantic import Field

from schemas.base import AwareDatetime, Frozen
from schemas.memory import Archive, Memory
from schemas.scope import Scope
from worker.core.current import current
from worker.core.writing.amending import Amendment
from worker.core.writing.stated import StatementLine, stated
from worker.core.writing.written import Written
from worker.direct.editing import amend
from worker.direct.remembering import remember
from worker.direct.restoring import restore
from worker.errors import NotFound
from worker.interfaces.histories import history_of
from worker.interfaces.http.asking import TheScope, TheService
from worker.interfaces.http.paging import USUAL, Cursor, Key, Limit, newest, page
from worker.interfaces.http.problems import Problem, Responses, heeding
from worker.interfaces.http.writes import IdempotencyKey, IfMatch, etag, version_in, write_key
from worker.interfaces.moments import TIME_HELP, moment_of
from worker.interfaces.restored import Restored, restored_of
from worker.parts import Parts
from worker.recall import known

router = APIRouter(prefix="/v1/memories", tags=["memories"])

NOT_FOUND: Responses = {404: {"model": Problem, "description": "No such memory in this scope"}}
MOVED: Responses = {412: {"model": Problem, "description": "The memory has another version"}}
STATEMENT = {
    "text": "Lives in Oslo",
    "attribute": "home",
    "tags": ["profile"],
    "external_ref": "crm-17",
}
CHANGE = {"text": "Lives in Bergen", "pinned": True, "add_tags": ["checked"], "reason": "told us"}
#: Characters of a time.
LONGEST_TIME = 40

Moment = Annotated[str | None, Query(max_length=LONGEST_TIME, examples=["2026-03-01"])]


class Memories(Frozen):
    """The latest change first."""

    memories: tuple[Memory, ...]
    #: For the page behind it; null for the last.
    next: str | None


class HistoryTold(Frozen):
    """How a memory came to be what it is."""

    id: UUID
    #: Null where it no longer stands.
    live: Memory | None
    #: What came before, newest first.
    archives: tuple[Archive, ...]
    #: What was archived until then is past its retention, and gone.
    removed_until: AwareDatetime | None
    next: str | None


class VersionBody(Frozen):
    version: int = Field(ge=1, le=10**9)


@router.get("")
async def listed(
    service: TheService,
    scope: TheScope,
    as_of: Annotated[Moment, Query(description=f"What was believed then. {TIME_HELP}")] = None,
    valid_at: Annotated[
        Moment, Query(description="What was true then, as it is known now.")
    ] = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> Memories:
    """What is known of a user, or was at a moment, a page at a time."""
    then, true_at = _moment("as_of", as_of), _moment("valid_at", valid_at)
    found = await service.with_parts(
        lambda parts: known(parts.store, scope, service.now(), as_of=then, valid_at=true_at)
    )
    of = ("memories", scope.key, then, true_at)
    with heeding():
        told = page(found, _place, of, limit, cursor)
    return Memories(memories=told.items, next=told.next)


def _moment(name: str, given: str | None) -> datetime | None:
    with heeding():
        try:
            return None if given is None else moment_of(given)
        except ValueError as error:
            raise ValueError(f"`{name}` {error}") from None


def _place(memory: Memory) -> Key:
    """In the order of `known`."""
    return (newest(memory.updated_at), newest(memory.said_at), memory.id.hex, memory.version)


@router.get("/{id}", responses=NOT_FOUND)
async def one(id: UUID, service: TheService, scope: TheScope, response: Response) -> Memory:
    """One memory as it stands now. Its `ETag` is its version, for `If-Match`."""
    found = await service.with_parts(lambda parts: _standing(parts, scope, id, service.now()))
    response.headers["ETag"] = etag(found.version)
    return found


def _standing(parts: Parts, scope: Scope, id: UUID, now: datetime) -> Memory:
    live = next((record.memory for record in parts.store.memories(scope, [id])), None)
    found = current(live, now) if live else None
    if found is None:
        raise NotFound(
            f"memory {id} does not stand in this scope; its history may tell what it was"
        )
    return found


@router.get("/{id}/history", responses=NOT_FOUND)
async def history(
    id: UUID, service: TheService, scope: TheScope, limit: Limit = USUAL, cursor: Cursor = None
) -> HistoryTold:
    """How a memory came to be what it is: its earlier versions and what went into it, and why each was replaced."""
    found = await service.with_parts(lambda parts: history_of(parts.store, scope, id))
    with heeding():
        told = page(found.archives, _archived, ("history", scope.key, id), limit, cursor)
    return HistoryTold(
        id=id,
        live=found.live,
        archives=told.items,
        removed_until=found.removed_until,
        next=told.next,
    )


def _archived(archive: Archive) -> Key:
    """In the order of `newest_first`, which leaves equals as they are: by id."""
    return newest(archive.archived_at), -archive.memory.version, archive.memory.id.hex


@router.post("", status_code=HTTPStatus.CREATED, responses={**NOT_FOUND, **MOVED})
async def write(
    line: Annotated[StatementLine, Body(examples=[STATEMENT])],
    service: TheService,
    scope: TheScope,
    judge: Annotated[
        bool,
        Query(description="Weigh it against what is known; else confirm the same words, or add."),
    ] = True,
    idempotency_key: IdempotencyKey = None,
) -> Written:
    """Remember a ready statement. `fate` tells what became of it, `duplicate` that it had been written before."""
    key, now = write_key(idempotency_key, "remember"), service.now()
    statement = stated(line, scope, key, now)
    (done,) = await service.with_parts(
        lambda parts: remember(parts, scope, [statement], now, judge=judge)
    )
    return done


@router.patch("/{id}", responses={**NOT_FOUND, **MOVED})
async def edit(
    id: UUID,
    wanted: Annotated[Amendment, Body(examples=[CHANGE])],
    service: TheService,
    scope: TheScope,
    response: Response,
    if_match: IfMatch = None,
    idempotency_key: IdempotencyKey = None,
) -> Written:
    """Change its words, fields, tags or pin; what is not named stays. The version before goes to the archive."""
    with heeding():
        wanted = _at_version(wanted, version_in(if_match))
    key = write_key(idempotency_key, f"edit:{id}")
    done = await service.with_parts(
        lambda parts: amend(parts, scope, id, wanted, key=key, now=service.now())
    )
    if done.version is not None:
        response.headers["ETag"] = etag(done.version)
    return done


def _at_version(wanted: Amendment, version: int | None) -> Amendment:
    """Raises `ValueError` where nothing is to change, or two versions are named."""
    if not wanted.model_fields_set - {"reason", "if_version"}:
        raise ValueError("the body changes nothing: name a field")
    if version is None:
        return wanted
    if wanted.if_version not in {None, version}:
        raise ValueError("`If-Match` and `if_version` name two versions: leave one out")
    return wanted.model_copy(update={"if_version": version})


@router.post("/{id}/restore", responses=NOT_FOUND)
async def restore_version(
    id: UUID, body: VersionBody, service: TheService, scope: TheScope, response: Response
) -> Restored:
    """Let an earlier version stand again, as the next one. Where it stands already, nothing is written."""
    plan = await service.with_parts(
        lambda parts: restore(parts, scope, id, body.version, service.now())
    )
    done = restored_of(plan, id, body.version)
    if done.version is not None:
        response.headers["ETag"] = etag(done.version)
    return done
