"""Turns in, and what has become of them."""

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from producers.answer import Answer, Settled
from producers.ticket import Ticket
from schemas.line import TurnLine
from worker.errors import NotFound, Unavailable
from worker.interfaces.http.asking import (
    AppName,
    TheCaller,
    TheScope,
    TheService,
    UserName,
    check_readable,
)
from worker.interfaces.http.limits import NDJSON, media_type
from worker.interfaces.http.problems import LATER, Problem, Responses, heeding, problem
from worker.interfaces.http.publishing import MOST_TURNS, Publishing, body_of
from worker.interfaces.http.streaming import published_lines
from worker.interfaces.where import without_places

router = APIRouter(prefix="/v1", tags=["turns"])

#: Where lines are read as they come.
STREAMED = ("/v1/turns",)
#: Seconds that one request waits, at most.
LONGEST_WAIT = 60


class NotAllIn(Problem):
    """What became of each turn, in order. What is in counts once, however often it is published."""

    answers: list[Answer] = []


def _shape() -> dict[str, Any]:
    made = TurnLine.model_json_schema(ref_template="#/components/schemas/{model}")
    made.pop("$defs", None)
    return {**made, "required": ["role"]}


#: Read by hand: a body may also be lines, and a turn that is refused refuses no other.
SHAPES = {"TurnLine": _shape()}
_TURN = {"$ref": "#/components/schemas/TurnLine"}
_EXAMPLE = {
    "user": "ann",
    "conversation": "42",
    "role": "user",
    "text": "I moved to Oslo.",
    "id": "1",
}
_BODY: dict[str, Any] = {
    "required": True,
    "description": "`app` and `user` of a turn may be left out where the key or the address names them.",
    "content": {
        "application/json": {
            "schema": {"anyOf": [_TURN, {"type": "array", "items": _TURN, "maxItems": MOST_TURNS}]},
            "example": _EXAMPLE,
        },
        NDJSON: {
            "schema": {"type": "string"},
            "example": '{"user": "ann", "role": "user", "text": "I moved to Oslo.", "id": "1"}\n',
        },
    },
}
_RESPONSES: Responses = {
    202: {"description": "All are in: accepted, or published before"},
    415: {"model": Problem, "description": "Neither JSON nor lines of JSON"},
    422: {"model": NotAllIn, "description": "Some were refused"},
    429: {"model": NotAllIn, "description": "Too many turns of a user wait, or too many requests"},
    503: {"model": NotAllIn, "description": "Redis did not take all"},
}


@router.post(
    "/turns",
    status_code=HTTPStatus.ACCEPTED,
    response_model=Answer | list[Answer],
    responses=_RESPONSES,
    openapi_extra={"requestBody": _BODY},
)
async def publish(
    request: Request,
    service: TheService,
    caller: TheCaller,
    app: AppName = None,
    user: UserName = None,
) -> Response:
    """Publish one turn, a list of at most 1,000, or up to 100,000 lines (`application/x-ndjson`).

    202 means that all are in; otherwise the worst answer decides (503, 429, 422), and `answers` has each. Publishing
    again is safe: a turn with an `id` or a `said_at` counts once. Lines are read as they come, and answered at the end,
    a line of JSON for each; after the first that Redis does not take no other is read.
    """
    with heeding():
        check_readable(app, user)
    publishing = Publishing(service.producer, caller, caller.named(app, user))
    kind = media_type(request.headers)
    if kind == NDJSON:
        longest = service.settings.http_max_body_bytes
        return await published_lines(request.stream(), publishing, longest)
    if kind != "application/json":
        raise HTTPException(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            f"send `Content-Type: application/json`, or `{NDJSON}`",
        )
    with heeding():
        given = body_of(await request.body())
    if isinstance(given, list):
        return _answered(await publishing.all(given), publishing)
    return _answered(await publishing.one(given), publishing)


def _answered(answers: Answer | list[Answer], publishing: Publishing) -> Response:
    many = answers if isinstance(answers, list) else [answers]
    told = [one.model_dump(mode="json") for one in many]
    status, remedy = publishing.verdict()
    if status == HTTPStatus.ACCEPTED:
        return JSONResponse(told if isinstance(answers, list) else told[0], status)
    first = next(one.message for one in many if one.status not in {"accepted", "duplicate"})
    headers = None if status == HTTPStatus.UNPROCESSABLE_ENTITY else LATER
    return problem(status, f"{remedy}. The first: {first}", headers=headers, answers=told)


@router.get(
    "/tickets/{ticket}", responses={404: {"model": Problem, "description": "Of another scope"}}
)
async def settled(
    ticket: Annotated[str, Path(max_length=200, description="As publishing answered.")],
    service: TheService,
    scope: TheScope,
    wait: Annotated[float, Query(ge=0, le=LONGEST_WAIT, description="Seconds; 0 looks once.")] = 0,
) -> Settled:
    """What has become of a turn, as soon as it is `consolidated` or `parked`, or once `wait` is over."""
    with heeding():
        wanted = _read(ticket)
    if wanted.scope_key != scope.key:
        raise NotFound("this ticket is of no turn of this scope")
    found = await service.producer.wait(ticket, wait)
    if found.status == "unavailable":
        raise Unavailable("Redis did not say what became of the turn: ask again later")
    message = found.message and without_places(found.message, service.settings)
    return found.model_copy(update={"message": message})


def _read(ticket: str) -> Ticket:
    try:
        return Ticket.read(ticket)
    except ValueError:
        raise ValueError("this is no ticket: give the one that publishing answered with") from None
