"""MCP over this process's stdin and stdout, for the one client that started it."""

import asyncio
import signal
from contextlib import suppress
from typing import Any, cast

from mcp import stdio_server

from worker.core.access.caller import Caller
from worker.interfaces.mcp.house import Own
from worker.interfaces.mcp.server import server_of
from worker.interfaces.mcp.stdin import Lines
from worker.recaller import Recaller
from worker.settings import Settings

#: What tells it to stop, which is how it ends.
ENDS = (signal.SIGINT, signal.SIGTERM)


def serve(settings: Settings) -> None:
    """Until the client closes stdin, is gone, or a signal comes; what is being written is written."""
    house = Own(settings, Recaller(settings))
    try:
        asyncio.run(_serve(house, Caller(app=settings.mcp_app, user=settings.mcp_user)))
    finally:
        house.close()


async def _serve(house: Own, local: Caller) -> None:
    talking = asyncio.ensure_future(_talk(house, local))
    for one in ENDS:
        asyncio.get_running_loop().add_signal_handler(one, talking.cancel)
    with suppress(asyncio.CancelledError):
        await talking


async def _talk(house: Own, local: Caller) -> None:
    """Meanwhile whatever else is printed goes to stderr."""
    server = server_of(house, local)
    try:
        async with stdio_server(stdin=cast("Any", Lines())) as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
    except* BrokenPipeError:
        # The client went without a word: nobody is there to be told.
        pass
