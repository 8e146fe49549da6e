"""How many words an answer shares with what was expected: asks no model, so that no judge can flatter it."""

import re
import string
from collections import Counter

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def f1(answer: str, expected: str) -> float:
    """Harmonic mean of precision and recall over words, 0 to 1, normalised as SQuAD does (Rajpurkar et al. 2016)."""
    given, wanted = Counter(_words(answer)), Counter(_words(expected))
    shared = (given & wanted).total()
    if not shared:
        return float(not given and not wanted)
    precision, recall = shared / given.total(), shared / wanted.total()
    return 2 * precision * recall / (precision + recall)


def _words(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.casefold().translate(_PUNCTUATION)).split()
