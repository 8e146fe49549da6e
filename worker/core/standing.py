"""Which words stand for things that were called the same, so that no detail of any gets lost."""

from collections.abc import Sequence

from schemas.memory import Statement
from worker.core.guard import lost


def standing(members: Sequence[Statement], *choices: str | None) -> str | None:
    """The first choice that has every detail of all members; nothing where each would lose one."""
    return next((text for text in choices if text and not lost(members, [text])), None)
