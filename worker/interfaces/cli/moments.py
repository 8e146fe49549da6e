"""Times that people type: what was believed, and what was true, at a moment."""

from datetime import datetime
from typing import Annotated

import typer

from worker.interfaces.moments import TIME_HELP, moment_of


def moment(text: str) -> datetime:
    """The last moment of a date, or a time. Anything else is wrong usage."""
    try:
        return moment_of(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} {error}") from error


AsOf = Annotated[
    datetime | None,
    typer.Option(
        "--as-of",
        metavar="TIME",
        parser=moment,
        help=f"What was believed then. {TIME_HELP}",
        show_default=False,
    ),
]
ValidAt = Annotated[
    datetime | None,
    typer.Option(
        "--valid-at",
        metavar="TIME",
        parser=moment,
        help="What was true then, as it is known now; with --as-of, as it was known then.",
        show_default=False,
    ),
]
