"""Times that people type: what was believed, and what was true, at a moment."""

from datetime import UTC, date, datetime, time
from typing import Annotated

import typer

TIME_HELP = "An ISO 8601 date, which means its end in UTC, or a time; without an offset it is UTC."


def moment(text: str) -> datetime:
    """The last moment of a date, or a time. Anything else is wrong usage."""
    try:
        return datetime.combine(date.fromisoformat(text), time.max, UTC)
    except ValueError:
        pass
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(
            f"{text!r} is no time: write 2026-03-01 or 2026-03-01T12:00:00Z"
        ) from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


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
