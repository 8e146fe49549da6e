"""What stands in an entry of a stream."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime

from worker.adapters.sources.reading import turn_on
from worker.errors import Unprocessable

#: The one field of an entry that holds the whole turn as JSON.
WHOLE = b"turn"
#: Fields of a turn that are no text, and so stand in an entry as JSON.
AS_JSON = frozenset({"metadata", "tool_calls", "function_call"})
#: Ids between these are milliseconds since 1970 and not numbers of somebody's own: the years 2001 to 9999.
FIRST_MS, LAST_MS = 10**12, 253_402_300_799_999
#: Longest part of a stream's name in an id.
MAX_NAME = 200


def turn_in(fields: Mapping[bytes, bytes]) -> Mapping[str, object]:
    """The turn's fields, not checked further. Raises `Unprocessable` with what is wrong with the entry."""
    if fields.keys() == {WHOLE}:
        return turn_on(fields[WHOLE])
    try:
        named = {name.decode(): value.decode() for name, value in fields.items()}
    except UnicodeDecodeError as error:
        raise Unprocessable("holds bytes that are no UTF-8: convert them") from error
    return {name: _value(name, text) for name, text in named.items()}


def _value(name: str, text: str) -> object:
    if name not in AS_JSON:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unprocessable(f"has no JSON in `{name}`: write it as JSON") from error


def own_id(stream: str, id: str) -> str:
    """The caller's id of a turn that has none: an entry that is delivered again is the same turn."""
    return f"{id}@{stream[-MAX_NAME:]}"


def published_at(id: str) -> datetime | None:
    """When an entry was added, by the id that Redis gave it."""
    milliseconds = int(id.partition("-")[0])
    if not FIRST_MS <= milliseconds <= LAST_MS:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
