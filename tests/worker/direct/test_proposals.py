"""A person decides on what sleep would not do by itself: on both stores."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import pytest
from redis import Redis

from schemas.keys import PartitionKeys
from schemas.scope import Scope
from tests.build import uid
from tests.desk import Desk, desk
from tests.fragile import Fragile, Killed
from tests.similarity import GivenSimilarities
from tests.worker.direct.nightly import (
    FIRST_NIGHT,
    everything,
    judging,
    night,
    pairs,
    remember,
    sleeps,
)
from worker.core.ports import Store
from worker.direct.holding import holding
from worker.direct.proposals import accept, proposals, refuse
from worker.direct.undoing import undo
from worker.errors import PlanConflict, Unprocessable

FIRST, AGAIN = ("Prefers window seats", "Likes green tea"), ("Prefers a window seat", "Loves tea")
ALIKE = GivenSimilarities(dict(zip(AGAIN, ((one, 0.9) for one in FIRST), strict=True)))
LATER = FIRST_NIGHT + timedelta(days=2)


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (ALIKE.fingerprint, ALIKE.dimensions)


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    """Two pairs that say the same; one was joined, the other went beyond the share."""
    made = desk(store, redis_client, scope, ALIKE)
    remember(made, *FIRST, *AGAIN)
    judging(made, pairs(*zip(FIRST, AGAIN, strict=True)), sleep_max_share=0.2)
    night(made)
    return made


def waiting(table: Desk) -> Any:
    (only,) = proposals(table.parts.store, table.scope)
    return only


def test_what_goes_beyond_the_share_waits_as_a_run_of_its_own(table: Desk) -> None:
    only = waiting(table)

    assert set(table.live()) == {*FIRST, AGAIN[1]}
    assert only.stands
    assert (only.run.kind, only.run.state) == ("sleep", "parked")
    assert {change.kind for change in only.plan.changes} == {"revise", "retire"}


def test_what_is_accepted_is_done_and_can_be_undone_and_is_not_asked_about_again(
    table: Desk,
) -> None:
    only = waiting(table)
    plan = accept(table.parts, table.scope, only.run.id, LATER)

    assert set(table.live()) == set(FIRST)
    assert {one.run for one in table.archives() if one.archived_at == LATER} == {plan.run}
    assert list(proposals(table.parts.store, table.scope)) == []
    asked = judging(table, pairs())
    night(table, 5)
    assert asked.heard() == []

    undo(table.parts, table.scope, plan.run, LATER)
    assert set(table.live()) == {*FIRST, AGAIN[1]}


def test_what_is_refused_is_dropped_and_changes_nothing(table: Desk) -> None:
    only, live = waiting(table), table.live()

    refuse(table.parts, table.scope, only.run.id, LATER)

    assert table.live() == live
    assert list(proposals(table.parts.store, table.scope)) == []
    (run,) = [run for run in sleeps(table) if run.id == only.run.id]
    assert (run.state, run.plan) == ("parked", None)
    asked = judging(table, pairs())
    night(table, 5)
    assert asked.heard() == []


def test_where_the_memories_have_moved_on_it_stands_no_more_and_nothing_is_done(
    table: Desk,
) -> None:
    only = waiting(table)
    remember(table, AGAIN[1], days=3, version=2, last_run=uid("a later batch"))
    _stands_no_more(table, only)


def test_where_a_memory_is_gone_it_stands_no_more_either(table: Desk) -> None:
    only = waiting(table)
    (retired,) = [one for one in only.plan.changes if one.kind == "retire"]
    with holding(table.parts, table.scope, LATER) as held:
        writer = table.parts.store.writer(table.scope, held.lease)
        writer.remove_memories([retired.archive.archive.memory.id])
    _stands_no_more(table, only)


def _stands_no_more(table: Desk, only: Any) -> None:
    before = everything(table)

    with pytest.raises(PlanConflict, match="its memories have changed since it was made"):
        accept(table.parts, table.scope, only.run.id, LATER)

    assert everything(table) == before
    assert not waiting(table).stands


@pytest.mark.parametrize("act", [accept, refuse])
def test_only_what_waits_can_be_decided_on(table: Desk, act: Callable[..., Any]) -> None:
    only = waiting(table)
    (done,) = [run for run in sleeps(table) if run.state == "applied"]
    refuse(table.parts, table.scope, only.run.id, LATER)
    before = everything(table)

    for id in (uid("unknown"), done.id, only.run.id):
        with pytest.raises(Unprocessable, match="no proposal that waits"):
            act(table.parts, table.scope, id, LATER)
    assert everything(table) == before


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_crash_at_any_call_leaves_it_to_be_accepted_again(
    table: Desk, redis_client: Redis, after: bool
) -> None:
    only, whole, nth = waiting(table), table.parts, 1
    while True:
        broken = replace(whole, store=cast("Any", Fragile(whole.store, nth, after)))
        try:
            accept(broken, table.scope, only.run.id, LATER)
            break
        except Killed:
            nth += 1
            redis_client.zadd(PartitionKeys(0).busy, {table.scope.key: 1})
        except Unprocessable:
            break

    assert nth > 5
    assert set(table.live()) == set(FIRST)
    assert len(table.archives()) == 4
    assert list(proposals(table.parts.store, table.scope)) == []
