"""The MCP server as a host meets it, through the SDK's client."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from mcp import Client
from mcp.types import CallToolResult

from schemas.scope import Scope
from worker.core.access.caller import Caller
from worker.interfaces.mcp.house import House
from worker.interfaces.mcp.server import server_of

T = TypeVar("T")

SLOWWAVE = (sys.executable, "-P", "-m", "worker.interfaces.cli.main")
#: Both ways in which a client may begin.
MODES = ("auto", "legacy")


@dataclass(frozen=True)
class Answer:
    """What a tool answered."""

    result: CallToolResult

    @property
    def text(self) -> str:
        (content,) = self.result.content
        assert content.type == "text"
        return content.text

    @property
    def fields(self) -> dict[str, Any]:
        assert not self.result.is_error, self.text
        found: dict[str, Any] = self.result.structured_content
        return found

    @property
    def wrong(self) -> str:
        assert self.result.is_error, self.text
        assert self.result.structured_content is None
        return self.text


@dataclass(frozen=True)
class Host:
    """Calls tools about one scope."""

    client: Client
    scope: Scope

    async def __call__(self, tool: str, **arguments: Any) -> Answer:
        names = {"app": self.scope.app, "user": self.scope.user}
        return Answer(await self.client.call_tool(tool, {**names, **arguments}))


@dataclass(frozen=True)
class Memory:
    """One conversation with a server in this process."""

    house: House
    scope: Scope
    mode: str = "auto"
    local: Caller = field(default_factory=Caller)

    def __call__(self, talk: Callable[[Host], Awaitable[T]]) -> T:
        async def run() -> T:
            async with Client(server_of(self.house, self.local), mode=self.mode) as client:
                return await talk(Host(client, self.scope))

        return asyncio.run(run())

    def call(self, tool: str, **arguments: Any) -> Answer:
        """One call alone."""
        return self(lambda host: host(tool, **arguments))


def environment(folder: Path, redis_url: str, **more: str) -> dict[str, str]:
    given = {
        "REDIS_URL": redis_url,
        "STORE_URL": f"sqlite:///{folder / 'memory.db'}",
        "DATA_DIR": str(folder),
        "EMBEDDER": "hash",
        "MODEL": "rules",
        "MODEL_PATIENCE_SECONDS": "0",
        "RECALL_DEADLINE_SECONDS": "30",
        **more,
    }
    root = str(Path(__file__).parents[4])
    ours = {f"SLOWWAVE_{name}": value for name, value in given.items()}
    return {**os.environ, "PYTHONPATH": root, **ours}


@contextmanager
def listening(command: str, environment: dict[str, str], folder: Path) -> Iterator[str]:
    """`slowwave COMMAND` on a free port; the address at which it serves MCP."""
    arguments = (*SLOWWAVE, *command.split(), "--port", "0", "--json")
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            arguments, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=log, text=True
        )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, (folder / "log").read_text()
        yield f"{json.loads(line)['url'].removesuffix('/mcp')}/mcp"
    finally:
        process.terminate()
        process.communicate(timeout=30)
        assert process.returncode == 0, (folder / "log").read_text()


@asynccontextmanager
async def hosting(server: Any, scope: Scope, mode: str = "auto") -> AsyncIterator[Host]:
    async with Client(server, mode=mode) as client:
        yield Host(client, scope)
