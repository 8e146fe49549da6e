"""Extraction: turns → facts. What a model found is checked against the turns that it cites."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import UUID

from pydantic import BaseModel

from schemas.memory import Authority, Fact
from schemas.turn import Turn
from worker.core.citing import cited, voice
from worker.core.extraction_reply import ExtractionReply, FoundFact
from worker.core.heard import Found, Heard
from worker.core.identifiers import identifiers
from worker.core.said_dates import end, happened
from worker.core.sifting import (
    TOO_MANY,
    Doubt,
    Room,
    doubt,
    is_forgetting,
    left_out,
    too_long,
)
from worker.core.step import BadReply, Doubtful, Prompt
from worker.core.windows import windows
from worker.core.words import normalised

#: What a model calls somebody it was given no name of.
UNNAMED = frozenset(
    {"user", "the user", "users", "i", "me", "myself", "speaker", "unknown", "person"}
)
#: (subject, attribute) pairs shown, most used first.
SLOTS = 40
#: Longest name of a slot, in characters: a longer one is a sentence, and no slot.
LONGEST_SLOT = 40
#: Complaints in one message to the model, and characters of a fact that one quotes.
COMPLAINTS, QUOTED = 8, 60

SAID_TWICE = "found twice in one reply"


@dataclass(frozen=True)
class Extraction:
    """All turns of a batch in one call, or in several where they are too long for one. A step: `Heard` → `Found`."""

    def ask(self, item: Heard) -> Sequence[Prompt]:
        return [
            Prompt(
                "extraction",
                _document(window),
                ExtractionReply,
                addition=item.instructions,
                is_divisible=True,
            )
            for window in windows(item)
        ]

    def read(self, item: Heard, replies: Sequence[BaseModel]) -> Found:
        """Raises `BadReply` where a fact cites no turn, `Doubtful` where the rest of the facts can stand."""
        reading = _Reading(Room(item))
        for window, reply in zip(windows(item), replies, strict=True):
            reading.hear(window, cast("ExtractionReply", reply).facts)
        return reading.settled()


def _document(window: Heard) -> dict[str, Any]:
    context = len(window.context)
    turns = _turns(window)
    document: dict[str, Any] = {
        "context": turns[:context],
        "turns": turns[context:],
        "slots": [list(slot) for slot in window.slots[:SLOTS]],
    }
    if window.known is not None:
        document["known"] = list(window.known)
    return document


@dataclass
class _Complaints:
    """What is wrong with the facts of one reply: those without a turn, and others, without which the rest may stand."""

    lost: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)

    @property
    def told(self) -> str:
        return "; ".join((self.lost + self.doubtful)[:COMPLAINTS])


@dataclass
class _Reading:
    """The facts of the replies so far, and what is wrong with others."""

    room: Room
    facts: list[Fact] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    #: One for each reply.
    wrong: list[_Complaints] = field(default_factory=list)

    def hear(self, window: Heard, found: Iterable[FoundFact]) -> None:
        """Take the facts of one reply."""
        self.wrong.append(_Complaints())
        too_many = self.dropped[TOO_MANY]
        for at, one in enumerate(found, start=1):
            self._take(window, at, one)
        if self.dropped[TOO_MANY] > too_many:
            self.wrong[-1].doubtful.insert(0, self.room.told)

    def _take(self, window: Heard, at: int, found: FoundFact) -> None:
        turns = cited(window, found)
        if wrong := too_long(found):
            self._doubt(at, found, wrong)
        elif isinstance(turns, str):
            self.wrong[-1].lost.append(_about(at, found, turns))
        elif not self.room.has_place(turns):
            self.dropped[TOO_MANY] += 1
        elif reason := left_out(window, found, turns) or self._twice(found, turns):
            self.dropped[reason] += 1
        elif wrong := doubt(window, found, turns):
            self._doubt(at, found, wrong)
        else:
            self.room.take(turns)
            self.facts.append(_fact(window, found, turns))

    def _doubt(self, at: int, found: FoundFact, wrong: Doubt) -> None:
        self.dropped[wrong.reason] += 1
        self.wrong[-1].doubtful.append(_about(at, found, wrong.told))

    def _twice(self, found: FoundFact, turns: Sequence[Turn]) -> str | None:
        words = normalised(found.text)
        turn_ids = {turn.id for turn in turns}
        again = any(normalised(f.text) == words and turn_ids <= set(f.turn_ids) for f in self.facts)
        return SAID_TWICE if again else None

    def settled(self) -> Found:
        for at, wrong in enumerate(self.wrong):
            if wrong.lost:
                plainly = f"facts that cite no turn they were given: {len(wrong.lost)}"
                raise BadReply(wrong.told, plainly=plainly, at=at)
        found = Found(tuple(self.facts), dict(+self.dropped))
        for at, wrong in enumerate(self.wrong):
            if wrong.doubtful:
                plainly = f"facts that were asked about again: {len(wrong.doubtful)}"
                raise Doubtful(wrong.told, plainly=plainly, stands=found, at=at)
        return found


def _about(at: int, found: FoundFact, wrong: str) -> str:
    return f"fact {at} ({found.text[:QUOTED]!r}) {wrong}"


def _turns(heard: Heard) -> list[dict[str, Any]]:
    """Conversations are numbered: their own names tell a model nothing."""
    numbers: dict[str, str] = {}
    return [
        {
            "id": label,
            "conversation": numbers.setdefault(turn.conversation, str(len(numbers) + 1)),
            "role": turn.role,
            "speaker": turn.speaker,
            "said_at": turn.said_at.isoformat(timespec="seconds"),
            "text": turn.text,
        }
        for label, turn in heard.labelled.items()
    ]


def _authority(role: str) -> Authority:
    return "user" if role == "user" else "assistant" if role == "assistant" else "tool"


def _fact(heard: Heard, found: FoundFact, turns: Sequence[Turn]) -> Fact:
    said_by = voice(turns)
    latest = max(turns, key=lambda turn: turn.said_at)
    until, assumed = end(found.until, said_by.said_at, heard.overlay_days)
    said = "\n".join(turn.text for turn in turns)
    approximate = all(turn.approximate_time for turn in turns)
    return Fact(
        text=found.text,
        subject=_subject(found.subject, said_by),
        attribute=_slot(found.attribute),
        kind=_kind(found),
        volatile=found.volatile,
        said_by=said_by.speaker or said_by.role,
        authority=_authority(said_by.role),
        turn_ids=_ids(turns),
        said_at=latest.said_at,
        happened_at=happened(found.happened_at, said, said_by.said_at, approximate=approximate),
        until=until,
        until_assumed=assumed,
        identifiers=identifiers(found.text),
    )


def _ids(turns: Iterable[Turn]) -> tuple[UUID, ...]:
    return tuple(dict.fromkeys(turn.id for turn in turns))


def _subject(given: str | None, said_by: Turn) -> str:
    """The name as given; whoever speaks where none is, by their own name if they have one."""
    if given is None or given.casefold() in UNNAMED:
        return (said_by.speaker if said_by.role == "user" else None) or "user"
    return given


def _slot(given: str | None) -> str | None:
    name = " ".join((given or "").casefold().replace("_", " ").split())
    return name if 0 < len(name) <= LONGEST_SLOT else None


def _kind(found: FoundFact) -> str:
    if is_forgetting(found):
        return "forget"
    return " ".join((found.kind or "fact").casefold().split())[:LONGEST_SLOT]
