"""`slowwave status`: the queue in figures."""

from pydantic import JsonValue

from worker.adapters.inbox import Inbox
from worker.interfaces.cli.opening import watching
from worker.interfaces.cli.options import AsJson
from worker.interfaces.cli.output import answers, emit, table
from worker.settings import Settings, load


def status(as_json: AsJson = False) -> None:
    """Show what waits, what is worked on and what was parked."""
    with watching() as inbox:
        figures = _figures(inbox, load())
    if as_json:
        emit(figures)
        return
    rows = [
        (name.replace("_", " "), "–" if value is None else value) for name, value in figures.items()
    ]
    answers().print(table("", ("figure", "now"), rows, tall=False))


def _figures(inbox: Inbox, settings: Settings) -> dict[str, JsonValue]:
    queue = inbox.status()
    return {
        "pending_turns": queue.pending_turns,
        "pending_scopes": queue.pending_scopes,
        "ready": queue.ready,
        "oldest_ready_seconds": queue.oldest_ready_seconds,
        "busy": queue.busy,
        "parked": queue.parked,
        "store": "sqlite" if settings.uses_embedded_store else "weaviate",
        "model": settings.model,
        "embedder": settings.embedder,
    }
