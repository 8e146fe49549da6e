"""The HTTP service: one FastAPI application over a `Service`."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from importlib.metadata import version
from typing import Any

from fastapi import Depends, FastAPI
from starlette.middleware.cors import CORSMiddleware

from worker.adapters.ondemand import on_demand
from worker.interfaces.http.asking import only_known
from worker.interfaces.http.limits import BodyLimit, SecurityHeaders
from worker.interfaces.http.problems import HANDLERS, Problem, Responses
from worker.interfaces.http.routes import (
    forgetting,
    health,
    memories,
    parked,
    recall,
    runs,
    sleeping,
    status,
    turns,
)
from worker.interfaces.http.service import Service

DESCRIPTION = """\
The memory of a chat agent: publish what people said, and recall what is known.

Every address takes `user`, and `app` where the key is bound to none. Errors are problem details (RFC 9457).
"""
#: Any route that takes a key may answer so.
PROBLEMS: Responses = {
    code: {"model": Problem, "description": told}
    for code, told in {
        401: "No valid key",
        403: "The key is for another app or user",
        413: "The body is too long",
        422: "Something that was sent is wrong",
        429: "Too many requests",
        503: "Redis, the store or the model does not answer",
    }.items()
}
#: What takes a key, in the order of the documentation.
ROUTERS = (
    turns.router,
    recall.router,
    memories.router,
    forgetting.router,
    runs.router,
    sleeping.router,
    parked.router,
    status.router,
)

#: What a page of another place may send, and read of an answer.
SENT = ("Authorization", "Content-Type", "If-Match", "Idempotency-Key")
READ = ("ETag", "Retry-After")


class Described(FastAPI):
    """With the shapes that routes read by hand."""

    def openapi(self) -> dict[str, Any]:
        found = super().openapi()
        found["components"]["schemas"].update(turns.SHAPES)
        return found


Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def described(lifespan: Lifespan | None = None) -> FastAPI:
    """All routes, without what they work on. The usual page of documentation would load a script from elsewhere."""
    app = Described(
        title="slowwave",
        version=version("slowwave"),
        description=DESCRIPTION,
        lifespan=lifespan,
        exception_handlers=HANDLERS,
        dependencies=[Depends(only_known)],
        docs_url=None,
        redoc_url=None,
    )
    for router in ROUTERS:
        app.include_router(router, responses=PROBLEMS)
    app.include_router(health.router)
    return app


def create_app(service: Service) -> FastAPI:
    """Takes the service over: it is closed when the application ends. With MCP, where that is installed."""
    mcp = _mcp(service)

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        try:
            async with mcp.living() if mcp else nullcontext():
                yield
        finally:
            await service.close()

    app = described(living)
    app.state.service = service
    if mcp:
        app.router.routes.append(mcp.route)
    app.add_middleware(
        BodyLimit, most=service.settings.http_max_body_bytes, streamed=turns.STREAMED
    )
    if service.settings.http_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=service.settings.http_origins,
            allow_methods=["GET", "POST", "PATCH", "DELETE"],
            allow_headers=SENT,
            expose_headers=READ,
        )
    app.add_middleware(SecurityHeaders)
    return app


def _mcp(service: Service) -> Any:
    """Null without the extra."""
    try:
        return on_demand("worker.interfaces.mcp.mounted", "mounted")(service)
    except ModuleNotFoundError as missing:
        if missing.name != "mcp":
            raise
        return None
