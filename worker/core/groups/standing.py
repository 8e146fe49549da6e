"""Which words stand for things that were called the same, so that no detail of any gets lost."""

from collections.abc import Sequence
from functools import cache

from schemas.memory import Statement
from worker.core.groups.guard import Reader, denied, details, invented, lost, opposed
from worker.core.groups.saying import missing


def standing(members: Sequence[Statement], *choices: str | None) -> str | None:
    """The first choice that says what all members say, and nothing else; null where none does."""
    read: Reader = cache(details)
    texts = dict.fromkeys(filter(None, choices))
    return next((text for text in texts if not faults(members, text, read)), None)


def fullest(members: Sequence[Statement], *choices: str | None) -> str | None:
    """Of the choices that `standing` might take the first that lacks the fewest words of the members."""
    read: Reader = cache(details)
    texts = dict.fromkeys(filter(None, choices))
    faithful = [text for text in texts if not faults(members, text, read)]
    return min(faithful, key=lambda text: _lacking(members, text), default=None)


def _lacking(members: Sequence[Statement], text: str) -> int:
    return sum(len(missing(one.text, text, one.subject)) for one in members)


def faults(members: Sequence[Statement], text: str, read: Reader = details) -> list[str]:
    """In what a text differs from what the members say, in words."""
    found = [f"it lacks {one}" for one in lost(members, [text], read)]
    found += [f"no member says {one}" for one in invented(members, [text], read)]
    found += [f"a member says the contrary of {one}" for one in denied(members, text, read)]
    found += [f"not all members are averse as in {one}" for one in opposed(members, read)]
    return found + _times_apart(members)


def _times_apart(members: Sequence[Statement]) -> list[str]:
    """Times at which they happened that cannot be one, be it less exactly told."""
    times = sorted({one.happened_at for one in members if one.happened_at}, key=len)
    exact = times[-1] if times else ""
    return [] if all(exact.startswith(time) for time in times) else [f"it happened at {times}"]
