"""Adapters whose client library is slow to import, imported only where the settings name them.

The clients of Weaviate and OpenAI take half a second each: more than all else that a command needs to start.
"""

from importlib import import_module
from typing import Any


def on_demand(module: str, name: str) -> Any:
    """An attribute of one of our own modules."""
    return getattr(import_module(module), name)
