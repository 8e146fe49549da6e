"""`slowwave status`: the queue in figures."""

from collections.abc import Iterator

from pydantic import JsonValue

from worker.adapters.stores.opening import kind_of
from worker.errors import Misconfigured
from worker.interfaces.cli.opening import watching
from worker.interfaces.cli.options import AsJson
from worker.interfaces.cli.output import answers, emit, table
from worker.interfaces.figures import figures_of
from worker.settings import Settings, load


def status(as_json: AsJson = False) -> None:
    """Show what waits, what is worked on, what was parked, and what went wrong last.

    How long the oldest scope has been ready is what to watch: with enough workers it stays near 0.
    """
    settings = load()
    with watching() as inbox:
        queue = inbox.status()
    kind, problem = _store(settings)
    figures = figures_of(queue, settings, kind)
    if as_json:
        emit(figures)
    else:
        rows = list(_rows(figures.model_dump(mode="json")))
        answers().print(table("", ("figure", "now"), rows, tall=False))
    if problem is not None:
        raise problem


def _store(settings: Settings) -> tuple[str, Misconfigured | None]:
    try:
        return kind_of(settings.store), None
    except Misconfigured as error:
        return "unknown", error


def _rows(figures: dict[str, JsonValue]) -> Iterator[tuple[str, object]]:
    for name, value in figures.items():
        label = name.replace("_", " ")
        if not value and isinstance(value, dict):
            yield label, "–"
        elif name == "resting" and isinstance(value, dict):
            yield (
                label,
                ", ".join(f"{part}, {seconds:.0f} s more" for part, seconds in value.items()),
            )
        elif name == "last_error" and isinstance(value, dict):
            yield label, f"{value['seconds_ago']} s ago: {value['reason']}"
        elif isinstance(value, dict):
            yield label, ", ".join(f"{why} {count}" for why, count in value.items())
        else:
            yield label, "–" if value is None else value
