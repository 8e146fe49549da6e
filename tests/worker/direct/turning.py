"""A desk on whose scope things can be turned back, and what a store holds of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast
from uuid import UUID

from pydantic import BaseModel
from redis import Redis

from schemas.base import Vector
from schemas.keys import PartitionKeys
from schemas.memory import Fact, MemoryRecord
from schemas.plan import Plan, Run
from schemas.scope import Scope
from tests.build import fact, vector
from tests.desk import Desk, Judges, Says, desk
from tests.worker.core.ledger import Content, content
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.hearing.heard import Heard
from worker.core.judging.detectors import Judging
from worker.core.ports import Store

OSLO, BERGEN, TEA = "I live in Oslo", "I live in Bergen", "I drink tea"


@dataclass(frozen=True)
class ByName:
    """Vectors of `tests.build.vector`, under the fingerprint of the `embedding` fixture."""

    fingerprint: str = "tests_8"
    dimensions: int = 8
    floor: float = -1.0
    same: float = 0.999

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [vector(text) for text in texts]


def every_turn(heard: Heard) -> Sequence[Fact]:
    return [fact(one.text, turn_ids=(one.id,), said_at=one.said_at) for one in heard.turns]


def homes_replace_homes(case: Candidacy) -> Groups:
    """The newest home stands."""
    first = case.facts[0].text
    homes = tuple(
        label
        for label in case.memory_labels
        if case.candidate(label).memory.text.startswith("I live")
    )
    if not first.startswith("I live") or not homes:
        return Groups(groups=(), new=case.fact_labels)
    group = Group(why="moved", members=("f1", *homes), relation="contradict")
    return Groups(groups=(group,), new=())


def at_a_table(store: Store, client: Redis, scope: Scope, **options: Any) -> Desk:
    made = desk(store, client, scope, ByName(), **options)
    judging = Judging(Judges(homes_replace_homes), resolver="replace")
    made.parts = replace(made.parts, extraction=Says(every_turn), judging=judging)
    return made


def hear(table: Desk, text: str, day: int) -> Run:
    """One turn, consolidated alone; the run that did it."""
    answer = table.say(text, f"2026-05-{day:02}T09:00:00Z", id=text)
    assert answer.status == "accepted", answer
    (outcome,) = table.settle()
    run = table.parts.store.run(table.scope, cast("UUID", outcome.run))
    assert run
    return run


def contents(store: Store, scope: Scope) -> dict[UUID, Content]:
    """All that stands, but for what every write changes."""
    return {one.memory.id: content(one.memory, one.vector) for one in store.memories(scope)}


def state_of(table: Desk, run: UUID) -> str:
    found = table.parts.store.run(table.scope, run)
    return found.state if found else "unknown"


def everything(table: Desk) -> tuple[object, ...]:
    """Records, snapshots and runs, as JSON."""
    store, scope = table.parts.store, table.scope
    kept: list[BaseModel] = [*store.memories(scope), *store.archives(scope), *store.runs(scope)]
    return tuple(one.model_dump_json() for one in kept)


def expire(client: Redis, scope: Scope) -> None:
    """The lease of a process that died runs out."""
    if client.zscore(PartitionKeys(0).busy, scope.key) is not None:
        client.zadd(PartitionKeys(0).busy, {scope.key: 1})


def moved_to(
    scope: Scope, plan: Plan, records: Sequence[MemoryRecord]
) -> tuple[Plan, list[MemoryRecord]]:
    """A plan that was made for another scope, and what it was decided on, as if of this one."""
    old, new = f'"app":"{plan.scope.app}"', f'"app":"{scope.app}"'
    moved = Plan.model_validate_json(plan.model_dump_json().replace(old, new))
    return moved, [
        MemoryRecord.model_validate_json(one.model_dump_json().replace(old, new)) for one in records
    ]
