"""What a source of turns is. One more (Kafka, SQS) is a class of this shape and its scheme in `opening.py`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True)
class Delivery:
    """One turn on its way in."""

    #: Tells it from every other one of its source.
    id: str
    #: The fields of a turn on a line, not checked; `None` where they cannot be read.
    turn: Mapping[str, object] | None = None
    #: Why they cannot be read.
    problem: str = ""
    #: When the source got it, which is when it was published; `None` where the source does not know.
    published_at: datetime | None = None
    #: An earlier run has settled it: it counts for the ids of equal ones behind it, and nothing else.
    known: bool = False


class Source(Protocol):
    """Gives deliveries at least once, and is told what became of each.

    What it was told nothing about it gives again, to this process or another. Every method raises `Unavailable`
    where the source is out of reach, `Misconfigured` where it cannot serve.
    """

    @property
    def unit(self) -> str:
        """What one delivery is called."""
        ...

    @property
    def aside(self) -> str | None:
        """Where refused ones are put; `None` where they stay in their place."""
        ...

    def take(self, most: int, seconds: float) -> Sequence[Delivery] | None:
        """The next ones, as soon as there are any; none after `seconds`. `None` once it has come to its end."""
        ...

    def settle(self, deliveries: Sequence[Delivery]) -> None:
        """They are in: acknowledge them."""
        ...

    def refuse(self, delivery: Delivery, reason: str) -> None:
        """It is no turn and never will be: put it aside, then acknowledge it."""
        ...

    def keep(self, deliveries: Sequence[Delivery]) -> None:
        """They are still being tried: nobody else shall get them meanwhile."""
        ...

    def leave(self, deliveries: Sequence[Delivery]) -> None:
        """They are not tried any more: whoever asks next gets them."""
        ...

    def close(self) -> None: ...
