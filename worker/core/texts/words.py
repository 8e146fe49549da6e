"""Words in any script: for "the same words", for BM25, for what carries meaning, and for polarity."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import snowballstemmer  # type: ignore[import-untyped]

from worker.core.texts.folding import WORD, folded
from worker.core.texts.function_words import FUNCTION_SIGNS, FUNCTION_WORDS
from worker.core.texts.identifiers import identifiers
from worker.core.texts.polarity import placed_negations
from worker.core.texts.scripts import HAN, HIRAGANA, UNSPACED, UNSPACED_RUN

#: A word, or a pictograph.
TERM = re.compile(rf"{WORD.pattern}|[\u2600-\u27bf\U0001f000-\U0001faff]")
#: The same for text without other letters, where it is much faster.
ASCII_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")
#: A piece of a word in one kind of script.
PIECE = re.compile(rf"[{UNSPACED}]+|[^{UNSPACED}]+")
#: Signs that part words wherever they stand.
SEPARATOR = re.compile(r"[\u2014\u2015\u2026\u3001\u3002«»„“”\"()\[\]{}「」『』【】〈〉《》]+")
EDGE = ".,;:!?'`-"
HAN_SIGN = re.compile(f"[{HAN}]")
ONLY_HIRAGANA = re.compile(f"[{HIRAGANA}]+")


def normalised(text: str) -> str:
    """What two texts with the same words share; no letter, number or symbol of any script is left out.

    Only white space and the punctuation around words differ freely. Text that is all punctuation stands
    as it is, so only empty text has an empty form.
    """
    plain = folded(text)
    words = (_bare(word) for word in SEPARATOR.sub(" ", plain).split())
    return " ".join(filter(None, words)) or " ".join(plain.split())


def _bare(word: str) -> str:
    """Without the punctuation at its edges; a sign of a number (`-5`, `.5`) is no edge."""
    core = word.strip(EDGE)
    before = word[: word.find(core)] if core else ""
    return before[-1] + core if before.endswith(("-", ".")) and core[0].isdigit() else core


def terms(text: str) -> tuple[str, ...]:
    """BM25's terms in order: words, bigrams where words have no spaces, identifiers whole and in parts."""
    words = _words(text)
    if text.isascii():
        found = [word.removesuffix("'s") for word in words]
    else:
        found = [term for word in words for term in _terms_of(word)]
    whole = (token for token in identifiers(text) if not WORD.fullmatch(token))
    return (*found, *whole)


def _words(text: str) -> list[str]:
    return (ASCII_WORD if text.isascii() else TERM).findall(folded(text))


def _terms_of(word: str) -> Iterator[str]:
    for piece in PIECE.findall(word.removesuffix("'s")):
        yield from bigrams(piece) if UNSPACED_RUN.match(piece) else (piece,)


def bigrams(run: str) -> list[str]:
    """Each two neighbouring signs; a lone sign stands for itself."""
    return [one + other for one, other in pairwise(run)] or [run]


def content_words(text: str) -> frozenset[str]:
    """What carries meaning: stems without function words, signs and bigrams where words have no spaces.

    Never empty for a text with a letter, digit or symbol: where all is function words, they count.
    """
    return carriers(text) or frozenset(terms(text)) or frozenset(normalised(text).split())


def carriers(text: str) -> frozenset[str]:
    """Content words only: empty for a text that is all grammar."""
    return frozenset(carriers_in_order(text))


def carriers_in_order(text: str) -> list[str]:
    return [stem for word in _words(text) for stem in _content_of(word)]


def _content_of(word: str) -> Iterator[str]:
    for piece in PIECE.findall(word.removesuffix("'s")):
        if UNSPACED_RUN.match(piece):
            yield from _meaning_in(piece)
        elif piece not in FUNCTION_WORDS:
            yield stem(piece)


def _meaning_in(run: str) -> Iterator[str]:
    """Han signs and those bigrams that are neither grammar nor kana endings."""
    for sign in HAN_SIGN.findall(run):
        if sign not in FUNCTION_SIGNS:
            yield sign
    for pair in bigrams(run):
        if not ONLY_HIRAGANA.fullmatch(pair) and not FUNCTION_SIGNS & set(pair):
            yield pair


def is_blank(text: str) -> bool:
    """Whether it has no letter, number or symbol of any script."""
    return not any(unicodedata.category(sign)[0] in "LNS" for sign in text)


def negations(text: str) -> tuple[str, ...]:
    """The negations in order, every contraction as "not", so that "doesn't" equals "does not"."""
    return tuple(word for word, _ in placed_negations(folded(text)))


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """By Porter's English stemmer (snowballstem.org); other alphabets as they are."""
    # A stemmer holds the word it works on, so one that threads share would mix them up.
    return str(snowballstemmer.stemmer("english").stemWord(word)) if word.isascii() else word
