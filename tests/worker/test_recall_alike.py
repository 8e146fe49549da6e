"""The same memories asked the same are told the same, whichever store has them."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from deploy.weaviate_process import Server
from schemas.memory import Memory, MemoryRecord
from schemas.scope import Scope
from tests.build import NOW, at, memory, uid
from tests.hold import HELD
from tests.weaviate_service import opened
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.core.ports import Store
from worker.core.recalling.answer import Answer
from worker.core.recalling.ask import Ask, Budget, Filters
from worker.recall import recall

EMBEDDER = HashedEmbedder()
#: Few, so that much is equally far from everything.
WORDS = "tea coffee boat Oslo Bergen Ann order QX-181 QX-182 drinks lives 猫 чай has no not".split()
KINDS = ("fact", "preference", "plan")
MANY = 40


def any_memory(dice: random.Random, scope: Scope, nth: int) -> Memory:
    return memory(
        " ".join(dice.choices(WORDS, k=dice.randint(1, 6))),
        id=uid(f"memory {nth}"),
        scope=scope,
        kind=dice.choice(KINDS),
        subject=dice.choice(("user", "Ann", "ANN")),
        volatile=dice.random() < 0.3,
        said_at=at(-dice.choice((1, 1, 30, 90))),
        tags=tuple(dice.sample(("work", "home"), dice.randint(0, 2))),
        links=tuple(uid(f"memory {dice.randrange(MANY)}") for _ in range(dice.randint(0, 1))),
        uses=dice.choice((0, 0, 7)),
        until=dice.choice((None, None, None, at(-1), at(1))),
        pinned=dice.random() < 0.1,
    )


def any_ask(dice: random.Random) -> Ask:
    given: dict[str, Any] = {
        "limit": dice.choice((1, 5, 20)),
        "pool": dice.choice((MANY, 100)),
        "fusion": dice.choice(("weighted", "rrf")),
        "mmr": dice.choice((None, 0.0, 0.5, 1.0)),
        "near_copy": dice.choice((None, 2.0)),
        "floor": dice.choice((None, 0.2)),
        "follow_links": dice.random() < 0.3,
        "group_by": dice.choice((None, "subject", "kind", "turn")),
        "shown": any_shown(dice),
        "budget": Budget(characters=dice.choice((None, 60))),
        "filters": Filters(
            kinds=frozenset(dice.sample(KINDS, dice.choice((0, 0, 1)))),
            tags=frozenset(dice.sample(("work", "home"), dice.choice((0, 0, 1)))),
            subjects=frozenset(dice.sample(("ann",), dice.choice((0, 0, 1)))),
        ),
    }
    queries = (" ".join(dice.choices(WORDS, k=3)) for _ in range(dice.choice((0, 1, 1, 2))))
    return Ask(tuple(queries), **given)


def any_shown(dice: random.Random) -> dict[UUID, int]:
    some = dice.sample(range(MANY + 5), dice.choice((0, 0, 15)))
    return {uid(f"memory {nth}"): dice.choice((1, 1, 2)) for nth in some}


@contextmanager
def filled(url: str, memories: list[Memory]) -> Iterator[Store]:
    with contextmanager(opened)(url, (EMBEDDER.fingerprint, EMBEDDER.dimensions)) as store:
        put(store, memories)
        yield store


def put(store: Store, memories: list[Memory]) -> None:
    writer = store.writer(memories[0].scope, HELD)
    writer.prepare()
    vectors = EMBEDDER.embed([one.text for one in memories])
    writer.put_memories(
        [
            MemoryRecord(memory=one, vector=vector)
            for one, vector in zip(memories, vectors, strict=True)
        ]
    )


def told(found: Answer) -> list[Any]:
    return [
        [(one.memory.id, one.score, one.state, dict(one.terms.parts)) for one in found.items],
        [(one.memory.id, one.stage, one.why) for one in found.left_out],
        found.withdrawn,
        found.degraded,
    ]


@pytest.mark.parametrize("seed", range(2))
def test_both_stores_tell_the_same(
    weaviate_server: Server, tmp_path: Path, scope: Scope, seed: int
) -> None:
    dice = random.Random(seed)  # noqa: S311 - no secret
    memories = [any_memory(dice, scope, nth) for nth in range(MANY)]
    with (
        filled(f"sqlite:///{tmp_path / 'memory.db'}", memories) as one,
        filled(f"{weaviate_server.url}&prefix=Talike", memories) as other,
    ):
        for _ in range(20):
            ask = any_ask(dice)
            answers = [told(recall(store, EMBEDDER, scope, ask, NOW)) for store in (one, other)]
            assert answers[0] == answers[1], ask
