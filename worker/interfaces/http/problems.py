"""What is wrong with a request, as problem details (RFC 9457): `application/problem+json`."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from worker.core.access.caller import Forbidden
from worker.errors import (
    LeaseLost,
    Misconfigured,
    NotFound,
    OverBudget,
    PlanConflict,
    Retryable,
    SlowwaveError,
    Unprocessable,
    VersionMoved,
)
from worker.interfaces.where import without_places, without_secrets

log = structlog.get_logger()

#: What a route may answer beside what it is for: status → model and description.
Responses = dict[int | str, dict[str, Any]]

MEDIA_TYPE = "application/problem+json"
#: Nothing of an answer is kept by browsers and proxies, or taken for something that runs.
SECURITY = {"x-content-type-options": "nosniff", "cache-control": "no-store"}
#: Seconds after which to try again, where nobody knows better.
RETRY_SECONDS = 5
LATER = {"Retry-After": str(RETRY_SECONDS)}

#: Faults that one answer names, and the characters of a field's name that somebody made up.
MOST_FAULTS, LONGEST_NAME = 20, 40

#: The first that an error is an instance of decides.
_STATUS: tuple[tuple[type[SlowwaveError], HTTPStatus], ...] = (
    (NotFound, HTTPStatus.NOT_FOUND),
    (VersionMoved, HTTPStatus.PRECONDITION_FAILED),
    (PlanConflict, HTTPStatus.CONFLICT),
    (Unprocessable, HTTPStatus.UNPROCESSABLE_ENTITY),
    (OverBudget, HTTPStatus.TOO_MANY_REQUESTS),
    (Retryable, HTTPStatus.SERVICE_UNAVAILABLE),
    (LeaseLost, HTTPStatus.SERVICE_UNAVAILABLE),
    (Misconfigured, HTTPStatus.INTERNAL_SERVER_ERROR),
)


class WrongInput(Exception):
    """What was sent is wrong; its cause says how."""


@contextmanager
def heeding() -> Iterator[None]:
    """Around our own checks of what was sent: their `ValueError` is the caller's, any other would be our bug."""
    try:
        yield
    except ValueError as error:
        raise WrongInput(str(error)) from error


class Fault(BaseModel):
    """One thing that is wrong with what was sent."""

    #: Where: `body`, `query`, `header` or `path`, and the names below it, joined by dots.
    field: str
    #: What is wrong and what to do.
    message: str


class Problem(BaseModel):
    """RFC 9457. `type` is `about:blank`: the status says what kind it is, `detail` what to do."""

    type: str = "about:blank"
    title: str = Field(examples=["Unprocessable Entity"])
    status: int = Field(examples=[422])
    detail: str = Field(examples=["`user` is missing: say whose memory it is"])
    #: Where more than one thing is wrong, or a field can be named.
    errors: list[Fault] = []


def problem(
    status: HTTPStatus,
    detail: str,
    errors: Iterable[Fault] = (),
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> JSONResponse:
    """`more` are members of the document beside those of every problem."""
    found = Problem(title=status.phrase, status=status, detail=detail, errors=list(errors))
    return JSONResponse({**found.model_dump(), **more}, status, headers, media_type=MEDIA_TYPE)


async def of_ours(request: Request, error: Exception) -> JSONResponse:
    """For a `SlowwaveError`: what the caller can mend is theirs, the rest is ours and may pass."""
    if not isinstance(error, SlowwaveError):
        raise error
    status = next(
        (code for kind, code in _STATUS if isinstance(error, kind)),
        HTTPStatus.INTERNAL_SERVER_ERROR,
    )
    hint = error.after_seconds if isinstance(error, Retryable) else None
    later = status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS)
    headers = {"Retry-After": str(max(1, round(hint or RETRY_SECONDS)))} if later else None
    settings = request.app.state.service.settings
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.warning(
            "request_failed", status=int(status), reason=without_secrets(str(error), settings)
        )
    return problem(status, without_places(str(error), settings), headers=headers)


async def of_a_bug(_: Request, __: Exception) -> JSONResponse:
    """Whoever runs the server finds it in its log, with where it came from. No middleware sees this answer."""
    told = "this should not have happened: the log of the server tells more"
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, told, headers=SECURITY)


async def of_the_framework(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    return problem(HTTPStatus(error.status_code), str(error.detail), headers=error.headers)


async def of_another(_: Request, error: Exception) -> JSONResponse:
    return problem(HTTPStatus.FORBIDDEN, str(error))


async def of_wrong_input(_: Request, error: Exception) -> JSONResponse:
    """Pydantic's errors name the field."""
    if isinstance(error.__cause__, ValidationError):
        return _faulty(error.__cause__.errors(include_url=False))
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))


async def of_the_form(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError):
        raise error
    return _faulty(error.errors())


def _faulty(errors: Iterable[Mapping[str, Any]]) -> JSONResponse:
    """Values are not repeated: they may hold what nobody should read in a log."""
    faults = [Fault(field=_field(one["loc"]), message=_words(one)) for one in errors]
    faults = faults[:MOST_FAULTS]
    detail = "; ".join(f"`{one.field}` {one.message}" for one in faults[:5])
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail, faults)


def _field(places: Iterable[int | str]) -> str:
    return ".".join(str(one)[:LONGEST_NAME] for one in places)


def _words(error: Mapping[str, Any]) -> str:
    if error["type"] == "missing":
        return "is missing"
    if error["type"] == "extra_forbidden":
        return "is not known here: leave it out"
    if error["type"] == "json_invalid":
        return "is not JSON that can be read"
    if error["loc"] == ("body",):
        return "has to be a JSON object, sent as `Content-Type: application/json`"
    return str(error["msg"]).removeprefix("Value error, ")


async def of_nobody(_: Request, __: Exception) -> Response:
    """Whoever asked has gone in the middle of it: nobody reads this."""
    return Response(status_code=HTTPStatus.BAD_REQUEST)


HANDLERS: dict[int | type[Exception], Any] = {
    SlowwaveError: of_ours,
    HTTPException: of_the_framework,
    RequestValidationError: of_the_form,
    Forbidden: of_another,
    WrongInput: of_wrong_input,
    ClientDisconnect: of_nobody,
    Exception: of_a_bug,
}
