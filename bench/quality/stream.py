"""A stream of turns of which it is known what a store has to hold afterwards. Values.

Needs are phrases, see `bench/quality/words.py`.
"""

from dataclasses import dataclass
from datetime import datetime
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
class Question:
    """What a data set asks of its own stream; an answer is looked for by its letters, not by a reader."""

    text: str
    #: Each of them has to be told, in any of its wordings.
    must: tuple[Needs, ...] = ()
    #: None of them may be told.
    must_not: Needs = ()


@dataclass(frozen=True)
class Moment:
    """When the store is looked at, and what it has to hold then."""

    name: str
    #: Sessions that have arrived.
    after: int
    at: datetime
    truth: Truth


@dataclass(frozen=True)
class Stream:
    """All of one scope."""

    name: str
    #: In the order of arrival; what arrives together is consolidated together.
    sessions: tuple[tuple[Said, ...], ...]
    truth: Truth
    #: When the store is looked at.
    at: datetime
    #: At which it is looked at before that.
    before: tuple[Moment, ...] = ()
    #: What is asked at the end.
    questions: tuple[Question, ...] = ()

    @property
    def turns(self) -> int:
        return sum(map(len, self.sessions))

    @property
    def moments(self) -> tuple[Moment, ...]:
        """All of them; that of the end has no name."""
        return (*self.before, Moment("", len(self.sessions), self.at, self.truth))

    @property
    def owner(self) -> str:
        """Whose memory it is: the first person who speaks."""
        said = (one for session in self.sessions for one in session)
        return next((one.speaker for one in said if one.role == "user"), "")
