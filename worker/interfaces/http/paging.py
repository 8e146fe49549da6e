"""Lists in pages: a cursor says where the page before ended, so that nothing is skipped or told twice meanwhile."""

import base64
import binascii
import hashlib
import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Generic, TypeVar

from fastapi import Query

T = TypeVar("T")
#: By what a list is in order; no two of its items have the same.
Key = tuple[int | str, ...]

USUAL, MOST = 50, 500
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NO_CURSOR = "`cursor` is none of this list: give `next` of the page before, with the same filters, or leave it out"

Limit = Annotated[int, Query(ge=1, le=MOST, description="Items of one page, at most.")]
Cursor = Annotated[
    str | None,
    Query(max_length=1_000, description="`next` of the page before; the first page unless given."),
]


@dataclass(frozen=True)
class Page(Generic[T]):
    items: tuple[T, ...]
    #: The cursor of the page behind it; null for the last one.
    next: str | None


def page(
    items: Sequence[T], key: Callable[[T], Key], of: object, limit: int, cursor: str | None
) -> Page[T]:
    """`items` are in ascending order of `key`, `of` tells this list from every other.

    Raises `ValueError` for what is no cursor of this list.
    """
    first = 0 if cursor is None else bisect_right(items, _read(cursor, of, items, key), key=key)
    shown = tuple(items[first : first + limit])
    more = first + limit < len(items)
    return Page(shown, _written(key(shown[-1]), of) if more else None)


def newest(moment: datetime) -> int:
    """For the key of a list with the latest first."""
    return -((moment - _EPOCH) // timedelta(microseconds=1))


def _written(key: Key, of: object) -> str:
    text = json.dumps([_digest(of), *key], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read(cursor: str, of: object, items: Sequence[T], key: Callable[[T], Key]) -> Key:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        digest, *parts = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, TypeError, RecursionError) as error:
        raise ValueError(NO_CURSOR) from error
    shape = [type(part) for part in key(items[0])] if items else [type(part) for part in parts]
    if digest != _digest(of) or [type(part) for part in parts] != shape:
        raise ValueError(NO_CURSOR)
    return tuple(parts)


def _digest(of: object) -> str:
    return hashlib.sha256(repr(of).encode()).hexdigest()[:16]
