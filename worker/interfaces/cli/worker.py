"""`slowwave worker` and `slowwave up`: the side that learns."""

from typing import Annotated

import typer
from pydantic import JsonValue

from worker.interfaces.cli.options import AsJson
from worker.interfaces.cli.output import answers, emit, plain
from worker.interfaces.cli.serving import serve
from worker.interfaces.where import model_of, redis_of, shown
from worker.settings import Settings

Concurrency = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=256,
        help="Batches handled at once; SLOWWAVE_CONCURRENCY unless given.",
        show_default=False,
    ),
]

HOW_TO = """\
Publish:  slowwave publish turns.jsonl
          echo '{"app":"acme","user":"ann","role":"user","text":"I live in Oslo."}' | slowwave publish -
Look:     slowwave memories --app acme --user ann
Stop:     Ctrl-C
"""


def worker(concurrency: Concurrency = None, as_json: AsJson = False) -> None:
    """Run a worker until it is told to stop (Ctrl-C or SIGTERM)."""
    serve(concurrency, _announce if as_json else _say_ready)


def up(concurrency: Concurrency = None, as_json: AsJson = False) -> None:
    """Run the whole service on this machine until Ctrl-C.

    A Redis-compatible server, a store and a worker, under SLOWWAVE_DATA_DIR unless the settings name others.
    """
    serve(concurrency, _announce if as_json else _explain)


def _place(settings: Settings) -> dict[str, JsonValue]:
    return {
        "redis": redis_of(settings),
        "store": shown(settings.store),
        "data": str(settings.data_dir.expanduser().absolute()),
        "model": model_of(settings),
        "embedder": settings.embedder,
        "concurrency": settings.concurrency,
    }


def _announce(settings: Settings) -> None:
    emit({"state": "ready", **_place(settings)})


def _say_ready(settings: Settings) -> None:
    place = _place(settings)
    answers().print(
        plain(
            f"ready: {place['concurrency']} batches at once, {place['redis']} → {place['model']}"
            f" → {place['store']}"
        ),
        soft_wrap=True,
    )


def _explain(settings: Settings) -> None:
    out = answers()
    out.print("slowwave is up")
    for name, value in _place(settings).items():
        out.print(plain(f"  {name:<12}{value}"), soft_wrap=True)
    out.print(plain(HOW_TO), soft_wrap=True)
