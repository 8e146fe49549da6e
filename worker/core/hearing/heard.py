"""What extraction is given and what it finds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from schemas.memory import Fact
from schemas.tokens import estimate
from schemas.turn import Turn


@dataclass(frozen=True)
class Heard:
    """Turns to learn from, with what was said just before as context only.

    Labels count through both: `t1…` are the context turns, then come the batch's own.
    """

    turns: tuple[Turn, ...]
    context: tuple[Turn, ...] = ()
    #: (subject, attribute) pairs already in use in this scope, so that the same thing keeps its name.
    slots: tuple[tuple[str, str], ...] = ()
    #: Days that something said to be temporary lasts if no end is named.
    overlay_days: int = 14
    remember_assistant: bool = False
    #: The operator's own words to the model for this app: what to remember, what never to.
    instructions: str = ""
    #: Turn id → what was taken out of its text (recalled, quoted, code): what only stands there is no fact.
    cut: Mapping[UUID, str] = field(default_factory=dict)
    #: Tokens of turns that one call may hold: what is longer is asked about in several.
    window: int = 6_000
    #: Tokens of one text.
    count: Callable[[str], int] = estimate
    #: Texts of near memories, not to be repeated; null where a judge compares.
    known: tuple[str, ...] | None = None

    @property
    def labelled(self) -> dict[str, Turn]:
        return {f"t{at}": turn for at, turn in enumerate((*self.context, *self.turns), start=1)}


@dataclass(frozen=True)
class Found:
    """Facts, and for what was left out the reason and how often."""

    facts: tuple[Fact, ...]
    dropped: dict[str, int] = field(default_factory=dict)
