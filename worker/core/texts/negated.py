"""What a text denies: each negation with the words that it is about."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from worker.core.texts.clauses import clauses
from worker.core.texts.folding import folded
from worker.core.texts.polarity import placed_aversions, placed_negations
from worker.core.texts.scripts import UNSPACED_RUN
from worker.core.texts.words import carriers, carriers_in_order

#: Words after a negation, or signs around it where words have no spaces, that it is about.
WORDS, SIGNS = 3, 6
#: Signs in which those words are looked for: of a thousand negations each would read the rest of the text.
REACH = 160


@dataclass(frozen=True)
class Negated:
    """`about` is empty where the clause has no other word."""

    clause: str
    about: frozenset[str]


def negated(text: str) -> tuple[Negated, ...]:
    return tuple(_placed(text, placed_negations))


def averse(text: str) -> tuple[Negated, ...]:
    """What it speaks of with a word of aversion."""
    return tuple(_placed(text, placed_aversions))


def _placed(text: str, words: Callable[[str], list[tuple[str, int]]]) -> Iterator[Negated]:
    for clause in clauses(text):
        plain = folded(clause)
        for word, end in words(plain):
            yield Negated(clause, _about(plain, word, end))


def kept(negation: Negated, others: Iterable[Negated], words: frozenset[str]) -> bool:
    """Whether one of the others denies the same; where its words are not among `words`, any denial may."""
    others = list(others)
    if not negation.about & words or any(not other.about for other in others):
        return bool(others)
    return any(negation.about & other.about for other in others)


def _about(plain: str, word: str, end: int) -> frozenset[str]:
    if UNSPACED_RUN.match(word):
        near = (
            plain[max(0, end - len(word) - SIGNS) : end - len(word)]
            + " "
            + plain[end : end + SIGNS]
        )
        return carriers(near)
    after = carriers_in_order(plain[end : end + REACH])
    before = plain[max(0, end - REACH) : end]
    return frozenset(after[:WORDS] or carriers_in_order(before)[-WORDS:])
