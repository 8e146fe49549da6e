"""Which found facts may stand: what is left out with its reason, and what the model is asked about again first."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from schemas.turn import Turn
from worker.core.hearing.citing import is_a_machines_sentence, subject, voice, words_of_people
from worker.core.hearing.extraction_reply import FoundFact
from worker.core.hearing.forget_requests import unasked
from worker.core.hearing.grounding import only_quoted, unsupported
from worker.core.hearing.heard import Heard
from worker.core.hearing.hearing import PLACEHOLDER
from worker.core.texts.lengths import LONGEST_NAME, LONGEST_TEXT
from worker.core.texts.opposites import reverses

#: Facts of one turn, at most: a page about somebody's life holds some twenty.
FACTS_PER_TURN = 30
#: Facts that each further turn of a batch may add to those of the first, on average: most turns hold none or one.
FACTS_PER_FURTHER_TURN = 5

ONLY_CONTEXT = "cites only earlier turns"
NO_PERSON = "no person said it"
TOO_LONG = "longer than a statement"
REVERSED = "says the opposite of its turn"
QUOTED = "only a quotation says it"
UNASKED = "nobody asked to forget it"
TOO_MANY = "more facts than a turn can hold"

KINDS_OF_FORGETTING = frozenset({"forget", "forgetting", "deletion"})


@dataclass(frozen=True)
class Doubt:
    """What the model may mend, in words for it, and why the fact is left out if it does not."""

    told: str
    reason: str


def left_out(heard: Heard, found: FoundFact, cited: Sequence[Turn]) -> str | None:
    """Why a fact goes without asking; nothing where it may stand."""
    own = {turn.id for turn in heard.turns}
    asked = [turn for turn in cited if turn.id in own]
    if not asked:
        return ONLY_CONTEXT
    said_by = voice(asked if is_forgetting(found) else cited)
    if said_by.role != "user" and (is_forgetting(found) or not heard.remember_assistant):
        return NO_PERSON
    return unsupported(found.text, cited, heard)


def doubt(heard: Heard, found: FoundFact, cited: Sequence[Turn]) -> Doubt | None:
    """What can be said another way, or is left out with good reason: so no true statement is lost unasked."""
    own = PLACEHOLDER.sub(" ", words_of_people(cited))
    if is_forgetting(found):
        visible = "\n".join(turn.text for turn in heard.labelled.values())
        wrong = unasked(found.text, own, PLACEHOLDER.sub(" ", visible))
        return Doubt(wrong, UNASKED) if wrong else None
    if is_a_machines_sentence(found.text, heard) and not heard.remember_assistant:
        advice = "if a user agreed to it, say in other words what holds for them, else leave it out"
        return Doubt(f"repeats an assistant word for word: {advice}", NO_PERSON)
    if only_quoted(found.text, own):
        advice = "name who said it and what it says of them, or leave it out"
        return Doubt(f"stands only in a quotation: {advice}", QUOTED)
    if all(turn.role == "user" for turn in cited) and (
        wrong := reverses(found.text, _names(found, cited), own)
    ):
        advice = (
            'keep the "not" in the text, or write what has changed; if it is wrong, leave it out'
        )
        return Doubt(f"{wrong}: {advice}", REVERSED)
    return None


def _names(found: FoundFact, cited: Sequence[Turn]) -> str:
    """Whom it is about, and who says it."""
    said_by = voice(cited)
    return f"{subject(found, said_by)} {said_by.speaker or ''}"


def too_long(found: FoundFact) -> Doubt | None:
    if len(found.text) > LONGEST_TEXT or len(found.subject or "") > LONGEST_NAME:
        told = (
            f"is too long: one statement of at most {LONGEST_TEXT} characters, one name as subject"
        )
        return Doubt(told, TOO_LONG)
    return None


def is_forgetting(found: FoundFact) -> bool:
    return (found.kind or "").casefold().strip() in KINDS_OF_FORGETTING


@dataclass
class Room:
    """How many facts may still stand."""

    heard: Heard
    taken: Counter[UUID] = field(default_factory=Counter)

    @property
    def most(self) -> int:
        return FACTS_PER_TURN + FACTS_PER_FURTHER_TURN * (len(self.heard.turns) - 1)

    def has_place(self, cited: Sequence[Turn]) -> bool:
        return self.taken[cited[-1].id] < FACTS_PER_TURN and self.taken.total() < self.most

    def take(self, cited: Sequence[Turn]) -> None:
        self.taken[cited[-1].id] += 1

    @property
    def told(self) -> str:
        return (
            f"there are more facts than {len(self.heard.turns)} turns can hold: join what belongs together and leave"
            f" out what will not matter in a month; at most {FACTS_PER_TURN} of one turn, {self.most} in all"
        )
