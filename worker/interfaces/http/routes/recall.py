"""What is known that bears on a question."""

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, cast
from uuid import UUID

from fastapi import APIRouter, Body
from fastapi import Query as InAddress
from fastapi.responses import JSONResponse

from schemas.base import Frozen
from schemas.scope import Scope
from worker.core.recalling.answer import Answer
from worker.core.recalling.ask import MOST_ANSWERS
from worker.core.recalling.options import Options
from worker.interfaces.http.asking import TheScope, TheService
from worker.interfaces.http.problems import heeding
from worker.interfaces.http.recall_answer import RecallAnswer
from worker.interfaces.http.recall_body import EXAMPLE, RecallBody
from worker.interfaces.http.service import Service
from worker.interfaces.recalled import left_out, scored
from worker.interfaces.where import without_places

router = APIRouter(prefix="/v1", tags=["recall"])


class Opinion(Frozen):
    memory_id: UUID
    #: Else it is wrong.
    useful: bool


@router.post("/recall", response_model=RecallAnswer)
async def recall(
    body: Annotated[RecallBody, Body(examples=[EXAMPLE])], service: TheService, scope: TheScope
) -> JSONResponse:
    """Find the memories that answer; it answers within its deadline with what works, also while Redis is down."""
    answer = await _recalled(service, scope, body.queries, body.options())
    return _told(service, answer, block=body.block, explain=body.explain)


@router.get("/profile", response_model=RecallAnswer)
async def profile(
    service: TheService,
    scope: TheScope,
    limit: Annotated[int | None, InAddress(ge=1, le=MOST_ANSWERS, description="Memories.")] = None,
    max_tokens: Annotated[int | None, InAddress(ge=0, description="Of all texts.")] = None,
    block: Annotated[bool, InAddress(description="Also as one text for a prompt.")] = False,
) -> JSONResponse:
    """What is known of a user without a question: pinned, then said most often, then newest."""
    given = {"limit": limit, "max_tokens": max_tokens}
    options = {name: value for name, value in given.items() if value is not None}
    answer = await _recalled(service, scope, (), cast("Options", options))
    return _told(service, answer, block=block, explain=False)


@router.post("/recall/feedback", status_code=HTTPStatus.NO_CONTENT)
async def feedback(body: Opinion, service: TheService, scope: TheScope) -> None:
    """Somebody says that a memory was useful, or that it is wrong. It is noted aside."""
    service.recaller.feedback(scope.app, scope.user, body.memory_id, useful=body.useful)


async def _recalled(
    service: Service, scope: Scope, queries: tuple[str, ...], options: Options
) -> Answer:
    with heeding():
        return await service.recaller.arecall(scope.app, scope.user, *queries, **options)


def _told(service: Service, answer: Answer, *, block: bool, explain: bool) -> JSONResponse:
    return JSONResponse(
        {
            "items": [scored(one, explain=explain) for one in answer.items],
            "left_out": [left_out(one) for one in answer.left_out] if explain else [],
            "withdrawn": [str(id) for id in answer.withdrawn],
            "outdated": [
                {"memory": one.memory.model_dump(mode="json"), "at": one.at.isoformat()}
                for one in answer.outdated
            ],
            "pending": [
                {**asdict(one), "id": str(one.id), "said_at": one.said_at.isoformat()}
                for one in answer.pending
            ],
            "not_fitting": answer.not_fitting,
            "degraded": [without_places(one, service.settings) for one in answer.degraded],
            "block": service.recaller.block(answer) if block else None,
        }
    )
