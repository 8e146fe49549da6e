"""The HTTP service in this process, until it is asked to stop."""

import asyncio
import socket
from collections.abc import Callable

import uvicorn

from worker.errors import Misconfigured
from worker.interfaces.http.app import create_app
from worker.interfaces.http.service import Service
from worker.settings import Settings

#: Its address, and whether no key is needed.
Ready = Callable[[str, bool], None]

#: Seconds that requests under way have once it is asked to stop.
GRACE_SECONDS = 10


def serve(settings: Settings, ready: Ready) -> None:
    """Until SIGTERM or Ctrl-C. Raises `Misconfigured` where the address cannot be had."""
    asyncio.run(_serve(settings, _listening(settings), ready))


def _listening(settings: Settings) -> socket.socket:
    """Bound before anything is opened, and the port is known even where any was asked for."""
    try:
        family = socket.AF_INET6 if ":" in settings.http_host else socket.AF_INET
        return socket.create_server((settings.http_host, settings.http_port), family=family)
    except OSError as error:
        place = f"{settings.http_host}:{settings.http_port}"
        raise Misconfigured(
            f"cannot listen on {place} ({error.strerror or error}): choose another with --host or --port"
        ) from error


async def _serve(settings: Settings, listening: socket.socket, ready: Ready) -> None:
    service = Service.of(settings)
    server = uvicorn.Server(
        uvicorn.Config(
            create_app(service),
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
    )
    host, port = listening.getsockname()[:2]
    told = f"[{host}]" if ":" in host else host
    ready(f"http://{told}:{port}", await service.keyring.is_empty())
    await server.serve(sockets=[listening])
