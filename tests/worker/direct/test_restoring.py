"""An earlier version stands again, under the scope's lease: on both stores."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast
from uuid import uuid4

import pytest
from redis import Redis

from schemas.memory import Archive, ArchiveRecord
from schemas.scope import Scope
from tests.build import memory, uid, vector
from tests.desk import Desk
from tests.fragile import Fragile, Killed
from tests.worker.core.ledger import content
from tests.worker.direct.turning import (
    BERGEN,
    OSLO,
    at_a_table,
    contents,
    everything,
    expire,
    hear,
)
from worker.core.ports import Store
from worker.direct.holding import holding
from worker.direct.restoring import restore
from worker.direct.undoing import undo
from worker.errors import Unprocessable

LATER = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    return at_a_table(store, redis_client, scope)


def moved(table: Desk) -> Any:
    """Oslo in version 1, Bergen in 2; the memory's id."""
    hear(table, OSLO, 1)
    hear(table, BERGEN, 2)
    (bergen,) = table.live().values()
    return bergen.id


def test_the_version_stands_again_and_what_stood_is_archived(table: Desk) -> None:
    id = moved(table)
    (earlier,) = table.parts.store.archives(table.scope, id)

    plan = restore(table.parts, table.scope, id, 1, LATER)

    (now,) = table.parts.store.memories(table.scope)
    assert content(now.memory, now.vector) == content(earlier.archive.memory, earlier.vector)
    assert (now.memory.version, now.memory.last_run) == (3, plan.run)
    assert [(one.memory.text, one.reason) for one in table.archives()] == [
        (OSLO, "superseded"),
        (BERGEN, "superseded"),
    ]
    run = table.parts.store.run(table.scope, plan.run)
    assert run
    assert (run.kind, run.state) == ("restore", "applied")
    assert table.parts.inbox.idle()


def test_what_stands_already_needs_no_run(table: Desk) -> None:
    id = moved(table)
    restore(table.parts, table.scope, id, 1, LATER)
    before = everything(table)

    for version in (3, 1):
        assert restore(table.parts, table.scope, id, version, LATER).changes == ()
    assert everything(table) == before


def test_a_restore_can_be_undone_and_stands_in_the_way_of_an_earlier_undo(table: Desk) -> None:
    id = moved(table)
    before = contents(table.parts.store, table.scope)
    plan = restore(table.parts, table.scope, id, 1, LATER)
    (second,) = [
        run for run in table.runs() if run.kind == "batch" and run.changes[0].kind == "revise"
    ]

    with pytest.raises(Unprocessable, match=f"run {plan.run} .* restored memory {id}"):
        undo(table.parts, table.scope, second.id, LATER)
    undo(table.parts, table.scope, plan.run, LATER)
    assert contents(table.parts.store, table.scope) == before
    undo(table.parts, table.scope, second.id, LATER)
    assert set(table.live()) == {OSLO}


def forgotten(table: Desk, id: Any) -> None:
    """The whole memory, by a person's wish."""
    (live,) = table.parts.store.memories(table.scope)
    archive = Archive(
        memory=live.memory,
        replaced_by=None,
        archived_at=LATER,
        reason="forgotten",
        why="asked",
        run=uid("wish"),
    )
    with holding(table.parts, table.scope, LATER) as held:
        writer = table.parts.store.writer(table.scope, held.lease)
        writer.put_archives([ArchiveRecord(archive=archive, vector=live.vector)])
        writer.remove_memories([id])


@pytest.mark.parametrize("version", [1, 2])
def test_what_was_forgotten_does_not_come_back_nor_what_it_was_made_of(
    table: Desk, version: int
) -> None:
    id = moved(table)
    forgotten(table, id)
    before = everything(table)

    with pytest.raises(Unprocessable, match="is not found in this scope"):
        restore(table.parts, table.scope, id, version, LATER)

    assert everything(table) == before


def test_unknown_memories_and_versions_are_not_found(table: Desk) -> None:
    id = moved(table)

    with pytest.raises(Unprocessable, match=r"there are versions 1, 2$"):
        restore(table.parts, table.scope, id, 7, LATER)
    with pytest.raises(Unprocessable, match="is not found in this scope"):
        restore(table.parts, table.scope, uuid4(), 1, LATER)


def test_what_was_merged_away_comes_back_beside_what_it_went_into(table: Desk) -> None:
    other = memory("I live in Rome", scope=table.scope, version=2)
    id = moved(table)
    archive = Archive(
        memory=other, replaced_by=id, archived_at=LATER, reason="merged", why="", run=uid("run")
    )
    with holding(table.parts, table.scope, LATER) as held:
        table.parts.store.writer(table.scope, held.lease).put_archives(
            [ArchiveRecord(archive=archive, vector=vector(other.text))]
        )

    restore(table.parts, table.scope, other.id, 2, LATER)

    assert {text: one.version for text, one in table.live().items()} == {BERGEN: 2, other.text: 3}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_crash_between_any_two_calls_leaves_it_restored_or_as_it_was(
    table: Desk, redis_client: Redis, after: bool
) -> None:
    nth, crashed = 1, True
    while crashed:
        table.scope = Scope(app=f"{table.scope.app.partition('/')[0]}/{nth}", user="ann")
        id, crashed, whole = moved(table), False, table.parts
        fragile = cast("Any", Fragile(whole.store, nth, after))
        try:
            restore(replace(whole, store=fragile), table.scope, id, 1, LATER)
        except Killed:
            crashed = True
        expire(redis_client, table.scope)
        restore(table.parts, table.scope, id, 1, LATER)
        (now,) = table.live().values()
        assert (now.text, now.version) == (OSLO, 3)
        assert len(table.archives()) == 2
        nth += 1
    assert nth > 6
