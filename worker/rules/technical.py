"""Statements about codes, ports and versions, which people make without "I"."""

import re

from worker.core.texts.identifiers import identifiers
from worker.rules.slots import slot_of

#: A number with its unit, a time of day, an ordinal: no name of anything.
QUANTITY = re.compile(
    r"[~+-]?\d[\d.,:/-]*(?:st|nd|rd|th|am|pm|x|k|m|km|kg|g|h|s|ms|mb|gb|%|°c?)?", re.IGNORECASE
)
STATES = re.compile(
    r"\b(?:means|stands for|is|was|were|are|caused?|fix(?:es|ed)|solve[sd]|resolve[sd]|listens|runs|moved|happens|occurs"
    r"|turned out|comes? from|came from|needs|requires|uses|changed|failed|fails|breaks|broke|helped|points to)\b"
)
TECHNICAL_SLOTS = ("meaning of ", "port of ", "version of ")
#: "The door code is 4417", "The retro is on Thursdays".
GIVEN = re.compile(
    r"^[Tt]he (?!(?:answer|result|output|first|second|third|last|only|problem|question|error|rest|other|best|worst)\b)"
    r"(?:[\w'-]+ ){1,5}(?:is|are|starts?|ends?) (?:.*\d|(?:on |every )?(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b)"
)
#: "Restarting it fixed that": says what the sentence before was about.
CONTINUED = re.compile(
    r"^(?:The (?:root )?cause|The fix|The solution)\b.*\b(?:is|was)\b"
    r"|\b(?:fix(?:es|ed)|solve[sd]|resolve[sd]|helped with|cured)\s+(?:it|that|this)\b"
)
#: "A listens on port 1, B on 2".
GAPPED = re.compile(
    r"^(?P<one>[\w .-]{2,40}?) (?P<verb>listens on|runs on|is on|uses|is at)(?P<kind> port| version)? (?P<first>[\w.]*\d[\w.]*)"
    r"(?:,| and|, and) (?P<other>[\w .-]{2,40}?) (?:on|at) (?:port )?(?P<second>[\w.]*\d[\w.]*)$"
)
#: Where one sentence speaks of several codes, each in a clause of its own.
NEXT_CODE = re.compile(
    r"\s*[,;]\s+(?:and |but |while )?(?=(?:[Cc]ode |[Ee]rror )?[A-Z]+[-_\w]*\d\w*\s+(?:means|is|was|stands)\b)"
)


def is_technical(sentence: str) -> bool:
    """States something about a code, or gives a port or a version."""
    if GAPPED.match(sentence) or GIVEN.match(sentence):
        return True
    if slot := slot_of(sentence):
        return slot.attribute.startswith(TECHNICAL_SLOTS)
    codes = [token for token in identifiers(sentence) if not QUANTITY.fullmatch(token)]
    return bool(codes) and STATES.search(sentence) is not None


def continued(sentence: str) -> bool:
    return CONTINUED.search(sentence) is not None and not identifiers(sentence)


def unfolded(sentence: str) -> list[str]:
    """One statement for each code."""
    if found := GAPPED.match(sentence):
        kind = found["kind"] or ""
        return [
            f"{found['one']} {found['verb']}{kind} {found['first']}",
            f"{found['other'][:1].upper()}{found['other'][1:]} {found['verb']}{kind} {found['second']}",
        ]
    return NEXT_CODE.split(sentence)
