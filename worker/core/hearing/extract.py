"""Extraction: turns → facts. What a model found is checked against the turns that it cites."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import UUID

from pydantic import BaseModel

from schemas.memory import Authority, Fact
from schemas.turn import Turn
from worker.core.hearing.citing import cited, is_a_machines_sentence, subject, voice
from worker.core.hearing.extraction_reply import ExtractionReply, FoundFact
from worker.core.hearing.heard import Found, Heard
from worker.core.hearing.sifting import (
    TOO_MANY,
    Doubt,
    Room,
    doubt,
    is_forgetting,
    left_out,
    too_long,
)
from worker.core.hearing.windows import windows
from worker.core.step import BadReply, Doubtful, Prompt
from worker.core.texts.identifiers import identifiers
from worker.core.texts.looked import looked
from worker.core.texts.said_dates import end, happened
from worker.core.texts.words import content_words, normalised

#: (subject, attribute) pairs shown, most used first.
SLOTS = 40
#: Longest name of a slot, in characters: a longer one is a sentence, and no slot.
LONGEST_SLOT = 40
#: Complaints in one message to the model, and characters of a fact that one quotes.
COMPLAINTS, QUOTED = 8, 60
#: Facts of a reply that are looked at for each that there is room for: a model that goes on and on ends somewhere.
READ = 4


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
            if at > READ * self.room.most:
                self.dropped[TOO_MANY] += 1
            else:
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
        elif reason := left_out(window, found, turns):
            self.dropped[reason] += 1
        elif wrong := doubt(window, found, turns):
            self._doubt(at, found, wrong)
        else:
            self.room.take(turns)
            self.facts.append(_fact(window, found, turns))

    def _doubt(self, at: int, found: FoundFact, wrong: Doubt) -> None:
        self.dropped[wrong.reason] += 1
        self.wrong[-1].doubtful.append(_about(at, found, wrong.told))

    def settled(self) -> Found:
        for at, wrong in enumerate(self.wrong):
            if wrong.lost:
                plainly = f"facts that cite no turn they were given: {len(wrong.lost)}"
                raise BadReply(wrong.told, plainly=plainly, at=at)
        found = Found(tuple(self.facts), dict(+self.dropped))
        for at, wrong in enumerate(self.wrong):
            if wrong.doubtful:
                plainly = f"facts that were asked about again: {len(wrong.doubtful)}"
                raise Doubtful(wrong.told, plainly=plainly, stands=found, joined=_joined, at=at)
        return found


def _joined(stood: Found, mended: Found) -> Found:
    """The facts of the better reply, and those that stood and are not in it: a model may send the correction alone."""
    again = {normalised(fact.text) for fact in mended.facts}
    left = tuple(fact for fact in stood.facts if normalised(fact.text) not in again)
    known = {normalised(fact.text) for fact in stood.facts}
    is_mended = bool(again - known)
    dropped = (
        Counter(mended.dropped) if is_mended else Counter(mended.dropped) | Counter(stood.dropped)
    )
    return Found((*left, *mended.facts), dict(dropped))


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
    said_by = _speaker(heard, found, turns)
    latest = max(_telling(found.text, turns, said_by), key=lambda turn: turn.said_at)
    until, assumed = end(found.until, said_by.said_at, heard.overlay_days)
    said = "\n".join(turn.text for turn in turns)
    approximate = all(turn.approximate_time for turn in turns)
    return Fact(
        text=found.text,
        subject=subject(found, said_by),
        attribute=slot_name(found.attribute),
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


def _speaker(heard: Heard, found: FoundFact, turns: Sequence[Turn]) -> Turn:
    """The voice; of a sentence that only a machine said, the machine where it is cited."""
    machines = [turn for turn in turns if turn.role != "user"]
    said = machines and is_a_machines_sentence(found.text, heard)
    return voice(machines) if said else voice(turns)


def _telling(text: str, turns: Sequence[Turn], said_by: Turn) -> list[Turn]:
    """The turns that say when it was said: the voice's own that share a word with it, else all of the voice's own."""
    own = [t for t in turns if (t.role, t.speaker) == (said_by.role, said_by.speaker)]
    words = content_words(text)
    return [turn for turn in own if words & looked(turn.text).words] or own


def _ids(turns: Iterable[Turn]) -> tuple[UUID, ...]:
    return tuple(dict.fromkeys(turn.id for turn in turns))


def slot_name(given: str | None) -> str | None:
    """As slots are named; null for what is none."""
    name = " ".join((given or "").casefold().replace("_", " ").split())
    return name if 0 < len(name) <= LONGEST_SLOT else None


def _kind(found: FoundFact) -> str:
    if is_forgetting(found):
        return "forget"
    return " ".join((found.kind or "fact").casefold().split())[:LONGEST_SLOT]
