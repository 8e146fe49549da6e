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
from worker.core.finding.candidates import Reach, candidacy, queries
from worker.core.finding.vectors import cosines
from worker.core.groups.judgment import Candidacy, Groups
from worker.core.groups.setting import Setting
from worker.core.hearing.heard import Heard
from worker.core.judging.gate import gate
from worker.core.planning.plan import new_texts, plan
from worker.core.ports import Embedder, Nominated, Nominations, Query
from worker.core.texts.words import terms
from worker.rules.extraction import RuleExtraction
from worker.rules.judgment import RuleJudgment

SCOPE = Scope(app="tests", user="rules")


def turn(
    text: str,
    said_at: str = "2026-02-01T10:00:00+00:00",
    role: Role = "user",
    speaker: str | None = None,
    nth: int = 0,
) -> Turn:
    at = datetime.fromisoformat(said_at)
    id = turn_id_of_place(SCOPE.key, "c", role, speaker, text + said_at, nth)
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
        item = self._candidacy(facts, turns[-1].received_at)
        gated = gate(item)
        groups = gated.joined(RuleJudgment(self.embedder.same).read(gated.rest, ()))
        self.judged.append((item, groups))
        texts = new_texts(item, groups)
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

    def _candidacy(self, facts: Sequence[Fact], now: datetime) -> Candidacy:
        vectors = self.embedder.embed([fact.text for fact in facts])
        asked = queries(facts, vectors)
        nominations = Nominations(tuple(self._nominated(query) for query in asked), {**self.live})
        return candidacy(facts, vectors, nominations, Reach(self.embedder.floor), now)

    def _nominated(self, query: Query) -> Nominated:
        """The rankings of a store, in memory."""
        records = sorted(self.live.values(), key=lambda record: str(record.memory.id))
        near = cosines([query.vector or b""], [record.vector for record in records])
        words = [len({*query.terms} & {*terms(record.memory.text)}) for record in records]
        ids = [record.memory.id for record in records]
        return Nominated(
            by_slot=tuple(
                r.memory.id for r in records if query.slot and r.memory.slot == query.slot
            ),
            by_vector=tuple(ids[at] for at in np.argsort(-near[0], kind="stable")) if ids else (),
            by_words=tuple(
                ids[at] for at in np.argsort([-n for n in words], kind="stable") if words[at]
            ),
            by_identifier=tuple(
                r.memory.id for r in records if {*query.identifiers} & {*r.memory.identifiers}
            ),
        )

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
