"""What every route may ask of a request: the service, who asks, and whose memory is meant."""

from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException

from schemas.scope import Scope
from worker.core.access.api_key import read
from worker.core.access.caller import Caller
from worker.core.access.hosts import host_in, is_loopback
from worker.interfaces.http.problems import heeding
from worker.interfaces.http.service import Service

_bearer = HTTPBearer(
    auto_error=False, description="An API key, as `slowwave key add` prints it: `Bearer sw_…`."
)
NO_KEY = "no valid API key: send `Authorization: Bearer sw_…`; `slowwave key add` makes one"
#: Else a page of somebody else's, whose name is made to point here, could read along.
NOT_HERE = (
    "without an API key only this machine is served, under 127.0.0.1 or localhost, and no page of another place:"
    " `slowwave key add` makes a key"
)
#: What stands for bytes that are no UTF-8: two names that were sent so would be one.
UNREADABLE = "\ufffd"


def service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def _service(request: Request) -> Service:
    """What is no coroutine is called in a thread, at every request."""
    return service_of(request)


TheService = Annotated[Service, Depends(_service)]


async def known(
    request: Request,
    service: TheService,
    given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Caller:
    """Whoever the key says; where there is no key at all, anybody on this machine."""
    caller = await (_of_key(service, given.credentials) if given else _of_nobody(request, service))
    service.rate.check(caller.name)
    return caller


async def caller_of(request: Request) -> Caller:
    """For what is no route of FastAPI. Raises as a route does."""
    return await known(request, service_of(request), await _bearer(request))


async def _of_key(service: Service, credentials: str) -> Caller:
    shown = read(credentials)
    caller = await service.keyring.caller(shown) if shown else None
    if caller is None:
        raise refused()
    return caller


async def _of_nobody(request: Request, service: Service) -> Caller:
    """A server that others can reach needs a key always: its last one may have been revoked."""
    is_ours = is_loopback(service.settings.http_host)
    if "authorization" in request.headers or not is_ours or not await service.keyring.is_empty():
        raise refused()
    if not _is_from_here(request):
        raise HTTPException(HTTPStatus.FORBIDDEN, NOT_HERE)
    return Caller()


def _is_from_here(request: Request) -> bool:
    """By the address, by the name that was asked for, and by the page that made a browser ask.

    `request.url` is no help: a name that it cannot read is our own address there.
    """
    peer = request.client.host if request.client else ""
    asked_for = host_in(f"//{request.headers.get('host', '')}")
    pages = map(host_in, request.headers.getlist("origin"))
    return all(map(is_loopback, (peer, asked_for, *pages)))


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


async def scope_of(caller: TheCaller, app: AppName = None, user: UserName = None) -> Scope:
    with heeding():
        check_readable(app, user)
        return caller.scope(app, user)


TheScope = Annotated[Scope, Depends(scope_of)]


def check_readable(*names: str | None) -> None:
    """Raises `ValueError` for a name that was not sent as UTF-8."""
    if any(UNREADABLE in name for name in names if name):
        raise ValueError("`app` or `user` is not UTF-8: percent-encode it as UTF-8")


async def only_known(request: Request) -> None:
    """A parameter that is spelt wrong would be left out silently. Raises `WrongInput`."""
    route = request.scope.get("route")
    described = request.app.openapi()["paths"].get(getattr(route, "path_format", ""), {})
    method = described.get(request.method.lower())
    if method is None:
        return
    here = {one["name"] for one in method.get("parameters", ()) if one["in"] == "query"}
    if request.query_params.keys() - here:
        known = ", ".join(f"`{name}`" for name in sorted(here)) or "none"
        with heeding():
            raise ValueError(f"the address has a parameter that is not known; known are {known}")
