"""Which turns a found fact was said in, and whose words they are."""

from collections.abc import Sequence
from functools import lru_cache

from schemas.turn import Turn
from worker.core.hearing.extraction_reply import FoundFact
from worker.core.hearing.heard import Heard
from worker.core.texts.words import content_words, normalised

#: What a model calls somebody it was given no name of.
UNNAMED = frozenset(
    {"user", "the user", "users", "i", "me", "myself", "speaker", "unknown", "person"}
)


def cited(heard: Heard, found: FoundFact) -> tuple[Turn, ...] | str:
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


def is_a_machines_sentence(text: str, heard: Heard) -> bool:
    """Whether it stands word for word in what a machine said, and in nothing that a person did."""
    said = f" {normalised(text)} "
    holders = {turn.role == "user" for turn in heard.labelled.values() if said in _words(turn.text)}
    return holders == {False}


@lru_cache(maxsize=64)
def _words(text: str) -> str:
    """Remembered: all facts of a reply are compared with the same turns."""
    return f" {normalised(text)} "


def voice(turns: Sequence[Turn]) -> Turn:
    """Who says it: the last person among the cited, else the last of all."""
    people = [turn for turn in turns if turn.role == "user"]
    return (people or turns)[-1]


def words_of_people(turns: Sequence[Turn]) -> str:
    return "\n".join(turn.text for turn in turns if turn.role == "user")


def subject(found: FoundFact, said_by: Turn) -> str:
    """The name as given; whoever speaks where none is, by their own name if they have one."""
    given = found.subject
    if given is None or given.casefold() in UNNAMED:
        return (said_by.speaker if said_by.role == "user" else None) or "user"
    return given
