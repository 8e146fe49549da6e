"""What is printed where: answers on stdout, everything else on stderr; JSON for machines."""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, JsonValue
from rich.box import ROUNDED
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

#: Control characters, except tab and line feed: stored text must not steer a terminal.
#: Also what turns the direction of the text that follows.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
#: Columns of a table that is not read at a terminal.
PIPED_WIDTH = 160
#: Columns of a fixed, small width.
NEVER_BROKEN = {"id", "said", "v", "times", "score", "what", "until", "state", "run", "when"}
#: Characters of an id that tell the memories of one scope apart.
SHORT_ID = 8


def answers() -> Console:
    """For stdout: no colours and a fixed width when it is piped."""
    return Console(highlight=False, markup=False, width=_width(sys.stdout.isatty()))


def notes() -> Console:
    """For stderr."""
    return Console(stderr=True, highlight=False, markup=False, width=_width(sys.stderr.isatty()))


def _width(terminal: bool) -> int | None:
    return None if terminal else PIPED_WIDTH


def note(text: str) -> None:
    """One line on stderr, unwrapped."""
    notes().print(plain(text), soft_wrap=True)


def emit(value: BaseModel | Mapping[str, JsonValue]) -> None:
    """One JSON object on one line."""
    written = value.model_dump_json() if isinstance(value, BaseModel) else json.dumps(value)
    print(written, flush=True)


def plain(value: object) -> Text:
    """Text as it is: never read as markup, without control characters."""
    return Text(CONTROL.sub("�", str(value)))


def table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, tall: bool = True
) -> Table:
    """Every cell as it is; with a line between rows where they are `tall`.

    Words are broken over lines so that ids and times are not.
    """
    drawn = Table(
        title=title or None, title_justify="left", title_style="bold", show_lines=tall, box=ROUNDED
    )
    for column in columns:
        drawn.add_column(column, overflow="fold", no_wrap=column in NEVER_BROKEN)
    for row in rows:
        drawn.add_row(*(cell if isinstance(cell, Text) else plain(cell) for cell in row))
    return drawn


def progress() -> Progress:
    """A bar on stderr at a terminal, nothing elsewhere."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=notes(),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


@contextmanager
def hidden(bar: Progress) -> Iterator[None]:
    """While something is answered: a bar that is shown takes hold of stdout as well."""
    bar.stop()
    try:
        yield
    finally:
        bar.start()


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """A spinner on stderr at a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield
        return
    with notes().status(plain(what)):
        yield


def short(id: UUID | str | None) -> str:
    return str(id)[:SHORT_ID] if id else "–"


def day(moment: datetime | None) -> str:
    """The day of a moment in the offset it was said in."""
    return f"{moment:%Y-%m-%d}" if moment else "–"


def when(moment: datetime | None) -> str:
    """A moment in the offset it was said in, to the minute."""
    return f"{moment:%Y-%m-%d %H:%M}" if moment else "–"
