"""The MCP server: tools listed and called, whatever carries the messages."""

import asyncio
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import structlog
from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from schemas.base import Frozen
from schemas.scope import Scope
from worker.core.access.caller import Caller, Forbidden
from worker.errors import LeaseLost, Misconfigured, Retryable, SlowwaveError
from worker.interfaces.mcp.arguments import with_names
from worker.interfaces.mcp.calls import Call, Refused
from worker.interfaces.mcp.house import House
from worker.interfaces.mcp.telling import Told
from worker.interfaces.mcp.tools import BY_NAME, INSTRUCTIONS, TOOLS, Tool
from worker.interfaces.where import without_places, without_secrets

log = structlog.get_logger()

#: Faults that one answer names.
MOST_FAULTS = 5
BUG = "this should not have happened: whoever runs the server finds it in its log"


def server_of(house: House, local: Caller) -> Server[Any]:
    """`local` is whoever asks where no HTTP request says who it is."""

    async def listed(
        context: ServerRequestContext[Any, Any], _: PaginatedRequestParams | None
    ) -> ListToolsResult:
        caller = _caller(context, local)
        return ListToolsResult(tools=[tool.described(caller) for tool in TOOLS])

    async def called(
        context: ServerRequestContext[Any, Any], params: CallToolRequestParams
    ) -> CallToolResult:
        tool = BY_NAME.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"there is no such tool: there are {', '.join(BY_NAME)}")
        return await _answered(house, tool, _caller(context, local), params.arguments or {})

    return Server(
        "slowwave",
        version=version("slowwave"),
        title="Slowwave memory",
        instructions=INSTRUCTIONS,
        on_list_tools=listed,
        on_call_tool=called,
    )


def _caller(context: ServerRequestContext[Any, Any], local: Caller) -> Caller:
    if context.request is None:
        return local
    caller: Caller = context.request.state.caller
    return caller


async def _answered(
    house: House, tool: Tool, caller: Caller, arguments: Mapping[str, Any]
) -> CallToolResult:
    """What fails is an answer too: a model reads it and may mend its call."""
    try:
        asked, scope = _read(tool, caller, arguments)
        # What is no error of ours comes back as a value: the server would tell its words to whoever calls.
        (found,) = await asyncio.gather(tool.act(Call(house, scope), asked), return_exceptions=True)
        if isinstance(found, SlowwaveError | Refused):
            raise found
    except (SlowwaveError, Refused, Forbidden) as error:
        return _wrong(_explained(house, error))
    if isinstance(found, BaseException):
        log.error("tool_failed", tool=tool.name, exc_info=found)
        return _wrong(BUG)
    return _right(found)


def _read(tool: Tool, caller: Caller, arguments: Mapping[str, Any]) -> tuple[Frozen, Scope]:
    """What is asked, and about whom. Raises `Refused` and `Forbidden`."""
    form = with_names(tool.takes, caller)
    try:
        read = form.model_validate(arguments)
        names = read.model_dump(include={"app", "user"})
        return read, caller.scope(names.get("app"), names.get("user"))
    except ValidationError as error:
        faults = error.errors(include_url=False)[:MOST_FAULTS]
        raise Refused("; ".join(_fault(one, form) for one in faults)) from error


def _fault(error: ErrorDetails, form: type[Frozen]) -> str:
    """Values are not repeated."""
    name = ".".join(str(part)[:40] for part in error["loc"])
    if error["type"] == "missing":
        return f"`{name}` is missing: {form.model_fields[name].description}"
    if error["type"] == "extra_forbidden":
        known = ", ".join(f"`{field}`" for field in form.model_fields) or "no arguments"
        return f"`{name}` is not known here: give {known}"
    if error["type"] in {"too_long", "string_too_long"}:
        return f"`{name}` is longer than {error['ctx']['max_length']:,}: shorten it"
    if error["type"] in {"too_short", "string_too_short"}:
        return f"`{name}` is empty: fill it in"
    return f"`{name}` is wrong: {error['msg'].removeprefix('Value error, ')}"


def _explained(house: House, error: SlowwaveError | Refused | Forbidden) -> str:
    if isinstance(error, Retryable | LeaseLost | Misconfigured):
        log.warning("tool_refused", reason=without_secrets(str(error), house.settings))
    told = without_places(str(error), house.settings)
    if isinstance(error, Retryable | LeaseLost):
        return f"{told}. Try again in a few seconds; if it stays so, tell the user that the memory is out of reach"
    if isinstance(error, Misconfigured):
        return f"{told}. Whoever runs the server has to mend its settings"
    return told


def _right(told: Told) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(text=told.text)],
        structured_content=told.fields.model_dump(mode="json"),
    )


def _wrong(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], is_error=True)
