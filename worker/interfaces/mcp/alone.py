"""An HTTP service that has MCP and nothing else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette

from worker.interfaces.http.limits import BodyLimit, SecurityHeaders
from worker.interfaces.http.problems import HANDLERS
from worker.interfaces.http.service import Service
from worker.interfaces.http.serving import Ready
from worker.interfaces.http.serving import serve as serve_http
from worker.interfaces.mcp.mounted import mounted
from worker.settings import Settings


def serve(settings: Settings, ready: Ready) -> None:
    """Until SIGTERM or Ctrl-C. Raises `Misconfigured` where the address cannot be had."""
    serve_http(settings, ready, create_app)


def create_app(service: Service) -> Starlette:
    """Takes the service over: it is closed when the application ends."""
    made = mounted(service)

    @asynccontextmanager
    async def living(_: Starlette) -> AsyncIterator[None]:
        try:
            async with made.living():
                yield
        finally:
            await service.close()

    app = Starlette(routes=[made.route], exception_handlers=HANDLERS, lifespan=living)
    app.state.service = service
    app.add_middleware(BodyLimit, most=service.settings.http_max_body_bytes)
    app.add_middleware(SecurityHeaders)
    return app
