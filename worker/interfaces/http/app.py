"""The HTTP service: one FastAPI application over a `Service`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI

from worker.interfaces.http.problems import HANDLERS, Problem
from worker.interfaces.http.routes import health
from worker.interfaces.http.service import Service

DESCRIPTION = """\
The memory of a chat agent: publish what people said, and recall what is known.

Every address takes `user`, and `app` where the key is bound to none. Errors are problem details (RFC 9457).
"""
#: Any route may answer so.
PROBLEMS: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem, "description": told}
    for code, told in {
        401: "No valid key",
        403: "The key is for another app or user",
        422: "Something that was sent is wrong",
        429: "Too many requests",
        503: "Redis, the store or the model does not answer",
    }.items()
}
#: In the order of the documentation.
ROUTERS = (health.router,)


def create_app(service: Service) -> FastAPI:
    """Takes the service over: it is closed when the application ends."""

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await service.close()

    app = FastAPI(
        title="slowwave",
        version=version("slowwave"),
        description=DESCRIPTION,
        lifespan=living,
        exception_handlers=HANDLERS,
        responses=PROBLEMS,
    )
    app.state.service = service
    for router in ROUTERS:
        app.include_router(router)
    return app
