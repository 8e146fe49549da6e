"""What was said, on one line that can neither end the block that it stands in nor steer what reads it."""

import re
from functools import lru_cache

from worker.core.hearing.marks import Marks

#: Control characters, halves of surrogate pairs, what turns the direction of the text that follows, and the signs in
#: which text can be hidden from people.
UNREADABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
#: What may stand between the letters of a mark without anybody seeing a difference.
GAP = "[\\s\u00ad\u200b-\u200f\u2060-\u2064\ufeff]*"
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
    return re.compile("|".join(GAP.join(map(re.escape, mark)) for mark in both), re.IGNORECASE)


@lru_cache(maxsize=8)
def _exact(marks: Marks) -> re.Pattern[str]:
    return re.compile(f"{re.escape(marks.begin)}|{re.escape(marks.end)}", re.IGNORECASE)
