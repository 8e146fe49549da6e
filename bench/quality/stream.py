"""A stream of turns of which it is known what a store has to hold afterwards, and what a store holds. Values.

Needs are phrases, see `bench/quality/words.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

Needs = tuple[str, ...]


@dataclass(frozen=True)
class Said:
    """One turn."""

    conversation: str
    speaker: str
    text: str
    said_at: datetime
    role: Literal["user", "assistant"] = "user"

    def line(self) -> dict[str, str]:
        """In the form that producers take, without its owner."""
        return {
            "conversation": self.conversation,
            "speaker": self.speaker,
            "text": self.text,
            "said_at": self.said_at.isoformat(),
            "role": self.role,
        }


@dataclass(frozen=True)
class Slot:
    """Of which one value is true at a time."""

    name: str
    #: What a text about it has beside the value.
    about: Needs
    #: What is true in the end; null where nothing is.
    current: str | None
    #: What was true before, oldest first; a value may come back.
    earlier: tuple[str, ...] = ()
    #: Of those, what was said to be true for a while only: nothing has to take its place.
    passing: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.earlier, *([self.current] if self.current else []))))


@dataclass(frozen=True)
class Thing:
    """What stays true, however often it is said."""

    name: str
    needs: Needs
    #: What was said of it at one time or another, and has to be found beside it.
    details: Needs = ()


@dataclass(frozen=True)
class Truth:
    """What a store has to hold."""

    slots: tuple[Slot, ...] = ()
    things: tuple[Thing, ...] = ()
    #: What may not be live.
    forbidden: tuple[Needs, ...] = ()
    #: What somebody asked to forget: neither live nor in any history.
    forgotten: tuple[Needs, ...] = ()


@dataclass(frozen=True)
class Stream:
    """All of one scope."""

    name: str
    #: In the order of arrival; what arrives together is consolidated together.
    sessions: tuple[tuple[Said, ...], ...]
    truth: Truth
    #: When the store is looked at.
    at: datetime

    @property
    def turns(self) -> int:
        return sum(map(len, self.sessions))


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
