"""Which words stand for things that were called the same, so that no detail of any gets lost."""

from collections.abc import Sequence
from functools import cache

from schemas.memory import Statement
from worker.core.groups.guard import Reader, denied, details, invented, lost, opposed
from worker.core.groups.saying import is_poorer, missing, says


def standing(members: Sequence[Statement], *choices: str | None) -> str | None:
    """The first choice that says what all members say, and nothing else; null where none does."""
    read: Reader = cache(details)
    texts = dict.fromkeys(filter(None, choices))
    return next((text for text in texts if not faults(members, text, read)), None)


def told_again(
    members: Sequence[Statement],
    facts: Sequence[Statement],
    stood: Statement | None,
    text: str | None,
) -> str | None:
    """Of what was just said again: the first faithful words that say the newest member and, if any do, all facts.

    To choose from are the words that stood, the judge's text and the members' own, these newest first. What is far
    poorer than the words that stood never takes their place: they stay where the newest member is that, and no others
    say it. Null where no words will do.
    """
    read: Reader = cache(details)
    newest = members[0]
    words = (stood.text if stood else None, text, *(member.text for member in members))
    choices = dict.fromkeys(one for one in words if one)
    faithful = [one for one in choices if not faults(members, one, read)]
    fresh = [one for one in faithful if _tells(one, newest) and not _impoverishes(one, stood)]
    whole = [one for one in fresh if all(_tells(one, fact) for fact in facts)]
    kept = faithful if _impoverishes(newest.text, stood) else []
    return next(iter((*whole, *fresh, *kept)), None)


def _tells(text: str, one: Statement) -> bool:
    return says(text, one.text, one.subject)


def _impoverishes(text: str, stood: Statement | None) -> bool:
    return stood is not None and is_poorer(text, stood.text, stood.subject)


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
