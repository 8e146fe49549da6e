"""Statements in the shapes of others: a mem0 export, a plain list.

mem0's fields as its client documents them (docs.mem0.ai/api-reference/memory/get-memories).
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time
from hashlib import sha256
from typing import Literal

from pydantic import JsonValue

from worker.errors import Unprocessable

Shape = Literal["slowwave", "mem0", "statements"]

#: Who it may belong to, the first that is named.
OWNERS = ("user_id", "agent_id", "run_id")
#: What is kept beside the caller's own metadata.
KEPT = ("agent_id", "run_id", "app_id", "actor_id", "role")
#: Where a list of memories stands in a document.
LISTS = ("results", "memories", "data")


@dataclass(frozen=True)
class Foreign:
    """A statement in the fields of `StatementLine`, the user it names, and the key under which it is written once."""

    fields: Mapping[str, object]
    user: str | None
    key: str


def items_of(document: JsonValue) -> Iterator[JsonValue]:
    """The entries of a document: of a list, or of an object that holds one; an object without a list is an entry."""
    if isinstance(document, list):
        yield from document
        return
    if isinstance(document, dict):
        held = next(
            (document[name] for name in LISTS if isinstance(document.get(name), list)), None
        )
        if isinstance(held, list):
            yield from held
            return
    yield document


def shape_of(item: JsonValue) -> Shape:
    """mem0 calls the text `memory`."""
    is_mem0 = isinstance(item, dict) and isinstance(item.get("memory"), str)
    return "mem0" if is_mem0 else "statements"


def statement(item: JsonValue) -> Foreign:
    """From text alone, or an object with the fields of a statement and perhaps `user`. Raises `Unprocessable`."""
    if isinstance(item, str):
        return Foreign({"text": item}, None, _key(item))
    if not isinstance(item, dict):
        raise Unprocessable("is no statement: write text, or an object with a `text`")
    fields = {name: value for name, value in item.items() if name != "user"}
    user = item.get("user")
    return Foreign(fields, user if isinstance(user, str) else None, _key(item))


def of_mem0(item: JsonValue) -> Foreign:
    """From an entry of mem0's. Raises `Unprocessable` for what is none."""
    if not isinstance(item, dict) or not isinstance(item.get("memory"), str):
        raise Unprocessable("is no memory of mem0's: it has no `memory` with a text")
    fields: dict[str, object] = {
        "text": item["memory"],
        "said_at": _moment(item.get("updated_at")) or _moment(item.get("created_at")),
        "until": _end_of_day(item.get("expiration_date")),
        "tags": _texts(item.get("categories")),
        "metadata": _metadata(item),
        "external_ref": f"mem0 {item['id']}" if item.get("id") else None,
    }
    named = (item.get(name) for name in OWNERS)
    user = next((name for name in named if isinstance(name, str) and name), None)
    return Foreign({name: value for name, value in fields.items() if value}, user, _key(item))


def _metadata(item: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    own = item.get("metadata")
    beside = {name: item[name] for name in KEPT if item.get(name) is not None}
    return {**beside, **(own if isinstance(own, dict) else {})}


def _texts(value: JsonValue) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _moment(value: JsonValue) -> datetime | None:
    """Without an offset it is UTC, as mem0 writes it."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise Unprocessable(f"has a time that cannot be read: {value[:40]!r}") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _end_of_day(value: JsonValue) -> datetime | None:
    day = _moment(value)
    return datetime.combine(day.date(), time.max, day.tzinfo) if day else None


def _key(item: JsonValue) -> str:
    """The same entry twice is one statement, also where nobody gave it an id."""
    canonical = json.dumps(item, sort_keys=True, ensure_ascii=False)
    return f"import {sha256(canonical.encode()).hexdigest()}"
