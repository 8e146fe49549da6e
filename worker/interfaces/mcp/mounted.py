"""MCP as one route of an HTTP service, behind its keys."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from worker.core.access.caller import Caller
from worker.interfaces.http.asking import caller_of
from worker.interfaces.http.service import Service
from worker.interfaces.mcp.server import server_of

PATH = "/mcp"
ONLY_POST = "send each message with POST: nothing is told unasked, and there is no session"


@dataclass(frozen=True)
class Door:
    """Who asks is known before anything is read, at each request: no session outlives a key."""

    service: Service
    sessions: StreamableHTTPSessionManager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        caller, settings = await caller_of(request), self.service.settings
        if request.method != "POST":
            raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED, ONLY_POST, {"Allow": "POST"})
        # Raises `Forbidden` where the settings name another's memory than the key does.
        names = caller.named(settings.mcp_app, settings.mcp_user)
        request.state.caller = Caller(caller.name, **names)
        await self.sessions.handle_request(scope, receive, send)


@dataclass(frozen=True)
class Mounted:
    """A route, and what has to be entered while it serves."""

    route: Route
    sessions: StreamableHTTPSessionManager

    @asynccontextmanager
    async def living(self) -> AsyncIterator[None]:
        async with self.sessions.run():
            yield


def mounted(service: Service) -> Mounted:
    """Each request stands alone, so that any server of several can answer it."""
    sessions = StreamableHTTPSessionManager(
        server_of(service, Caller()),
        stateless=True,
        max_request_body_size=service.settings.http_max_body_bytes,
    )
    return Mounted(Route(PATH, Door(service, sessions)), sessions)
