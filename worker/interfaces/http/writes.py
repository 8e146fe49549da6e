"""What the routes that write have in common: which version is meant, and which try it is."""

import re
from typing import Annotated
from uuid import uuid4

from fastapi import Header

_TAG = re.compile(r'"(\d{1,18})"')

IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=256,
        description="A name of yours for this write: sent again with it, it is done once, and answered as before.",
        examples=["6f1c0a9e"],
    ),
]
IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        max_length=100,
        description="The `ETag` that you have seen: another version is answered 412.",
        examples=['"3"'],
    ),
]


def write_key(given: str | None, what: str) -> str:
    """Of this write; `what` it does is part of it, so that the same name elsewhere is another write."""
    return uuid4().hex if given is None else f"idempotency-key:{what}:{given}"


def etag(version: int) -> str:
    return f'"{version}"'


def version_in(if_match: str | None) -> int | None:
    """The version that has to be there; null for any. Raises `ValueError` for what is no ETag of ours."""
    if if_match is None or if_match.strip() == "*":
        return None
    found = _TAG.fullmatch(if_match.strip())
    if found is None or not int(found[1]):
        raise ValueError('`If-Match` is no ETag of a memory: send it as it came, such as "3"')
    return int(found[1])
