"""Who is compared, and what it comes to: one protocol, and the values of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from bench.quality.held import Held
from bench.quality.stream import Stream
from bench.quality.words import statement
from schemas.memory import Fact

#: What was found in each session.
Heard = Sequence[Sequence[Fact]]
#: Hears of progress: how many turns were just settled.
Tell = Callable[[int], None]


def silent(_turns: int) -> None:
    """Nobody waits."""


@dataclass(frozen=True)
class Costs:
    """What was asked of a model, and the time that it all took without embedding."""

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Costs") -> "Costs":
        return Costs(
            self.calls + other.calls, self.tokens + other.tokens, self.seconds + other.seconds
        )

    def __sub__(self, other: "Costs") -> "Costs":
        return self + Costs(-other.calls, -other.tokens, -other.seconds)


@dataclass(frozen=True)
class Look:
    """A store at one moment of its stream."""

    held: Held
    #: What extraction had found by then, each with its subject in front; requests to forget say nothing.
    statements: tuple[str, ...]
    #: For each question of the stream what comes up, the best first; at the end only, and where it is asked.
    hits: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Played:
    """What a contestant made of one stream."""

    #: One for each moment.
    looks: tuple[Look, ...]
    #: What it worked from.
    heard: Heard
    #: Null for a rule that asks nobody.
    costs: Costs | None = None
    #: Turns that it could not settle.
    parked: int = 0

    @property
    def held(self) -> Held:
        """In the end."""
        return self.looks[-1].held

    @property
    def facts(self) -> tuple[Fact, ...]:
        return tuple(fact for facts in self.heard for fact in facts)


class Contestant(Protocol):
    """Whoever keeps a store: it may read the turns itself, or start from the facts."""

    @property
    def name(self) -> str: ...

    #: Marks that it cannot have, as it keeps no account that they could be read from.
    @property
    def lacks(self) -> frozenset[str]: ...

    def play(self, stream: Stream, heard: Heard) -> Played: ...


def stated(heard: Heard, after: int) -> tuple[str, ...]:
    """What was found in the first sessions, as statements."""
    facts = (fact for facts in heard[:after] for fact in facts)
    return tuple(statement(one.subject, one.text) for one in facts if one.kind != "forget")
