"""A store with plans laid over it answers as the store does once they are carried out: on both stores."""

from typing import Any

import pytest
from redis import Redis

from schemas.plan import Plan
from schemas.scope import Scope
from tests.build import uid
from tests.desk import Desk, desk
from tests.similarity import GivenSimilarities
from tests.worker.direct.nightly import FIRST_NIGHT, remember
from worker.adapters.apply import apply
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.groups.setting import Setting
from worker.core.planning.plan import plan
from worker.core.ports import Store
from worker.core.sleeping.company import queries_around
from worker.direct.foreseen import Foreseen
from worker.direct.holding import holding

TEXTS = tuple(f"Code E-{n % 3} is thing {n}" for n in range(12))
NEAR = {text: (TEXTS[0], 0.5 + at / 100) for at, text in enumerate(TEXTS) if at}
#: So near to each other that both stores go by their ids: the one with the lower id a little less near.
LOW, HIGH = sorted(TEXTS[10:12], key=uid)
ALIKE = GivenSimilarities(NEAR | {LOW: (TEXTS[0], 0.61), HIGH: (TEXTS[0], 0.610001)})


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (ALIKE.fingerprint, ALIKE.dimensions)


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    made = desk(store, redis_client, scope, ALIKE)
    for at, text in enumerate(TEXTS):
        slot = ("home", "HOME", None)[at % 3]
        remember(made, text, days=at, attribute=slot, subject="Ann" if at % 4 else "ann")
    return made


def merging(table: Desk, store: Any, name: str, texts: tuple[str, ...]) -> Plan:
    """What makes one of these."""
    records = {one.memory.text: one for one in store.memories(table.scope)}
    case = Candidacy((), (), tuple(records[text] for text in texts), ())
    members = case.memory_labels
    found = Groups(groups=(Group(why="w", members=members, relation="update"),), new=())
    setting = Setting(uid(name), table.scope, (), FIRST_NIGHT, "sleep")
    return plan(setting, case, found, {})


def answers(table: Desk, store: Any, pool: int) -> Any:
    records = list(store.memories(table.scope))
    found = [store.nominate(table.scope, [one], pool) for one in queries_around(records)]
    ids = [one.memory.id for one in records]
    return (
        records,
        list(store.memories(table.scope, [uid(text) for text in TEXTS[:4]])),
        [
            (one.by_slot, one.by_vector, one.by_identifier)
            for some in found
            for one in some.rankings
        ],
        [some.records for some in found],
        [list(store.archives(table.scope, id)) for id in ids],
        store.run(table.scope, uid("first")),
        store.run(table.scope, uid("nobody")),
    )


@pytest.mark.parametrize("pool", [1, 2, 3, 20])
def test_what_is_foreseen_is_what_comes(table: Desk, pool: int) -> None:
    foreseen = Foreseen(table.parts.store)
    assert answers(table, foreseen, pool) == answers(table, table.parts.store, pool)

    plans = [merging(table, foreseen, "first", TEXTS[:3])]
    foreseen.lay(plans[0])
    plans.append(merging(table, foreseen, "second", (TEXTS[2], *TEXTS[5:7])))
    foreseen.lay(plans[1])
    expected = answers(table, foreseen, pool)

    assert len(expected[0]) == len(TEXTS) - 4
    with holding(table.parts, table.scope, table.now) as held:
        for one in plans:
            apply(table.parts.store, one, held.lease)
    assert answers(table, table.parts.store, pool) == expected
