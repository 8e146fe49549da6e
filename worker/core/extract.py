"""Extraction: turns → facts. What a model found is checked against the turns that it cites."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from pydantic import BaseModel

from schemas.memory import Authority, Fact
from schemas.turn import Turn
from worker.core.extraction_reply import ExtractionReply, FoundFact
from worker.core.grounding import unsupported
from worker.core.heard import Found, Heard
from worker.core.identifiers import identifiers
from worker.core.said_dates import end, happened
from worker.core.step import BadReply, Prompt
from worker.core.words import content_words, normalised

#: What a model calls somebody it was given no name of.
UNNAMED = frozenset(
    {"user", "the user", "users", "i", "me", "myself", "speaker", "unknown", "person"}
)
#: (subject, attribute) pairs shown, most used first.
SLOTS = 40
#: Longest name of a slot, in characters: a longer one is a sentence, and no slot.
LONGEST_SLOT = 40
KINDS_OF_FORGETTING = frozenset({"forget", "forgetting", "deletion"})

ONLY_CONTEXT = "cites only earlier turns"
NO_PERSON = "no person said it"
SAID_TWICE = "found twice in one reply"


@dataclass(frozen=True)
class Extraction:
    """All turns of a batch in one call. A step: `Heard` → `Found`."""

    def ask(self, item: Heard) -> Sequence[Prompt]:
        if not item.turns:
            return []
        context = len(item.context)
        turns = _turns(item)
        document = {
            "context": turns[:context],
            "turns": turns[context:],
            "slots": [list(slot) for slot in item.slots[:SLOTS]],
        }
        return [Prompt("extraction", document, ExtractionReply)]

    def read(self, item: Heard, replies: Sequence[BaseModel]) -> Found:
        facts: list[Fact] = []
        dropped: Counter[str] = Counter()
        wrong: list[str] = []
        for reply in replies:
            for at, found in enumerate(cast("ExtractionReply", reply).facts, start=1):
                cited = _cited(item, found)
                if isinstance(cited, str):
                    wrong.append(f"fact {at} ({found.text[:60]!r}) {cited}")
                elif reason := _left_out(item, found, cited) or _twice(facts, found, cited):
                    dropped[reason] += 1
                else:
                    facts.append(_fact(item, found, cited))
        if wrong:
            plainly = f"facts that cite no turn they were given: {len(wrong)}"
            raise BadReply("; ".join(wrong), plainly=plainly)
        return Found(tuple(facts), dict(dropped))


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


def _cited(heard: Heard, found: FoundFact) -> tuple[Turn, ...] | str:
    """The cited turns in their order, or what is wrong with the labels."""
    labelled = heard.labelled
    given = {f"t{one}" if one.isdigit() else one for one in found.turns}
    if known := given & labelled.keys():
        return tuple(turn for label, turn in labelled.items() if label in known)
    if not given and len(heard.turns) == 1:
        return heard.turns
    if not given and (alike := _turns_alike(heard, found.text)):
        return alike
    choices = f"t{len(heard.context) + 1} to t{len(labelled)}"
    return f'cites no turn that was given: name in "turns" where it was said, out of {choices}'


def _turns_alike(heard: Heard, text: str) -> tuple[Turn, ...]:
    """The one turn that shares most words with a fact that cites none; nothing where two share as much."""
    words = content_words(text)
    shared = [(len(words & content_words(turn.text)), turn) for turn in heard.turns]
    most = max(count for count, _ in shared)
    best = tuple(turn for count, turn in shared if count == most)
    return best if most and len(best) == 1 else ()


def _left_out(heard: Heard, found: FoundFact, cited: Sequence[Turn]) -> str | None:
    own = {turn.id for turn in heard.turns}
    if not any(turn.id in own for turn in cited):
        return ONLY_CONTEXT
    if _voice(cited).role != "user" and not heard.remember_assistant:
        return NO_PERSON
    return unsupported(found.text, cited, heard)


def _twice(facts: Iterable[Fact], found: FoundFact, cited: Sequence[Turn]) -> str | None:
    words = normalised(found.text)
    turn_ids = {turn.id for turn in cited}
    again = any(normalised(f.text) == words and turn_ids <= set(f.turn_ids) for f in facts)
    return SAID_TWICE if again else None


def _voice(cited: Sequence[Turn]) -> Turn:
    """Who says it: the last person among the cited, else the last of all."""
    people = [turn for turn in cited if turn.role == "user"]
    return (people or cited)[-1]


def _authority(role: str) -> Authority:
    return "user" if role == "user" else "assistant" if role == "assistant" else "tool"


def _fact(heard: Heard, found: FoundFact, cited: Sequence[Turn]) -> Fact:
    voice = _voice(cited)
    latest = max(cited, key=lambda turn: turn.said_at)
    until, assumed = end(found.until, voice.said_at, heard.overlay_days)
    said = "\n".join(turn.text for turn in cited)
    approximate = all(turn.approximate_time for turn in cited)
    return Fact(
        text=found.text,
        subject=_subject(found.subject, voice),
        attribute=_slot(found.attribute),
        kind=_kind(found.kind),
        volatile=found.volatile,
        said_by=voice.speaker or voice.role,
        authority=_authority(voice.role),
        turn_ids=_ids(cited),
        said_at=latest.said_at,
        happened_at=happened(found.happened_at, said, approximate=approximate),
        until=until,
        until_assumed=assumed,
        identifiers=identifiers(found.text),
    )


def _ids(turns: Iterable[Turn]) -> tuple[UUID, ...]:
    return tuple(dict.fromkeys(turn.id for turn in turns))


def _subject(given: str | None, voice: Turn) -> str:
    """The name as given; whoever speaks where none is, by their own name if they have one."""
    if given is None or given.casefold() in UNNAMED:
        return (voice.speaker if voice.role == "user" else None) or "user"
    return given


def _slot(given: str | None) -> str | None:
    name = " ".join((given or "").casefold().replace("_", " ").split())
    return name if 0 < len(name) <= LONGEST_SLOT else None


def _kind(given: str | None) -> str:
    kind = " ".join((given or "fact").casefold().split())
    return "forget" if kind in KINDS_OF_FORGETTING else kind[:LONGEST_SLOT]
