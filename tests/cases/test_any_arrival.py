"""Whatever order, however many at once and how often: what stands and what was before do not depend on arrival."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from redis import Redis

from bench.nights.arriving import Knowing
from bench.nights.oracle import Oracle
from bench.nights.state import seen
from bench.nights.world import FIRST_AT, SLOTS, Key, Told
from schemas.scope import Scope
from tests.desk import Desk, desk
from tests.effort import examples
from tests.worker.direct.writing import saying
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.core.judging.detectors import Judging
from worker.core.ports import Store
from worker.direct.remembering import remember
from worker.recall import earlier
from worker.rules.judgment import RuleJudgment

NAMES = ("home", "partner", "favourite colour")
EMBEDDER = HashedEmbedder()


@dataclass(frozen=True)
class Arrival:
    """Places of what is said, in the order of arrival, some more than once; and where a batch ends."""

    told: tuple[Told, ...]
    places: tuple[int, ...]
    ends: frozenset[int]

    @property
    def batches(self) -> list[list[int]]:
        found: list[list[int]] = [[]]
        for nth, place in enumerate(self.places):
            found[-1].append(place)
            if nth in self.ends:
                found.append([])
        return [batch for batch in found if batch]


def said(*values: tuple[str, int]) -> tuple[Told, ...]:
    """Slot and the place of its value, an hour apart."""
    found = []
    for hour, (name, nth) in enumerate(values):
        form, choices = SLOTS[name]
        text = form.format(who="Ana", value=choices[nth])
        at = FIRST_AT + timedelta(hours=hour)
        found.append(Told(Key("Ana", name), choices[nth], text, at))
    return tuple(found)


@st.composite
def arrivals(draw: st.DrawFn) -> Arrival:
    values = st.tuples(st.sampled_from(NAMES), st.integers(0, 2))
    told = said(*draw(st.lists(values, min_size=1, max_size=6)))
    order = draw(st.permutations(range(len(told))))
    again = draw(st.lists(st.sampled_from(range(len(told))), max_size=3))
    places = (*order, *again)
    ends = draw(st.frozensets(st.sampled_from(range(len(places)))))
    return Arrival(told, places, ends)


def arrival(told: Sequence[tuple[str, int]], *batches: Sequence[int]) -> Arrival:
    places = tuple(place for batch in batches for place in batch)
    lengths = [len(batch) for batch in batches]
    ends = frozenset(sum(lengths[: nth + 1]) - 1 for nth in range(len(lengths)))
    return Arrival(said(*told), places, ends)


MOVES = [("home", 0), ("home", 1), ("home", 2)]
TWO_LATE_AT_ONCE = arrival(MOVES, [2], [0, 1])
BACK_AGAIN = arrival([("home", 0), ("home", 1), ("home", 0)], [0], [1], [2])


@pytest.fixture
def embedding() -> tuple[str, int]:
    return EMBEDDER.fingerprint, EMBEDDER.dimensions


def judging(name: str, told: Sequence[Told]) -> Judging:
    if name == "oracle":
        return Judging(Oracle({one.text: one for one in told}))
    return Judging(RuleJudgment(EMBEDDER.same))


@pytest.mark.parametrize("channel", ["turns", "writes"])
@pytest.mark.parametrize("judge", ["rules", "oracle"])
@given(came=arrivals())
@example(came=TWO_LATE_AT_ONCE)
@example(came=BACK_AGAIN)
@settings(
    max_examples=examples(12),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_what_stands_and_what_was_before_do_not_depend_on_arrival(
    redis_client: Redis, sqlite_store: Store, judge: str, channel: str, came: Arrival
) -> None:
    scope = Scope(app="arrival", user=uuid4().hex)
    table = desk(sqlite_store, redis_client, scope, EMBEDDER)
    known = Knowing({one.text: one for one in came.told})
    table.parts = replace(table.parts, extraction=known, judging=judging(judge, came.told))
    for batch in came.batches:
        if channel == "turns":
            publish(table, came.told, batch)
        else:
            write(table, came.told, batch)
        table.now += timedelta(minutes=1)

    live = [one.memory for one in sqlite_store.memories(scope)]
    past = [one.memory for one in earlier(sqlite_store, scope)]
    assert [str(one) for one in seen(came.told, live, past).differences] == []


def publish(table: Desk, told: Sequence[Told], batch: Sequence[int]) -> None:
    for place in batch:
        one = told[place]
        table.say(one.text, one.at.isoformat(), speaker="Ana", id=str(place), conversation="c")
    table.settle()


def write(table: Desk, told: Sequence[Told], batch: Sequence[int]) -> None:
    statements = [
        saying(
            table,
            told[place].text,
            str(place),
            subject="Ana",
            attribute=told[place].key.name,
            said_at=told[place].at.isoformat(),
        )
        for place in batch
    ]
    remember(table.parts, table.scope, statements, table.now)
