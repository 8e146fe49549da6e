"""A person changes one memory: on both stores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any
from uuid import UUID

import pytest
from redis import Redis

from schemas.base import Vector
from schemas.ids import write_run_id
from schemas.keys import PartitionKeys
from schemas.memory import Fact
from schemas.scope import Scope
from tests.build import fact, uid
from tests.desk import Desk, Says, crashes, desk
from tests.similarity import GivenSimilarities
from tests.worker.direct.test_remembering import everything
from tests.worker.direct.writing import judged_by, tell
from worker.core.hearing.heard import Heard
from worker.core.ports import Store
from worker.core.writing.amending import amendment
from worker.core.writing.written import Written
from worker.direct.editing import amend
from worker.errors import LeaseLost, Unprocessable, VersionMoved

GHENT, BRUGES, LATE = "Lives in Ghent", "Lives in Bruges", "Lives in Rome"
ALIKE = GivenSimilarities({BRUGES: (GHENT, 0.8), LATE: (BRUGES, 0.9)})


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (ALIKE.fingerprint, ALIKE.dimensions)


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    return desk(store, redis_client, scope, ALIKE)


def change(table: Desk, id: UUID | None, key: str = "k", **fields: Any) -> Written:
    assert id
    wanted = amendment(fields)
    return amend(table.parts, table.scope, id, wanted, key=key, now=table.now)


def vector_of(table: Desk, id: UUID | None) -> bytes:
    assert id
    (record,) = table.parts.store.memories(table.scope, [id])
    return record.vector


def test_an_edit_is_the_next_version_in_a_run_of_its_own(table: Desk) -> None:
    first = tell(table, GHENT, tags=["home"], metadata={"n": 1}, pinned=True)
    table.now += timedelta(days=1)
    done = change(table, first.memory, text=BRUGES, reason="moved")

    (memory,) = table.live().values()
    assert (done.fate, done.memory, done.version) == ("revised", first.memory, 2)
    assert done.run == write_run_id(table.scope.key, "k") == memory.last_run
    assert (memory.text, memory.tags, memory.metadata) == (BRUGES, ("home",), {"n": 1})
    assert (memory.pinned, memory.said_at, memory.created_at) == (
        *(True, table.now),
        table.now - timedelta(days=1),
    )
    (archive,) = table.archives()
    assert (archive.memory.text, archive.reason, archive.why) == (GHENT, "superseded", "moved")
    assert vector_of(table, first.memory) == ALIKE.embed([BRUGES])[0]
    assert table.parts.inbox.idle()


@dataclass
class Watched(GivenSimilarities):
    """Does something before it embeds."""

    act: Callable[[], object] = lambda: None

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.act()
        return super().embed(texts)


def test_what_is_no_wording_keeps_the_vector_and_asks_no_embedder(table: Desk) -> None:
    first = tell(table, GHENT)
    before = vector_of(table, first.memory)
    asked = list[str]()
    watched = Watched(ALIKE.near, seen=ALIKE.seen, act=lambda: asked.append("asked"))
    table.parts = replace(table.parts, embedder=watched)
    table.now += timedelta(days=1)
    change(table, first.memory, add_tags=["x"], pinned=True, metadata={"n": 1})

    (memory,) = table.live().values()
    assert (memory.version, memory.tags, memory.pinned) == (2, ("x",), True)
    assert memory.metadata == {"n": 1}
    assert memory.said_at == table.now - timedelta(days=1)
    assert vector_of(table, first.memory) == before
    assert asked == []


def test_where_another_took_the_scope_meanwhile_nothing_is_written(
    table: Desk, redis_client: Redis
) -> None:
    first = tell(table, GHENT)
    before = everything(table)

    def take() -> None:
        redis_client.zadd(PartitionKeys(0).busy, {table.scope.key: 1})
        assert table.parts.inbox.claim_scope(table.scope.key)

    table.parts = replace(table.parts, embedder=Watched(ALIKE.near, seen=ALIKE.seen, act=take))
    with pytest.raises(LeaseLost):
        change(table, first.memory, text=BRUGES)
    assert everything(table) == before


def test_what_is_so_already_writes_nothing(table: Desk) -> None:
    first = tell(table, GHENT)
    before = everything(table)

    assert change(table, first.memory, text=GHENT).fate == "unchanged"
    assert everything(table) == before


def test_the_same_change_again_is_one_change(table: Desk) -> None:
    first = tell(table, GHENT)
    done = change(table, first.memory, text=BRUGES, if_version=1)
    before = everything(table)

    again = change(table, first.memory, text=BRUGES, if_version=1)
    assert again == done.model_copy(update={"duplicate": True})
    assert everything(table) == before


@pytest.mark.parametrize(
    ("fields", "error", "complaint"),
    [
        ({"text": BRUGES, "if_version": 2}, VersionMoved, "is at version 1, not at 2"),
        ({"pinned": True, "if_version": 3}, VersionMoved, "is at version 1, not at 3"),
    ],
)
def test_another_version_is_refused_and_nothing_written(
    table: Desk, fields: dict[str, Any], error: type[Exception], complaint: str
) -> None:
    first = tell(table, GHENT)
    before = everything(table)

    with pytest.raises(error, match=complaint):
        change(table, first.memory, **fields)
    assert everything(table) == before


def test_what_does_not_stand_is_refused(table: Desk) -> None:
    tell(table, GHENT)
    with pytest.raises(Unprocessable, match="does not stand in this scope"):
        change(table, uid("nobody"), text=BRUGES)


def every_turn(heard: Heard) -> list[Fact]:
    return [fact(one.text, turn_ids=(one.id,), said_at=one.said_at) for one in heard.turns]


def test_what_was_said_before_an_edit_and_is_heard_after_it_is_history(table: Desk) -> None:
    judged_by(table, {LATE: {BRUGES: "contradict"}})
    first = tell(table, GHENT)
    said_before = table.now + timedelta(days=1)
    table.now += timedelta(days=2)
    change(table, first.memory, text=BRUGES)
    table.parts = replace(table.parts, extraction=Says(every_turn))
    table.say(LATE, said_before.isoformat())
    table.settle()

    assert set(table.live()) == {BRUGES}
    assert {one.memory.text: one.reason for one in table.archives()} == {
        GHENT: "superseded",
        LATE: "late",
    }


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("part", ["store", "inbox"])
def test_a_crash_at_any_call_and_the_edit_again_is_the_edit_once(
    store: Store, redis_client: Redis, scope: Scope, part: str, after: bool
) -> None:
    for nth in count(1):
        table = desk(store, redis_client, Scope(app=scope.app, user=f"{nth}"), ALIKE)
        first = tell(table, GHENT)
        edit = partial(change, table, first.memory, text=BRUGES, add_tags=["x"])
        died = crashes(table, part, nth, edit, after=after)
        redis_client.zadd(PartitionKeys(0).busy, {table.scope.key: 1})
        edit()

        (memory,) = table.live().values()
        assert (memory.text, memory.version, memory.tags) == (BRUGES, 2, ("x",))
        assert [one.memory.text for one in table.archives()] == [GHENT]
        assert [run.state for run in table.runs()] == ["applied"] * 2
        if not died:
            break
    assert nth > 3
