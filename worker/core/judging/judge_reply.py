"""The shape of what a judge answers, and its labels read as the ones that were offered."""

import re
from typing import Any

from pydantic import model_validator

from worker.core.groups.judgment import Candidacy
from worker.core.reply_fields import Label, Labels, Nullable, Plain, Reply, Texts

NUMBER = re.compile(r"[0-9]{1,4}")


class GroupReply(Reply):
    """One group, the reason first."""

    why: Plain = ""
    members: Labels
    relation: Label
    drops: Texts = []
    text: Nullable = None
    after: Nullable = None


class JudgeReply(Reply):
    """An object without `groups` is refused, never read as "nothing in common"."""

    groups: list[GroupReply]
    new: Labels = []

    @model_validator(mode="before")
    @classmethod
    def _has_groups(cls, value: Any) -> Any:
        if isinstance(value, dict) and "groups" not in value:
            seen = ", ".join(f'"{key}"' for key in list(value)[:8]) or "no keys"
            raise ValueError(
                f'the reply has to be {{"groups": [...], "new": [...]}}; it has {seen}'
            )
        return value


def known_label(given: str, candidacy: Candidacy, beside: list[str]) -> str:
    """The label that is meant: `1` is `c1` where there is no `f1`, or `f1` stands beside it already."""
    if not NUMBER.fullmatch(given):
        return given
    counts = {"f": len(candidacy.facts), "c": len(candidacy.candidates)}
    number = int(given)
    meant = [f"{kind}{number}" for kind, count in counts.items() if 1 <= number <= count]
    meant = [one for one in meant if one not in beside]
    return meant[0] if len(meant) == 1 else given
