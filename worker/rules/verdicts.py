"""One statement against one older one: the same, a change, the end of it, or nothing of the kind."""

import re
from dataclasses import dataclass
from typing import Literal

from worker.core.judging.novelty import reordered
from worker.rules.likeness import (
    LIGHT,
    Looked,
    agree,
    core_of,
    has_all_tokens,
    literally_same,
)

#: Says that something comes on top, and takes nothing's place.
ON_TOP = re.compile(
    r"\b(?:also|as well|too|second|third|another|additionally|besides|on the side|part[- ]time|both|sometimes"
    r"|occasionally)\b",
    re.IGNORECASE,
)
CHANGE = re.compile(
    r"\b(?:now|no longer|switched|changed|became|become|new|these days|nowadays|started|joined|moved|relocated|instead"
    r"|sold|quit|left|gave up|got|promoted|turned|went)\b",
    re.IGNORECASE,
)
#: Slots with several values, where a word of change makes the newest the only one.
EXCHANGED = frozenset({"drink", "car"})
#: Ends a belonging, not whatever else names the place.
BELONGING = re.compile(r"\b(?:left|quit(?! \w+ing\b)|resigned|retired|moved out)\b", re.IGNORECASE)
BELONGS = frozenset({"home", "job", "hobby", "commute"})
#: Words of a named thing from which on it is clearly meant.
CLEARLY = 2


@dataclass(frozen=True)
class Verdict:
    """`keeps` says how the older text lives on in the new one."""

    relation: Literal["same", "update", "contradict"]
    why: str
    keeps: Literal["within", "before", "also"] = "within"


def verdict(newer: Looked, older: Looked, cosine: float, same: float) -> Verdict | None:
    """Null in doubt. `same` is the cosine from which two texts may be one statement, all guards agreeing."""
    if newer.statement.subject != older.statement.subject:
        return None
    if (newer.statement.kind == "instruction") != (older.statement.kind == "instruction"):
        return None
    return _restated(newer, older, cosine, same) or _ended(newer, older) or _refilled(newer, older)


def _restated(newer: Looked, older: Looked, cosine: float, same: float) -> Verdict | None:
    if literally_same(newer, older):
        return Verdict("same", "the same words")
    in_slot = _slots(newer, older) == "equal"
    if not agree(newer, older, in_slot=in_slot) or _turned_round(newer, older):
        return None
    near = cosine >= same or in_slot
    known, knows = has_all_tokens(older, newer), has_all_tokens(newer, older)
    alike = newer.words == older.words or (near and newer.core == older.core)
    if alike and known and knows:
        return Verdict("same", "the same in other words")
    if near and known and newer.core <= older.core and not newer.is_denied:
        return Verdict("same", "says no more than what is known")
    if not newer.words - older.whole:
        return None
    if near and knows and older.core <= newer.core:
        return Verdict("update", f"more of the same: {_shown(newer.core - older.core)}")
    return (
        Verdict("update", "more about the same", "also")
        if in_slot and _goes_with(newer, older)
        else None
    )


def _turned_round(newer: Looked, older: Looked) -> bool:
    """A change that says the same words in another order: from what to what is in their order alone."""
    mine, theirs = newer.statement.text, older.statement.text
    return bool(CHANGE.search(mine)) and reordered(mine, theirs)


def _goes_with(newer: Looked, older: Looked) -> bool:
    """Both have details of their own that do not exclude each other; only for slots that hold one value."""
    slot = newer.slot
    lasting = newer.statement.until is None and older.statement.until is None
    return bool(slot and slot.single and lasting and not newer.is_denied and not newer.ceased)


def _ended(newer: Looked, older: Looked) -> Verdict | None:
    """What was sold, given up or stopped, where the older statement plainly has it."""
    if older.ceased or older.is_past or older.statement.kind in {"preference", "instruction"}:
        return None
    for words in newer.ceased:
        thing = core_of(words)
        belongs = not BELONGING.search(newer.text) or len(thing) >= CLEARLY
        if not belongs and not (older.slot and older.slot.attribute in BELONGS):
            continue
        if thing <= older.words and thing - LIGHT and newer.words - older.whole:
            return Verdict("contradict", f"over: {words}", "before")
    return None


def _refilled(newer: Looked, older: Looked) -> Verdict | None:
    """The slot they share has another value now."""
    slot = newer.slot
    if slot is None or _slots(newer, older) != "different" or ON_TOP.search(newer.text):
        return None
    changes = CHANGE.search(newer.text) or newer.statement.until
    if not slot.single and not (slot.attribute in EXCHANGED and changes):
        return None
    if not newer.words - older.words:
        return None
    values = ", ".join(words for _, words in slot.parts)
    return Verdict(
        "update" if changes else "contradict", f"{slot.attribute} is now {values}", "before"
    )


def _slots(newer: Looked, older: Looked) -> Literal["equal", "different"] | None:
    """How the values of one slot compare; null where the slots or their parts differ in kind."""
    mine, theirs = newer.slot, older.slot
    if mine is None or theirs is None or mine.attribute != theirs.attribute:
        return None
    shared = [(mine.cores[part], theirs.cores[part]) for part in mine.cores if part in theirs.cores]
    if not shared:
        return None
    return "equal" if all(one <= other or other <= one for one, other in shared) else "different"


def _shown(words: frozenset[str]) -> str:
    return ", ".join(sorted(words)[:5])
