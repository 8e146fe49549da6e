"""Statements with sane defaults, so that a test names only what it is about."""

from typing import Any

from tests.build import NOW, SCOPE
from worker.core.writing.stated import Stated, checked, stated


def saying(text: str, key: str = "", **fields: Any) -> Stated:
    """Known by its text, unless a key is given."""
    return stated(checked({"text": text, **fields}), SCOPE, key or text, NOW)
