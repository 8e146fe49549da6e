"""`slowwave mcp`: the memory as tools of a model."""

from typing import Annotated

import typer
from pydantic import TypeAdapter, ValidationError

from schemas.scope import Name
from worker import wiring
from worker.adapters.ondemand import on_demand
from worker.errors import Misconfigured
from worker.interfaces.cli.opening import configured, say_where
from worker.interfaces.cli.options import AsJson
from worker.interfaces.cli.output import answers, emit, plain
from worker.interfaces.cli.serve import Host, Port, listening_at, refuse_open_door
from worker.settings import Settings

NAME = TypeAdapter[str](Name)

FixedApp = Annotated[
    str | None,
    typer.Option(
        "--app",
        metavar="NAME",
        help="The application whose memory it is; SLOWWAVE_MCP_APP unless given, else each call names it.",
        show_default=False,
    ),
]
FixedUser = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="NAME",
        help="The person, team or agent; SLOWWAVE_MCP_USER unless given, else each call names it.",
        show_default=False,
    ),
]
Http = Annotated[
    bool,
    typer.Option(
        "--http", help="Serve streamable HTTP at /mcp instead, until Ctrl-C.", show_default=False
    ),
]


def mcp(
    app: FixedApp = None,
    user: FixedUser = None,
    http: Http = False,
    host: Host = None,
    port: Port = None,
    as_json: AsJson = False,
) -> None:
    """Serve the memory to an MCP host: recall, profile, remember, forget, history and status.

    Over stdin and stdout, for a host that starts it, until stdin is closed. `slowwave serve` has the same at /mcp; with
    --http it is served alone, behind the same API keys.
    """
    if not http and (host or port is not None or as_json):
        raise typer.BadParameter("--host, --port and --json go with --http")
    settings = configured()
    settings = settings.model_copy(
        update={
            "mcp_app": _name(app, "--app") or settings.mcp_app,
            "mcp_user": _name(user, "--user") or settings.mcp_user,
        }
    )
    say_where(settings)
    try:
        if http:
            _over_http(listening_at(settings, host, port), as_json=as_json)
        else:
            on_demand("worker.interfaces.mcp.stdio", "serve")(settings)
    except ModuleNotFoundError as missing:
        extras = "http,mcp" if http else "mcp"
        raise Misconfigured(
            f"{missing.name} is not installed: this needs pip install 'slowwave[{extras}]'"
        ) from missing
    finally:
        wiring.close()


def _name(given: str | None, option: str) -> str | None:
    try:
        return None if given is None else NAME.validate_python(given)
    except ValidationError as error:
        reason = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise typer.BadParameter(reason, param_hint=option) from error


def _over_http(settings: Settings, *, as_json: bool) -> None:
    refuse_open_door(settings)

    def ready(url: str, is_open: bool) -> None:
        if as_json:
            emit({"state": "ready", "url": f"{url}/mcp", "needs_key": not is_open})
            return
        who = "without a key, to this machine only" if is_open else "with an API key"
        answers().print(plain(f"serving MCP at {url}/mcp ({who})"), soft_wrap=True)

    on_demand("worker.interfaces.mcp.alone", "serve")(settings, ready)
