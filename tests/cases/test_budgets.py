"""A large memory and a small budget: what is asked has bounds that do not grow with the store."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from redis import Redis

from schemas.memory import MemoryRecord
from schemas.scope import Scope
from schemas.tokens import estimate
from tests.build import memory, uid
from tests.cases.talk import found
from tests.cases.verdicts import Judge, Thing
from tests.desk import Desk, desk, scripted
from tests.hold import HELD
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.core.ports import Store
from worker.errors import OverBudget

EMBEDDER = HashedEmbedder()
TWIN, AGAIN = "Waters the beans at six every morning", "Beans get their water at 6 am daily"
GARDEN = "garden soil compost seed bed prune mulch graft hoe weed trellis row frost glass".split()


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (EMBEDDER.fingerprint, EMBEDDER.dimensions)


def long_memories(many: int) -> Iterator[str]:
    """Some 400 tokens each, about a garden and its beans."""
    for n in range(many):
        words = (f"{GARDEN[(n * 7 + at) % len(GARDEN)]}{(n + at) % 97}" for at in range(150))
        yield f"Note {n} on beans, water and mornings: {' '.join(words)}"


@pytest.fixture
def garden(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    """Among 600 long memories the one that says the same."""
    texts = [TWIN, *long_memories(599)]
    writer = store.writer(scope, HELD)
    writer.prepare()
    for at in range(0, len(texts), 500):
        part = texts[at : at + 500]
        writer.put_memories(
            [
                MemoryRecord(
                    memory=memory(text, scope=scope, id=uid(f"{scope.key} {text}")), vector=vector
                )
                for text, vector in zip(part, EMBEDDER.embed(part), strict=True)
            ]
        )
    return desk(store, redis_client, scope, EMBEDDER)


def test_the_twin_is_found_in_a_large_memory_by_one_call_of_bounded_size(garden: Desk) -> None:
    judge = Judge({"I water them.": [found(AGAIN)]}, [Thing((AGAIN, TWIN), "same")])
    with scripted(garden, judge, judge_tokens=1_500, top_k=20) as model:
        garden.say("I water them.", "2026-06-01T06:30:00Z")
        garden.settle()

    (document,) = [one for one in model.documents if "candidates" in one]
    assert model.calls == {"extraction": 1, "batchwise": 1}
    assert TWIN in [one["text"] for one in document["candidates"]]
    assert sum(estimate(one["text"]) for one in document["candidates"]) < 1_500
    assert garden.parts.store.count(garden.scope) == 600
    assert TWIN not in garden.live()
    assert len(garden.live()[AGAIN].turn_ids) == 2


def facts_of(number: Iterator[int]) -> Any:
    """A model that finds a new fact in every turn."""

    def script(job: str, document: dict[str, Any]) -> dict[str, Any]:
        if job == "extraction":
            return {
                "facts": [
                    {**found(f"Fact number {next(number)}"), "turns": [turn["id"]]}
                    for turn in document["turns"]
                ]
            }
        return {"groups": [], "new": [one["id"] for one in document["facts"]]}

    return script


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    return desk(store, redis_client, scope, EMBEDDER)


def test_a_scope_over_its_budget_waits_and_loses_nothing(table: Desk) -> None:
    with scripted(table, facts_of(count()), daily_calls=2) as model:
        for hour in range(3):
            table.say(f"Something {hour}", f"2026-06-01T0{hour}:00:00Z")
            if hour < 2:
                table.settle()
        with pytest.raises(OverBudget) as caught:
            table.settle()
        spent = dict(model.calls)

    assert sum(spent.values()) >= 2
    assert 0 < (caught.value.after_seconds or 0) <= 86_400
    assert str(table.scope.user) not in str(caught.value)
    assert len(table.parts.inbox.pending(table.scope.key)) == 1


def test_what_failed_is_counted_as_well(table: Desk) -> None:
    with scripted(table, lambda job, document: "no JSON at all", daily_calls=3):
        table.say("Something", "2026-06-01T00:00:00Z")
        with pytest.raises(Exception, match="JSON"):
            table.settle()

    spent = table.parts.spending.spent(str(table.scope.key))
    assert spent.calls == 3


def test_without_a_budget_nothing_is_counted(table: Desk) -> None:
    with scripted(table, facts_of(count())):
        table.say("Something", "2026-06-01T00:00:00Z")
        table.settle()

    assert table.parts.spending.spent(str(table.scope.key)).calls == 0
