"""What a contestant hears, and leaves for those who come after. Steps and an embedder around those of the worker."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from pydantic import BaseModel

from schemas.base import Vector
from schemas.memory import Fact
from schemas.turn import Turn
from worker.core.hearing.forget_requests import asks_to_forget
from worker.core.hearing.heard import Found, Heard
from worker.core.ports import Embedder
from worker.core.step import Doubtful, Prompt, Step
from worker.core.texts.identifiers import identifiers


@dataclass(frozen=True)
class Verbatim:
    """Extraction that takes each turn of a person for one fact: then only judging is measured."""

    def ask(self, item: Heard) -> Sequence[Prompt]:
        return ()

    def read(self, item: Heard, replies: Sequence[BaseModel]) -> Found:
        persons = (turn for turn in item.turns if turn.role == "user" and not turn.automated)
        return Found(tuple(map(_as_it_is, persons)))


def _as_it_is(turn: Turn) -> Fact:
    who = turn.speaker or "user"
    return Fact(
        text=turn.text,
        subject=who,
        said_by=who,
        kind="forget" if asks_to_forget(turn.text) else "fact",
        turn_ids=(turn.id,),
        said_at=turn.said_at,
        identifiers=tuple(identifiers(turn.text)),
    )


@dataclass(frozen=True)
class Listening:
    """Extraction that leaves word of what it found, by the turns that it was asked about."""

    step: Step[Heard, Found]
    found: dict[tuple[UUID, ...], tuple[Fact, ...]] = field(default_factory=dict)

    def ask(self, item: Heard) -> Sequence[Prompt]:
        return self.step.ask(item)

    def read(self, item: Heard, replies: Sequence[BaseModel]) -> Found:
        key = tuple(turn.id for turn in item.turns)
        try:
            found = self.step.read(item, replies)
        except Doubtful as doubt:
            if isinstance(doubt.stands, Found):
                self.found[key] = doubt.stands.facts
            raise
        self.found[key] = found.facts
        return found

    @property
    def facts(self) -> tuple[Fact, ...]:
        """In the order of arrival."""
        return tuple(fact for facts in self.found.values() for fact in facts)


@dataclass
class Cached:
    """An embedder that is asked about each text once in a run, and how long that took.

    Everyone who comes later has its vectors for nothing, so the time of embedding counts against nobody.
    """

    asked: Embedder
    vectors: dict[str, Vector] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def fingerprint(self) -> str:
        return self.asked.fingerprint

    @property
    def dimensions(self) -> int:
        return self.asked.dimensions

    @property
    def floor(self) -> float:
        return self.asked.floor

    @property
    def same(self) -> float:
        return self.asked.same

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        began = time.perf_counter()
        if new := [text for text in dict.fromkeys(texts) if text not in self.vectors]:
            self.vectors.update(zip(new, self.asked.embed(new), strict=True))
        self.seconds += time.perf_counter() - began
        return [self.vectors[text] for text in texts]
