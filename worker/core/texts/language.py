"""Whether a text is in a language whose small words are listed here, so that a missing word says something."""

import re

from worker.core.texts.folding import WORD, folded
from worker.core.texts.function_words import ENGLISH, GERMAN, OTHERS, ROMANCE
from worker.core.texts.scripts import HAN, HANGUL, HIRAGANA, KATAKANA

#: Share of small words that a text of a listed language has; others share a few of them by chance.
SHARE = 0.35
#: Apart, as the small words of all together are in every language.
FAMILIES = tuple(frozenset(words.split()) for words in (ENGLISH, GERMAN, ROMANCE, OTHERS))
#: Chinese, Japanese and Korean are listed by their script.
EAST_ASIAN = re.compile(f"[{HAN}{HIRAGANA}{KATAKANA}{HANGUL}]")


def is_listed(text: str) -> bool:
    """In doubt it is not: then nothing follows from a word that is not there."""
    plain = folded(text)
    if 2 * len(EAST_ASIAN.findall(plain)) > len(plain):
        return True
    words = WORD.findall(plain)
    most = max(sum(word in family for word in words) for family in FAMILIES)
    return bool(words) and most >= SHARE * len(words)
