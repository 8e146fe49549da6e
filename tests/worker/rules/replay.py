"""Conversations through extraction, candidates, judgment and plan, into a store that is a dict."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

import numpy as np

from schemas.ids import turn_id_of_place
from schemas.memory import Archive, Fact, Memory, MemoryRecord
from schemas.plan import Add, Confirm, File, Plan, Retire, Revise
from schemas.scope import Scope
from schemas.turn import Role, Turn
from worker.core.current import current
from worker.core.heard import Heard
from worker.core.judgment import Candidacy, Groups
from worker.core.plan import Setting, new_texts, plan
from worker.core.ports import Embedder
from worker.core.words import content_words
from worker.rules.extraction import RuleExtraction
from worker.rules.judgment import RuleJudgment

SCOPE = Scope(app="tests", user="rules")
TOP_K = 8


def turn(
    text: str,
    said_at: str = "2026-02-01T10:00:00+00:00",
    role: Role = "user",
    speaker: str | None = None,
    nth: int = 0,
) -> Turn:
    at = datetime.fromisoformat(said_at)
    id = turn_id_of_place(SCOPE.key, "c", role, speaker, text + said_at, nth)  # noqa: A001
    return Turn(
        id=id,
        scope=SCOPE,
        conversation="c",
        role=role,
        speaker=speaker,
        text=text,
        said_at=at,
        received_at=at,
    )


def facts_of(*turns: Turn) -> tuple[Fact, ...]:
    return RuleExtraction().read(Heard(turns), ()).facts


@dataclass
class Replay:
    """One scope; `hear` consolidates a batch, as the pipeline does with a store."""

    embedder: Embedder
    live: dict[UUID, MemoryRecord] = field(default_factory=dict)
    archives: list[Archive] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    #: Every judgment with what it was about, for tests of its rules.
    judged: list[tuple[Candidacy, Groups]] = field(default_factory=list)

    def hear(self, *turns: Turn) -> Plan:
        facts = RuleExtraction().read(Heard(turns, slots=self._slots()), ()).facts
        item = self._candidacy(facts)
        groups = RuleJudgment(self.embedder.same).read(item, ())
        self.judged.append((item, groups))
        texts = new_texts(groups)
        vectors = dict(zip(texts, self.embedder.embed(texts), strict=True))
        number = len(self.plans)
        made = plan(
            Setting(UUID(int=number), SCOPE, turns, turns[-1].received_at), item, groups, vectors
        )
        self.plans.append(made)
        self._apply(made)
        return made

    def texts(self) -> list[str]:
        return sorted(record.memory.text for record in self.live.values())

    def memories(self) -> list[Memory]:
        return [record.memory for record in self.live.values()]

    def _slots(self) -> tuple[tuple[str, str], ...]:
        return tuple(memory.slot for memory in self.memories() if memory.slot)

    def _candidacy(self, facts: Sequence[Fact]) -> Candidacy:
        vectors = self.embedder.embed([fact.text for fact in facts])
        records = sorted(self.live.values(), key=lambda record: str(record.memory.id))
        labels = [f"f{at + 1}" for at in range(len(facts))] + [
            f"c{at + 1}" for at in range(len(records))
        ]
        statements = [*facts, *(record.memory for record in records)]
        rows = np.array([np.frombuffer(vector, "<f4") for vector in
                         (*vectors, *(record.vector for record in records))])  # fmt: skip
        cosines: dict[tuple[str, str], float] = {}
        offered = []
        for at, fact in enumerate(facts):
            scores = rows @ rows[at]
            near: list[tuple[float, str]] = []
            for place, (label, other) in enumerate(zip(labels, statements, strict=True)):
                if place != at and self._nominated(fact, other, float(scores[place])):
                    cosines[labels[at], label] = float(scores[place])
                    near.append((float(scores[place]), label))
            offered.append(tuple(label for _, label in sorted(near, reverse=True)[:TOP_K]))
        return Candidacy(tuple(facts), tuple(vectors), tuple(records), tuple(offered), cosines)

    def _nominated(self, fact: Fact, other: Fact | Memory, cosine: float) -> bool:
        if fact.subject != other.subject:
            return False
        by_slot = fact.slot is not None and fact.slot == other.slot
        by_words = len(content_words(fact.text) & content_words(other.text)) > 0
        return by_slot or by_words or cosine >= self.embedder.floor

    def _apply(self, made: Plan) -> None:
        for change in made.changes:
            match change:
                case Add() | Confirm():
                    self.live[change.record.memory.id] = change.record
                case Revise():
                    self.live[change.record.memory.id] = change.record
                    self.archives.append(change.archive.archive)
                case Retire():
                    del self.live[change.archive.archive.memory.id]
                    self.archives.append(change.archive.archive)
                case File():
                    self.archives.append(change.archive.archive)


def after(memory: Memory, days: int) -> str | None:
    """What stands some days after the memory was said."""
    found = current(memory, memory.said_at + timedelta(days=days))
    return found.text if found else None


def in_batches(turns: Iterable[Turn], size: int) -> Iterable[tuple[Turn, ...]]:
    pending = list(turns)
    for start in range(0, len(pending), size):
        yield tuple(pending[start : start + size])
