"""What every route may ask of a request: the service, who asks, and whose memory is meant."""

from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException

from schemas.scope import Scope
from worker.core.access.api_key import read
from worker.core.access.caller import Caller
from worker.core.access.hosts import is_loopback
from worker.interfaces.http.problems import heeding
from worker.interfaces.http.service import Service

_bearer = HTTPBearer(
    auto_error=False, description="An API key, as `slowwave key add` prints it: `Bearer sw_…`."
)
NO_KEY = "no valid API key: send `Authorization: Bearer sw_…`; `slowwave key add` makes one"
#: Else a page of somebody else's, whose name is made to point here, could read along.
NOT_BY_NAME = "without an API key this is only served under 127.0.0.1 or localhost"


def service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


TheService = Annotated[Service, Depends(service_of)]


async def known(
    request: Request,
    service: TheService,
    given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Caller:
    """Whoever the key says; where no key was ever made, anybody on this machine."""
    if given is None:
        if not await service.keyring.is_empty():
            raise refused()
        if not is_loopback(request.url.hostname or ""):
            raise HTTPException(HTTPStatus.FORBIDDEN, NOT_BY_NAME)
        return Caller()
    shown = read(given.credentials)
    caller = await service.keyring.caller(shown) if shown else None
    if caller is None:
        raise refused()
    return caller


def refused() -> HTTPException:
    return HTTPException(HTTPStatus.UNAUTHORIZED, NO_KEY, {"WWW-Authenticate": "Bearer"})


TheCaller = Annotated[Caller, Depends(known)]

AppName = Annotated[
    str | None,
    Query(description="Whose users; the key's unless given.", examples=["acme"], max_length=256),
]
UserName = Annotated[
    str | None,
    Query(description="Whose memory; the key's unless given.", examples=["ann"], max_length=256),
]


def scope_of(caller: TheCaller, app: AppName = None, user: UserName = None) -> Scope:
    with heeding():
        return caller.scope(app, user)


TheScope = Annotated[Scope, Depends(scope_of)]
