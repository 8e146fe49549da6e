"""Times as people write them."""

from datetime import UTC, date, datetime, time

TIME_HELP = "An ISO 8601 date, which means its end in UTC, or a time; without an offset it is UTC."


def moment_of(text: str) -> datetime:
    """The last moment of a date, or a time. Raises `ValueError` with what to write."""
    try:
        return datetime.combine(date.fromisoformat(text), time.max, UTC)
    except ValueError:
        pass
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError("is no time: write 2026-03-01 or 2026-03-01T12:00:00Z") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)
