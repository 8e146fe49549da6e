"""What speaks of what is to be forgotten: told by words alone, never by likeness."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from operator import eq

from worker.core.texts.identifiers import identifiers
from worker.core.texts.names import SHORTEST_BEGINNING, key
from worker.core.texts.words import HAN_SIGN, carriers

#: So many memories that say a word of other things make it a common one.
SEVERAL = 2
#: Why, in records: it names nothing of what was forgotten.
ASKED = "a person asked to forget it"


@dataclass(frozen=True)
class Topic:
    """What is to be forgotten, as words."""

    #: As a model is told it.
    text: str
    words: frozenset[str]
    #: So many of them make a text speak of it.
    least: int = 1
    #: Those of them that are said of other things too, and tell nothing by themselves.
    common: frozenset[str] = frozenset()

    def is_in(self, text: str | None) -> bool:
        return bool(text) and len(_shared(self.words - self.common, text or "")) >= self.least

    def is_told_by(self, text: str) -> bool:
        """Whether the text has every word of it: enough for a turn to go unread."""
        return has_all(text, self.words)

    def with_(self, other: "Topic") -> "Topic":
        """Both of them are to go."""
        if self == other:
            return self
        words = self.words | other.words
        telling_ones = (self.words - self.common) | (other.words - other.common)
        text, least = f"{self.text}; {other.text}", min(self.least, other.least)
        return Topic(text, words, least, words - telling_ones)

    def is_all_of(self, text: str, *known: str) -> bool:
        """Whether the text says nothing else."""
        return self.is_in(text) and set(map(key, telling(text, *known))) <= _forms(self.text)


def of_query(query: str, common: frozenset[str] = frozenset()) -> Topic:
    """Any word of it is too much in what remains, but for what is `common`."""
    return Topic(query, telling(query), common=common)


def telling(text: str, *known: str) -> frozenset[str]:
    """The words by which others are found to speak of the same; those of `known`, a subject say, tell nothing.

    A sign that is part of a pair of signs does not count by itself. Empty for what is all grammar.
    """
    theirs = frozenset[str]().union(*map(_forms, known))
    words = [word for word in _words(text) if key(word) not in theirs]
    pairs = [word for word in words if len(word) > 1]
    return frozenset(
        word
        for word in words
        if not HAN_SIGN.fullmatch(word) or not any(word in pair for pair in pairs)
    )


def lost_words(before: str, left: str | None, *known: str) -> frozenset[str]:
    """What a version told that is not in what is left of it."""
    return telling(before, left or "", *known)


def mentions(text: str | None, words: frozenset[str]) -> bool:
    """Whether it has any of the words: enough to be left out of what is kept, never to choose what goes."""
    return bool(text) and bool(_shared(words, text or ""))


def has_all(text: str, words: frozenset[str]) -> bool:
    """Whether each of the words stands in the text, which chooses what goes; none is in no text."""
    theirs = _words(text)
    return bool(words) and all(
        word in theirs or (not word.isascii() and any(_is_case_of(word, one) for one in theirs))
        for word in words
    )


def distinctive(text: str, others: Iterable[str], *known: str) -> frozenset[str]:
    """The telling words of a text that what was merged with it does not have.

    Another text that has more than half of them tells the same and takes none away. Where nothing would be left all
    count.
    """
    words = telling(text, *known)
    theirs = (_shared(words, other) for other in others)
    shared = frozenset[str]().union(*(one for one in theirs if 2 * len(one) <= len(words)))
    return words - shared or words


def said_elsewhere(
    words: frozenset[str], near: Iterable[str], far: Iterable[str]
) -> frozenset[str]:
    """Those of the words that say nothing by themselves: texts that lack some of them have them.

    One that is `near`, of what was merged with it, is enough; of others it takes several. None where it would be all.
    """
    of_near = (_shared(words, text) for text in near if not has_all(text, words))
    of_far = Counter(
        word for text in far if not has_all(text, words) for word in _shared(words, text)
    )
    found = frozenset[str]().union(*of_near, (w for w, n in of_far.items() if n >= SEVERAL))
    return found if found < words else frozenset()


def _shared(words: frozenset[str], text: str) -> frozenset[str]:
    """Those of the words that the text has, in any case of an alphabet that inflects."""
    theirs = _forms(text)
    inflected = [one for one in theirs if not one.isascii()]
    return frozenset(
        word
        for word in words
        if key(word) in theirs
        or (not word.isascii() and any(_alike(key(word), one) for one in inflected))
    )


def _alike(one: str, other: str) -> bool:
    """Whether one begins with the other; endings are off already."""
    return min(len(one), len(other)) >= SHORTEST_BEGINNING and (
        one.startswith(other) or other.startswith(one)
    )


def _is_case_of(word: str, other: str) -> bool:
    """Whether they differ in their endings alone; in doubt not: Марина is not Мария, Müll is not Müller."""
    same = sum(1 for _ in takewhile(bool, map(eq, word, other)))
    longer = max(len(word), len(other))
    if not other[:1].isalpha() or other[0].upper() == other[0].lower():
        return False
    return (same >= SHORTEST_BEGINNING - 1 and same >= longer - 1) or (
        same > SHORTEST_BEGINNING and same >= longer - 2
    )


@lru_cache(maxsize=64)
def _forms(text: str) -> frozenset[str]:
    return frozenset(map(key, _words(text)))


@lru_cache(maxsize=64)
def _words(text: str) -> frozenset[str]:
    """Content words, and codes whole as well: their parts alone are no code. One text is asked for many topics."""
    return carriers(text) | frozenset(identifiers(text))
