"""Calling a tenant that the server has half shut.

One that is put to rest in the midst of a call is sometimes left behind awake and without its data (seen with 1.39.3):
every call is refused with the same words, for good. Put to rest once more it is whole, and its next call wakes it.
"""

import re
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from weaviate.collections import Collection
from weaviate.exceptions import UnexpectedStatusCodeError

from worker.adapters.stores.weaviate_errors import CLIENT_ERRORS
from worker.errors import SlowwaveError

HALF_SHUT = re.compile("already shut or dropped")

T = TypeVar("T")
Tenanted = Collection[Any, Any]


class Mending:
    """One call at a time mends: putting a tenant to rest under another's call is what breaks it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def call(self, collection: Tenanted, key: str, work: Callable[[Tenanted], T]) -> T:
        """What `work` gives or raises. Who may not put to rest, such as a reader, waits for a worker that mends it."""
        room = collection.with_tenant(key)
        try:
            return work(room)
        except (SlowwaveError, *CLIENT_ERRORS) as error:
            if not HALF_SHUT.search(str(error)):
                raise
        with self._lock:
            return self._mended(collection, key, lambda: work(room))

    def _mended(self, collection: Tenanted, key: str, work: Callable[[], T]) -> T:
        try:
            # Another may have mended it meanwhile.
            return work()
        except (SlowwaveError, *CLIENT_ERRORS) as error:
            if not HALF_SHUT.search(str(error)):
                raise
        with suppress(UnexpectedStatusCodeError):
            collection.tenants.deactivate([key])
        return work()
