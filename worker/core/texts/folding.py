"""One form for what people type in several: width, case, accents, apostrophes, hyphens, invisible signs."""

import re
import unicodedata

from worker.core.texts.scripts import LETTER

INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufe0e\ufe0f\ufeff]")
ALIKE = str.maketrans("\u2018\u2019\u02bc\u2010\u2011\u2012\u2013\u2212", "'''-----")

#: A word of a folded text, contractions included.
WORD = re.compile(rf"{LETTER}+(?:'{LETTER}+)*")


def folded(text: str) -> str:
    """Compatibility form (NFKC), casefolded (Unicode's toNFKC_Casefold, but marks and symbols stay)."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).casefold()
    return INVISIBLE.sub("", unicodedata.normalize("NFKC", text).translate(ALIKE))
