"""Who is compared: one protocol, and the rules that need no judge.

Each of them is given the facts that the same extraction found, in the order of their arrival: only judging differs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from bench.quality.stream import Held, Kept, Past, Stream
from bench.quality.words import statement
from schemas.base import Vector
from schemas.memory import Fact
from worker.core.texts.words import normalised


@dataclass(frozen=True)
class Played:
    """What a contestant made of one stream."""

    held: Held
    #: What it worked from.
    facts: tuple[Fact, ...]
    #: What it asked of a model beyond what it was given.
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    #: Turns that it could not settle.
    parked: int = 0

    @property
    def statements(self) -> list[str]:
        """What is heard: requests to forget say nothing."""
        return [statement(one.subject, one.text) for one in self.facts if one.kind != "forget"]


class Contestant(Protocol):
    """Whoever keeps a store: it may read the turns itself, or start from the facts."""

    @property
    def name(self) -> str: ...

    def play(self, stream: Stream, facts: Sequence[Fact]) -> Played: ...


#: A fact and the live ones → places of those that it takes the place of.
About = Callable[[Fact, Sequence[Fact]], list[int]]


@dataclass(frozen=True)
class Rule:
    """Keeps every fact, but what it is about gives way: the later said stands, the other is history."""

    name: str
    about: About

    def play(self, stream: Stream, facts: Sequence[Fact]) -> Played:
        ledger = _Ledger()
        for fact in facts:
            ledger.hear(fact, self.about(fact, [one for _, one in ledger.live]))
        return Played(ledger.held(), tuple(facts))


@dataclass
class _Ledger:
    live: list[tuple[str, Fact]] = field(default_factory=list)
    past: list[Past] = field(default_factory=list)
    count: int = 0

    def hear(self, fact: Fact, places: Sequence[int]) -> None:
        """A request to forget removes what it is about, and leaves no history of it."""
        found = [self.live[place] for place in places]
        self.live = [one for one in self.live if one not in found]
        if fact.kind == "forget":
            return
        self.count += 1
        among = [*found, (str(self.count), fact)]
        newest = max(reversed(among), key=lambda one: one[1].said_at)
        self.live.append(newest)
        for id, older in among:
            if (id, older) != newest:
                text = statement(older.subject, older.text)
                self.past.append(Past(id, text, older.said_at, newest[0]))

    def held(self) -> Held:
        live = (Kept(id, statement(one.subject, one.text)) for id, one in self.live)
        return Held(tuple(live), tuple(self.past))


def add_only() -> Rule:
    return Rule("add only", lambda _fact, _live: [])


def same_slot() -> Rule:
    """The same subject and attribute, as extraction names them, or the same words."""

    def about(fact: Fact, live: Sequence[Fact]) -> list[int]:
        words = normalised(fact.text)
        return [
            place
            for place, one in enumerate(live)
            if (fact.slot and fact.slot == one.slot) or normalised(one.text) == words
        ]

    return Rule("same slot", about)


def newest_wins(least: float, vectors: Mapping[str, Vector]) -> Rule:
    """The nearest live fact gives way where its cosine is high enough; `vectors` has every fact's text."""
    known = {text: np.frombuffer(vector, dtype="<f4") for text, vector in vectors.items()}

    def about(fact: Fact, live: Sequence[Fact]) -> list[int]:
        if not live:
            return []
        near = np.array([known[one.text] for one in live]) @ known[fact.text]
        best = int(near.argmax())
        return [best] if near[best] >= least else []

    return Rule(f"cosine {least:g}", about)
