"""`slowwave serve`: the HTTP service."""

from typing import Annotated

import typer

from worker import wiring
from worker.adapters.api_keys import ApiKeys
from worker.adapters.ondemand import on_demand
from worker.adapters.redis_server import connect
from worker.core.access.hosts import is_loopback
from worker.errors import Misconfigured
from worker.interfaces.cli.opening import configured, say_where
from worker.interfaces.cli.options import AsJson
from worker.interfaces.cli.output import answers, emit, plain
from worker.settings import Settings

Host = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="To listen on; SLOWWAVE_HTTP_HOST unless given.",
        show_default=False,
    ),
]
Port = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=0, max=65_535, help="SLOWWAVE_HTTP_PORT unless given; 0 takes a free one."
    ),
]


def serve(host: Host = None, port: Port = None, as_json: AsJson = False) -> None:
    """Serve HTTP until Ctrl-C: turns in, memories out; docs/http.md describes it.

    Without an API key anybody on this machine may ask, so it listens on loopback only; `slowwave key add` makes one.
    """
    settings = configured()
    say_where(settings)
    chosen = listening_at(settings, host, port)
    try:
        refuse_open_door(chosen)
        on_demand("worker.interfaces.http.serving", "serve")(chosen, _json if as_json else _told)
    except ModuleNotFoundError as missing:
        raise Misconfigured(
            f"{missing.name} is not installed: HTTP needs pip install 'slowwave[http]'"
        ) from missing
    finally:
        wiring.close()


def listening_at(settings: Settings, host: str | None, port: int | None) -> Settings:
    return settings.model_copy(
        update={
            "http_host": host or settings.http_host,
            "http_port": settings.http_port if port is None else port,
        }
    )


def refuse_open_door(settings: Settings) -> None:
    """Raises `Misconfigured` where others could ask and none needs a key."""
    if is_loopback(settings.http_host):
        return
    with connect(wiring.redis_url(settings)) as client:
        if not ApiKeys(client).all():
            raise Misconfigured(
                f"there is no API key, and {settings.http_host} can be reached from other machines:"
                " make one with `slowwave key add --app APP`, or listen on 127.0.0.1"
            )


def _told(url: str, is_open: bool) -> None:
    who = "without a key, to this machine only" if is_open else "with an API key"
    answers().print(
        plain(f"serving {url} ({who}); {url}/openapi.json describes it"), soft_wrap=True
    )


def _json(url: str, is_open: bool) -> None:
    emit({"state": "ready", "url": url, "needs_key": not is_open})
