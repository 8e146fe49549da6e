"""The story of a batch on both stores: what a crash, a replay or a second delivery leaves."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast
from uuid import UUID

import pytest
from redis import Redis

from schemas.memory import Fact
from schemas.scope import Scope
from tests.build import fact
from tests.desk import Desk, Judges, Says, desk
from tests.similarity import GivenSimilarities
from worker.adapters.inbox import Inbox
from worker.core.heard import Heard
from worker.core.judgment import Candidacy, Group, Groups
from worker.core.ports import Store
from worker.errors import LeaseLost, PlanConflict
from worker.pipeline import consolidate

SEATTLE, AUSTIN = "User lives in Seattle", "User lives in Austin"
NEAR = GivenSimilarities({AUSTIN: (SEATTLE, 0.9)})


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (NEAR.fingerprint, NEAR.dimensions)


def every_turn_is_a_fact(heard: Heard) -> Iterable[Fact]:
    return (fact(turn.text, turn_ids=(turn.id,), said_at=turn.said_at) for turn in heard.turns)


def each_fact_replaces_its_candidates(case: Candidacy) -> Groups:
    groups, new, used = [], [], set[str]()
    for at, offered in enumerate(case.offered):
        label, free = f"f{at + 1}", [one for one in offered if one[0] == "c" and one not in used]
        used |= set(free)
        text = f"{case.facts[at].text}, not {case.candidate(free[0]).memory.text}" if free else None
        if free:
            groups.append(
                Group(why="moved", members=(label, *free), relation="contradict", text=text)
            )
        else:
            new.append(label)
    return Groups(groups=tuple(groups), new=tuple(new))


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    made = desk(store, redis_client, scope, NEAR, lease_seconds=0.3)
    made.parts = replace(
        made.parts,
        extraction=Says(lambda heard: tuple(every_turn_is_a_fact(heard))),
        judge=Judges(each_fact_replaces_its_candidates),
    )
    return made


class Killed(BaseException):
    """Stands for kill -9: nothing that runs afterwards may be relied on."""


@dataclass
class Fragile:
    """Anything whose nth call kills the process, before or after it is carried out."""

    real: Any
    calls_left: int
    after: bool

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self.real, name)
        if not callable(attribute) or name.startswith("_"):
            return attribute

        def call(*args: Any, **kwargs: Any) -> Any:
            self.calls_left -= 1
            if self.calls_left == 0 and not self.after:
                raise Killed
            result = attribute(*args, **kwargs)
            if self.calls_left == 0:
                raise Killed
            return result

        return call


def crash_at(table: Desk, part: str, nth: int, *, after: bool) -> bool:
    """Consolidate with a part that dies at its nth call; false once there is no such call."""
    whole, claim = table.parts, table.claim()
    fragile = Fragile(getattr(whole, part), nth, after)
    table.parts = replace(whole, **{part: cast("Any", fragile)})
    try:
        consolidate(table.parts, claim, table.now)
    except Killed:
        return True
    finally:
        table.parts = whole
    return False


def expire(table: Desk) -> None:
    """Settle what is left once the dead worker's lease has run out."""
    while not table.parts.inbox.idle():
        table.settle()


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("part", ["store", "inbox"])
def test_a_crash_at_any_call_loses_nothing_and_doubles_nothing(
    table: Desk, part: str, after: bool
) -> None:
    nth = 0
    crashed = True
    while crashed:
        nth += 1
        table.scope = Scope(app=table.scope.app, user=f"{part} {nth} {after}")
        table.say(SEATTLE, "2026-01-01T10:00:00Z")
        table.settle()
        table.say(AUSTIN, "2026-02-01T10:00:00Z")
        table.say("User has a cat", "2026-02-01T10:01:00Z")

        crashed = crash_at(table, part, nth, after=after)
        expire(table)

        assert set(table.live()) == {f"{AUSTIN}, not {SEATTLE}", "User has a cat"}
        assert [archive.memory.text for archive in table.archives()] == [SEATTLE]
        assert {run.state for run in table.runs()} == {"applied"}
    assert nth > 3, "the crash points were reached"


def test_a_replay_asks_no_model_and_makes_the_very_same_records(table: Desk) -> None:
    asked = []

    def counted(heard: Heard) -> Sequence[Fact]:
        asked.append(heard)
        return tuple(fact(f"try {len(asked)}", turn_ids=(turn.id,)) for turn in heard.turns)

    table.parts = replace(table.parts, extraction=Says(counted))
    table.say("hello", "2026-01-01T10:00:00Z")

    assert crash_at(table, "store", 8, after=False) or crash_at(table, "store", 6, after=False)
    expire(table)

    assert len(asked) == 1
    assert set(table.live()) == {"try 1"}


def test_a_turn_that_a_run_has_settled_changes_nothing_however_late_it_comes_again(
    table: Desk, redis_client: Redis
) -> None:
    table.say(SEATTLE, "2026-01-01T10:00:00Z", id="e1")
    table.settle()
    before = table.live()

    redis_client.flushall()
    table.say(SEATTLE, "2026-01-01T10:00:00Z", id="e1")
    (outcome,) = table.settle()

    assert outcome.run is None
    assert table.live() == before


def test_a_run_left_open_is_finished_even_if_redis_lost_its_plan(
    table: Desk, redis_client: Redis
) -> None:
    table.say(SEATTLE, "2026-01-01T10:00:00Z")
    nth = 1
    while not table.parts.store.open_runs(table.scope):
        redis_client.flushall()
        table.say(SEATTLE, "2026-01-01T10:00:00Z")
        crash_at(table, "store", nth, after=True)
        nth += 1

    redis_client.flushall()
    table.say("User has a cat", "2026-02-01T10:00:00Z")
    table.settle()

    assert set(table.live()) == {SEATTLE, "User has a cat"}
    assert {run.state for run in table.runs()} == {"applied"}


def test_a_worker_whose_lease_ran_out_writes_nothing_more(table: Desk) -> None:
    table.say(SEATTLE, "2026-01-01T10:00:00Z")
    claim = table.claim()

    def slow(heard: Heard) -> Sequence[Fact]:
        while table.parts.inbox.claim() is None:
            pass
        return tuple(every_turn_is_a_fact(heard))

    table.parts = replace(table.parts, extraction=Says(slow))
    table.parts.inbox.lease_seconds = 0.3
    stopped = replace(table.parts, inbox=cast("Inbox", Unrenewed(table.parts.inbox)))
    with pytest.raises(LeaseLost):
        consolidate(stopped, claim, table.now)

    assert table.live() == {}
    assert table.runs() == []


@dataclass
class Unrenewed:
    """An inbox of a process that stands still: it never renews."""

    real: Any

    def renew(self, claim: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


def test_a_plan_whose_base_has_moved_is_refused_before_its_first_write(table: Desk) -> None:
    table.say(SEATTLE, "2026-01-01T10:00:00Z")
    table.settle()
    (record,) = table.parts.store.memories(table.scope)

    def meddle(case: Candidacy) -> Groups:
        newer = record.memory.model_copy(update={"version": 7, "last_run": UUID(int=9)})
        table.parts.store.put_memories(table.scope, [record.model_copy(update={"memory": newer})])
        return each_fact_replaces_its_candidates(case)

    table.parts = replace(table.parts, judge=Judges(meddle))
    table.say(AUSTIN, "2026-02-01T10:00:00Z")

    with pytest.raises(PlanConflict):
        table.settle()

    assert [memory.version for memory in table.live().values()] == [7]
    assert table.archives() == []
