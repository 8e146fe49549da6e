"""Two workers, one person: looking, judging and writing are one thing, whoever does them."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from typing import Any

import pytest
from redis import Redis

from schemas.keys import PartitionKeys
from schemas.scope import Scope
from tests.cases.talk import AtDesk, Talk, found
from tests.desk import Desk, scripted
from worker.errors import LeaseLost
from worker.pipeline import Outcome, consolidate

TURIN, BASEL, HOME = "Lives in Turin", "Lives in Basel", "Is living in Basel"
LIVING = "I live in Turin."
MOVED = "I've packed up and gone to Basel."
THESE_DAYS = "Basel is home these days."
KAYAK = "I have a kayak."
NEAR = {BASEL: (TURIN, 0.9), HOME: (BASEL, 0.95)}
TALK = Talk(
    {
        LIVING: [found(TURIN)],
        MOVED: [found(BASEL)],
        THESE_DAYS: [found(HOME)],
        KAYAK: [found("Has a kayak")],
    },
    {
        (BASEL, TURIN): "contradict",
        (HOME, TURIN): "contradict",
        (HOME, BASEL): "same",
        (BASEL, HOME): "same",
    },
)
#: Seconds after which a test that hangs ends.
PATIENCE = 20


@dataclass
class Barrier:
    """The first judgment of this fact, asked for once candidates were found, is answered when the test says so."""

    fact: str
    reached: Event = field(default_factory=Event)
    go_on: Event = field(default_factory=Event)

    def __call__(self, job: str, document: dict[str, Any]) -> Any:
        facts = {one["text"] for one in document.get("facts", ())}
        if job == "batchwise" and facts == {self.fact} and not self.reached.is_set():
            self.reached.set()
            assert self.go_on.wait(PATIENCE)
        return TALK(job, document)


@contextmanager
def held_up(table: Desk) -> Iterator[tuple[Barrier, "Future[Outcome]"]]:
    """A worker that has found Turin among what is known, and waits for its judge."""
    barrier = Barrier(BASEL)
    with scripted(table, barrier, resolver="replace"), ThreadPoolExecutor(1) as worker:
        table.say(LIVING, "2026-01-05T12:00:00Z")
        table.settle()
        table.say(MOVED, "2026-06-01T12:00:00Z", conversation="phone", id="e1")
        first = worker.submit(consolidate, table.parts, table.claim(), table.now)
        try:
            assert barrier.reached.wait(PATIENCE)
            table.say(THESE_DAYS, "2026-06-01T12:00:00Z", conversation="laptop", id="e2")
            yield barrier, first
        finally:
            barrier.go_on.set()


def one_home_and_how_it_got_there(table: Desk) -> None:
    (home,) = table.live().values()
    (turin,) = table.archives()
    assert home.text == BASEL
    assert (turin.memory.text, turin.memory.version, turin.replaced_by) == (TURIN, 1, home.id)
    assert (home.id, home.version) == (turin.memory.id, 2)
    assert {run.state for run in table.runs()} == {"applied"}
    assert table.parts.inbox.idle()


def test_a_second_worker_leaves_the_person_to_the_first_and_serves_another(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope, NEAR)
    ben = Scope(app=scope.app, user="ben")
    with held_up(table) as (barrier, first):
        table.producer.publish({"app": ben.app, "user": ben.user, "role": "user", "text": KAYAK})
        other = table.claim()
        consolidate(table.parts, other, table.now)
        assert other.scope_key == ben.key
        assert [one.memory.text for one in table.parts.store.memories(ben)] == ["Has a kayak"]
        assert not first.done(), "nobody waited for the first"
        assert table.parts.inbox.claim() is None
        barrier.go_on.set()
        first.result(PATIENCE)
        table.settle()

    one_home_and_how_it_got_there(table)


def test_a_worker_that_was_taken_over_while_it_waited_writes_nothing(
    at_desk: AtDesk, scope: Scope, redis_client: Redis
) -> None:
    table = at_desk(scope, NEAR)
    with held_up(table) as (barrier, first):
        redis_client.zadd(PartitionKeys(0).busy, {scope.key: 1})
        table.settle()
        before = table.live(), table.archives(), table.runs()
        barrier.go_on.set()
        with pytest.raises(LeaseLost):
            first.result(PATIENCE)

    assert (table.live(), table.archives(), table.runs()) == before
    one_home_and_how_it_got_there(table)
