"""What two statements share, and the guards that keep look-alikes apart."""

import re
from dataclasses import dataclass
from functools import cached_property

from schemas.memory import Fact, Memory
from worker.core.texts.identifiers import identifiers
from worker.core.texts.words import content_words, negations, normalised, stem
from worker.rules.ceasing import ceased
from worker.rules.clause import in_the_past
from worker.rules.slots import Slot, slot_of
from worker.rules.weaving import standing

#: Verbs and fillers that a paraphrase exchanges freely.
LIGHT = frozenset(
    map(
        stem,
        "have keep own get got take make do go be use come really currently actually already still live based home"
        " reside call called named name move relocate stay like love usually always way thing lot kind start started day please want"
        " assistant answer".split(),
    )
)
#: "would like to live in Porto" is another statement than "lives in Porto".
MOODS = re.compile(
    r"\b(?:would|could|might|may|should|must|will|want\w*|hop(?:e|es|ing)|plan\w*|think\w*|dream\w*|wish\w*|used to"
    r"|going to|learn\w*|tr(?:y|ies|ying) to|almost|nearly|never|always|except|unless|only|without|half|former|ex)\b",
    re.IGNORECASE,
)
NAME = re.compile(r"(?<=[\w,)'\"] )(?!User\b)[A-Z][\w'-]*|(?<=[(\"'])[A-Z][\w'-]*")


@dataclass(frozen=True)
class Looked:
    """A statement with what it is compared by; what once stood or stands otherwise is left out."""

    statement: Fact | Memory

    @cached_property
    def text(self) -> str:
        return standing(self.statement.text)

    @cached_property
    def whole(self) -> frozenset[str]:
        """All content words, those of the past included."""
        return content_words(self.statement.text)

    @cached_property
    def words(self) -> frozenset[str]:
        return content_words(self.text)

    @cached_property
    def core(self) -> frozenset[str]:
        """Never empty for a text with words."""
        return (self.words - LIGHT - content_words(self.statement.subject)) or self.words

    @cached_property
    def identifiers(self) -> frozenset[str]:
        return frozenset(identifiers(self.text))

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(name.removesuffix("'s").casefold() for name in NAME.findall(self.text))

    @cached_property
    def is_denied(self) -> bool:
        return bool(negations(self.text))

    @cached_property
    def is_past(self) -> bool:
        return in_the_past(self.text)

    @cached_property
    def stance(self) -> tuple[object, ...]:
        """Equal for two statements only if neither denies, ends or doubts what the other affirms."""
        moods = frozenset(mood.lower() for mood in MOODS.findall(self.text))
        return tuple(sorted(negations(self.text))), bool(self.ceased), moods

    @cached_property
    def ceased(self) -> tuple[str, ...]:
        return ceased(self.text)

    @cached_property
    def slot(self) -> Slot | None:
        return None if self.statement.kind == "instruction" else slot_of(self.text)


def literally_same(one: Looked, other: Looked) -> bool:
    return normalised(one.text) == normalised(other.text)


def agree(one: Looked, other: Looked, *, in_slot: bool) -> bool:
    """No denial, doubt or end on one side only. What fills a slot holds now, whatever its tense: "moved to"."""
    return one.stance == other.stance and (in_slot or one.is_past == other.is_past)


def has_all_tokens(rich: Looked, poor: Looked) -> bool:
    """Every digit-bearing token and name of `poor` is in `rich`."""
    return poor.identifiers <= rich.identifiers and poor.names <= rich.names


def core_of(words: str) -> frozenset[str]:
    """Content words of a phrase; all of them where only light ones are left."""
    found = content_words(words)
    return (found - LIGHT) or found
