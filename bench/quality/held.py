"""What a store holds of one scope. Values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property


@dataclass(frozen=True)
class Kept:
    """A live text, with its subject in front."""

    id: str
    text: str


@dataclass(frozen=True)
class Past:
    """An earlier text of a memory, and whose text took its place."""

    id: str
    text: str
    said_at: datetime
    heir: str | None = None


@dataclass(frozen=True)
class Held:
    """What a store holds of one scope."""

    live: tuple[Kept, ...] = ()
    past: tuple[Past, ...] = ()
    #: What was called the same as something else in other words, and stands nowhere but in an account of that.
    said: tuple[str, ...] = ()

    @cached_property
    def _live(self) -> Mapping[str, Kept]:
        return {one.id: one for one in self.live}

    @cached_property
    def _heirs(self) -> Mapping[str, str | None]:
        """By the latest that is told of each."""
        return {one.id: one.heir for one in self.past}

    def heir(self, id: str | None) -> Kept | None:
        """What lives of a memory: itself, or what took its place; null where nothing does."""
        seen = set[str]()
        while id is not None and id not in self._live and id not in seen:
            seen.add(id)
            id = self._heirs.get(id)
        return self._live.get(id) if id is not None else None
