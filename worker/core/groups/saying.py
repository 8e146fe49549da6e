"""Whether one text says what another says: in its words, in other words, or with another value in one place.

By words alone two statements that a judge calls the same cannot be told from two that are not: "kids" and "children"
differ as "tea" and "cocoa" do. What can be told is how much differs, and where.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations, takewhile

from worker.core.texts import names
from worker.core.texts.clauses import clauses
from worker.core.texts.numerals import numbers
from worker.core.texts.scripts import HAN, HIRAGANA, UNSPACED_RUN
from worker.core.texts.words import carriers_in_order, negations, normalised

#: Of two forms of one word at least so much is their common beginning, and at least so many signs.
BEGINNING, SHORTEST = 0.7, 4
#: Of its words other words may stand in for that share, or for one.
OTHER_WORDS = 1 / 3
#: Words of a value, however little stands around it: "New York City"; where words have no spaces a sign counts less.
VALUE, SIGNS = 3, 0.5

_MIXED = re.compile(f"[{HAN}{HIRAGANA}]")

#: "Dr. Amsel" is one clause.
_ABBREVIATED = re.compile(r"\b([^\W\d_a-z][^\W\d_]{0,2})\.(?=\s)")


def missing(text: str, other: str, subject: str) -> list[str]:
    """The words of a text of which the other has no form."""
    known = _words(other, subject) if _words(text, subject) else _all_words(other)
    return [one for one in _told(text, subject) if not any(_alike(one, it) for it in known)]


def is_within(text: str, other: str, subject: str) -> bool:
    """Whether the other has all its words, and lets nobody change places."""
    return not missing(text, other, subject) and not _crossed(text, other, subject)


def says(text: str, said: str, subject: str) -> bool:
    """Whether a text has all words of what was said, and turns nothing round: on and off, tea over cocoa."""
    return is_within(said, text, subject) and not _is_turned(said, text)


def _is_turned(text: str, other: str) -> bool:
    """Whether the very same words come in another order, or all that differs is grammar that both have of their own."""
    mine, theirs = normalised(text).split(), normalised(other).split()
    if sorted(mine) == sorted(theirs):
        return mine != theirs
    one, two = _grammar(text), _grammar(other)
    return bool(one - two and two - one) and carriers_in_order(text) == carriers_in_order(other)


def _grammar(text: str) -> frozenset[str]:
    """Words that carry no meaning by themselves; what denies is told from its contrary by the guard."""
    return frozenset(normalised(text).split()).difference(
        negations(text), (word for word in normalised(text).split() if carriers_in_order(word))
    )


def is_poorer(text: str, other: str, subject: str) -> bool:
    """Whether it leaves out more words of the other than it brings, and more than another value or wording would."""
    gone = missing(other, text, subject)
    return len(gone) > len(missing(text, other, subject)) and not _are_few(
        gone, _told(other, subject)
    )


def is_reworded(text: str, other: str, subject: str) -> bool:
    """Whether a few words of the one stand where the other has a few of its own.

    True of paraphrases and of statements that differ in a value: another witness has to tell them apart.
    """
    gone, own = missing(text, other, subject), missing(other, text, subject)
    return (
        bool(gone and own)
        and _are_few(gone, _told(text, subject))
        and _are_few(own, _told(other, subject))
        and not _crossed(text, other, subject)
    )


def is_revalued(text: str, other: str, subject: str, drops: Iterable[str]) -> bool:
    """Whether the other has a value of its own in place of pieces that are no longer true, and says all around them.

    Clause by clause: a clause that goes as a whole leaves nothing that would tell that the other is about the same.
    """
    untrue = [word for drop in drops for word in _words(drop, subject)]
    parts = [one for one in clauses(_ABBREVIATED.sub(r"\1", text)) if _words(one, subject)]
    has_own = missing(other, text, subject) or negations(other) != negations(text)
    return bool(parts and has_own) and all(
        _is_clause_revalued(clause, other, subject, untrue) for clause in parts
    )


def _is_clause_revalued(clause: str, other: str, subject: str, untrue: Sequence[str]) -> bool:
    gone = missing(clause, other, subject)
    if not gone:
        return True
    words = _words(clause, subject)
    value = [one for one in words if one in untrue]
    frame = [one for one in words if one not in untrue]
    lost = [one for one in gone if one in untrue]
    others = [one for one in gone if one not in untrue]
    return (
        bool(value and frame)
        and len(gone) < len(words)
        and sum(SIGNS if UNSPACED_RUN.match(one) else 1 for one in lost) <= max(VALUE, len(frame))
        and len(others) <= 1
    )


def _are_few(some: Sequence[str], words: Sequence[str]) -> bool:
    return len(some) < len(words) and len(some) <= max(1, OTHER_WORDS * len(words))


def _told(text: str, subject: str) -> tuple[str, ...]:
    """What carries meaning; all words where nothing does."""
    return _words(text, subject) or _all_words(text)


def _all_words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(normalised(text).split()))


@lru_cache(maxsize=1 << 12)
def _words(text: str, subject: str) -> tuple[str, ...]:
    """What carries meaning, in order, without whom it is about."""
    about = carriers_in_order(subject)
    found = [one for one in carriers_in_order(text) if one not in about and _is_whole(one)]
    return tuple(dict.fromkeys(found))


def _is_whole(word: str) -> bool:
    """Of two signs without spaces, only those that no ending is part of and that are not there one by one."""
    return not (len(word) > 1 and UNSPACED_RUN.match(word) and _MIXED.search(word))


def _alike(one: str, other: str) -> bool:
    """Whether they are forms of one word, by its beginning, or spellings of one number."""
    if one == other or _count(one) & _count(other):
        return True
    if not (one.isalpha() and other.isalpha()):
        return False
    pairs = zip(one, other, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return shared >= SHORTEST and shared >= BEGINNING * max(len(one), len(other))


@lru_cache(maxsize=1 << 12)
def _count(word: str) -> frozenset[frozenset[str]]:
    return numbers(word).certain


def _crossed(text: str, other: str, subject: str) -> bool:
    """Whether two that are named in one clause of both come in another order: who lent to whom."""
    found = names.names(text) | names.names(other)
    named = names.keys(subject).union(map(names.key, found))
    mine, theirs = _orders(text, named), _orders(other, named)
    return any((later, earlier) in theirs for earlier, later in mine)


def _orders(text: str, named: frozenset[str]) -> frozenset[tuple[str, str]]:
    found = set[tuple[str, str]]()
    for clause in clauses(text):
        keys = (names.key(names.bare(token)) for token in names.TOKEN.findall(clause))
        found |= set(combinations(dict.fromkeys(key for key in keys if key in named), 2))
    return frozenset(found)
