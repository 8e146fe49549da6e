"""The HTTP service in this process, until it is asked to stop."""

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from worker.errors import Misconfigured
from worker.interfaces.http.app import create_app
from worker.interfaces.http.service import Service
from worker.settings import Settings

#: Its address, and whether no key is needed.
Ready = Callable[[str, bool], None]

#: What tells it to stop, which is how it ends.
ENDS = (signal.SIGINT, signal.SIGTERM)

#: What answers, which takes the service over.
Make = Callable[[Service], ASGIApp]

#: Seconds that requests under way have once it is asked to stop.
GRACE_SECONDS = 10


def serve(settings: Settings, ready: Ready, make: Make = create_app) -> None:
    """Until SIGTERM or Ctrl-C. Raises `Misconfigured` where the address cannot be had."""
    asyncio.run(_serve(settings, _listening(settings), ready, make))


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


class _Server(uvicorn.Server):
    """Told to stop it is done: uvicorn would send itself the signal once more, as if it had been broken off."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for one in ENDS:
            loop.add_signal_handler(one, self.handle_exit, one, None)
        try:
            yield
        finally:
            for one in ENDS:
                loop.remove_signal_handler(one)


async def _serve(settings: Settings, listening: socket.socket, ready: Ready, make: Make) -> None:
    service = Service.of(settings)
    server = _Server(
        uvicorn.Config(
            make(service),
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
