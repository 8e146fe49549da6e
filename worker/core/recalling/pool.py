"""What an answer is chosen from, as one value that each stage takes and gives."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import fsum
from typing import Literal, NamedTuple

from schemas.base import Vector
from schemas.memory import Memory

#: What leaves a memory out of an answer.
StageName = Literal["filter", "floor", "code", "copy", "shown", "limit", "budget"]

#: Decimals of a score: sums in another order, or another processor's arithmetic, make no difference.
DECIMALS = 6


class Signal(NamedTuple):
    """How a memory fits one query."""

    #: −1 to 1; null where there are no two vectors to compare.
    cosine: float | None
    #: 1 for the best of the pool, 0 without a common word.
    bm25: float
    #: Share of the query's identifiers that it has, 0 to 1.
    codes: float


@dataclass(frozen=True)
class Entry:
    """A memory that may answer, with what is known of its fitness so far."""

    memory: Memory
    vector: Vector = b""
    #: Whether it is history.
    superseded: bool = False
    #: Whether an earlier version of it was shown, which makes it news whatever the question.
    is_correction: bool = False
    #: For each query.
    signals: tuple[Signal, ...] = ()
    #: Place of the query that it fits best.
    fits: int = 0
    #: What each term adds to the score.
    parts: Mapping[str, float] = field(default_factory=dict)
    score: float = 0.0

    def scored(self, parts: Mapping[str, float], fits: int | None = None) -> "Entry":
        """With these parts, and their sum as its score."""
        # Not `replace`, which takes several times as long for each of a pool.
        return Entry(
            self.memory,
            self.vector,
            self.superseded,
            self.is_correction,
            self.signals,
            self.fits if fits is None else fits,
            parts,
            round(fsum(parts.values()), DECIMALS),
        )

    def lifted(self, name: str, score: float) -> "Entry":
        """With at least this score, the difference under a name of its own."""
        if score <= self.score:
            return self
        return self.scored({**self.parts, name: score - fsum(self.parts.values())})


@dataclass(frozen=True)
class LeftOut:
    """A memory that is not told, and why."""

    memory: Memory
    stage: StageName
    why: str


@dataclass(frozen=True)
class Pool:
    """Who is still to be chosen from, in order, and who was left out, in order of leaving."""

    entries: tuple[Entry, ...]
    left_out: tuple[LeftOut, ...] = ()

    def with_entries(self, entries: Iterable[Entry]) -> "Pool":
        return Pool(tuple(entries), self.left_out)

    def sifted(self, stage: StageName, why: Callable[[Entry], str | None]) -> "Pool":
        """Without those for which there is a reason, in the order of the entries."""
        kept: list[Entry] = []
        gone = list(self.left_out)
        for entry in self.entries:
            reason = why(entry)
            if reason is None:
                kept.append(entry)
            else:
                gone.append(LeftOut(entry.memory, stage, reason))
        return Pool(tuple(kept), tuple(gone))


#: From a pool to what is left of it, or to another order.
Stage = Callable[[Pool], Pool]


def best_first(entries: Iterable[Entry]) -> list[Entry]:
    """By falling score, ties by what was said last, then by id."""
    return sorted(
        entries,
        key=lambda one: (-one.score, -one.memory.said_at.timestamp(), *identity(one)),
    )


def identity(entry: Entry) -> tuple[int, int]:
    """A memory's id and version as numbers: ids are compared by themselves very slowly."""
    return entry.memory.id.int, entry.memory.version
