"""`slowwave status`: the queue in figures."""

from pydantic import JsonValue

from worker.interfaces.cli.opening import opened
from worker.interfaces.cli.options import AsJson
from worker.interfaces.cli.output import answers, emit, table
from worker.pipeline import Parts


def status(as_json: AsJson = False) -> None:
    """Show what waits, what is worked on and what was parked."""
    with opened() as parts:
        figures = _figures(parts)
    if as_json:
        emit(figures)
        return
    rows = [
        (name.replace("_", " "), "–" if value is None else value) for name, value in figures.items()
    ]
    answers().print(table("", ("figure", "now"), rows, tall=False))


def _figures(parts: Parts) -> dict[str, JsonValue]:
    queue = parts.inbox.status()
    return {
        "pending_turns": queue.pending_turns,
        "pending_scopes": queue.pending_scopes,
        "ready": queue.ready,
        "oldest_ready_seconds": queue.oldest_ready_seconds,
        "busy": queue.busy,
        "parked": queue.parked,
        "store": "sqlite" if parts.settings.uses_embedded_store else "weaviate",
        "model": parts.settings.model,
        "embedder": parts.settings.embedder,
    }
