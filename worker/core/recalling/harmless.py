"""What was said, on one line that can neither end the block that it stands in nor steer what reads it."""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from unicodedata import normalize

from worker.core.hearing.marks import Marks

#: Control characters, halves of surrogate pairs, what turns the direction of the text that follows, and the signs in
#: which text can be hidden from people: tags, and more selectors of a variant than the one that a character takes.
UNREADABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"
)
#: What may stand between the letters of a mark without anybody seeing a difference: space, and what Unicode says is
#: ignored where it is shown.
GAP = (
    "[\\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0100-\U000e01ef]*"
)
#: Small and wide forms of characters.
FORMS = range(0xFE50, 0xFFEF)
WORDS = re.compile(r"[^\W_]+")


def harmless(text: str, marks: Marks) -> str:
    """On one line, no mark in it, however spaced or spelt."""
    plain = " ".join(UNREADABLE.sub(" ", text).split())
    return _alike(marks).sub(lambda found: _named(found[0]), plain)


def without_marks(text: str, marks: Marks) -> str:
    """Without either mark, also those that come about by taking one out."""
    pattern = _exact(marks)
    while pattern.search(text):
        text = pattern.sub("", text)
    return text


def _named(mark: str) -> str:
    """The words of a mark, so that a reader still knows what was written there."""
    words = " ".join(WORDS.findall(mark))
    return f"({words})"


@lru_cache(maxsize=8)
def _alike(marks: Marks) -> re.Pattern[str]:
    both = ("".join(mark.split()) for mark in (marks.begin, marks.end))
    return re.compile("|".join(GAP.join(map(_any_form, mark)) for mark in both), re.IGNORECASE)


def _any_form(letter: str) -> str:
    return "[" + "".join(map(re.escape, (letter, *_forms().get(letter, ())))) + "]"


@lru_cache(maxsize=1)
def _forms() -> Mapping[str, list[str]]:
    """Character → the small and wide ones that mean the same."""
    found = defaultdict[str, list[str]](list)
    for form in map(chr, FORMS):
        found[normalize("NFKC", form)].append(form)
    return found


@lru_cache(maxsize=8)
def _exact(marks: Marks) -> re.Pattern[str]:
    return re.compile(f"{re.escape(marks.begin)}|{re.escape(marks.end)}", re.IGNORECASE)
