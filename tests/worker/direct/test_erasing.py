"""A whole scope is erased: on both stores, whatever else goes on."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from threading import Event
from typing import Any, cast

import pytest
from redis import Redis
from structlog.testing import capture_logs

from schemas.keys import PartitionKeys, ScopeKeys
from schemas.memory import Fact
from schemas.plan import Run
from schemas.scope import Scope
from tests.build import fact
from tests.desk import Desk, Says, desk, scripted
from tests.fragile import Fragile, Killed
from tests.similarity import GivenSimilarities
from tests.weaviate_service import opened
from worker.adapters.breaker import Breaker
from worker.adapters.inbox import Inbox
from worker.core.hearing.heard import Heard
from worker.core.ports import Hold, Store
from worker.direct.erasing import Contents, Receipt, contents, erase
from worker.errors import LeaseLost, Retryable
from worker.parts import Parts
from worker.pipeline import consolidate
from worker.tasks import settle

NOTHING_ALIKE = GivenSimilarities({})
#: When the scope is erased; everything in `LIFE` was said before.
THEN = datetime(2026, 6, 1, 12, tzinfo=UTC)
BEFORE, AFTER = "2026-05-{:02}T09:00:00Z", "2026-07-{:02}T09:00:00Z"
LIFE = ("I live in Oslo", "I own a lathe", "I work at the port")
NOTHING = Contents()


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (NOTHING_ALIKE.fingerprint, NOTHING_ALIKE.dimensions)


def every_turn(heard: Heard) -> Sequence[Fact]:
    return [fact(one.text, turn_ids=(one.id,), said_at=one.said_at) for one in heard.turns]


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    return at_a_table(store, redis_client, scope)


def at_a_table(store: Store, client: Redis, scope: Scope, **options: Any) -> Desk:
    made = desk(store, client, scope, NOTHING_ALIKE, **options)
    made.parts = replace(made.parts, extraction=Says(every_turn))
    return made


def live_through(table: Desk) -> Contents:
    """One memory, one turn put aside, one that waits; what there is of it."""
    for day, text in enumerate(LIFE, start=1):
        table.say(text, BEFORE.format(day), id=text)
        if day == 1:
            table.settle()
        if day == 2:
            table.parts.inbox.park(table.claim(), 1, "for review")
    return Contents(memories=1, runs=1, pending=1, parked=1, seen=3, recent=1)


def say_all_again(table: Desk) -> None:
    for day, text in enumerate(LIFE, start=1):
        table.say(text, BEFORE.format(day), id=text)
    table.settle()


def expire(table: Desk, client: Redis) -> None:
    """Time passes, and dead processes' leases run out."""
    for scope_key in client.zrange(PartitionKeys(0).busy, 0, -1):
        client.zadd(PartitionKeys(0).busy, {cast("bytes", scope_key).decode(): 1})


def assert_nothing_is_left(table: Desk, client: Redis) -> None:
    assert contents(table.parts, table.scope) == NOTHING
    assert client.keys(f"*{table.scope.key}*") == []
    assert table.parts.inbox.idle()


# What goes


def test_all_of_it_goes_and_the_receipt_says_how_much(table: Desk, redis_client: Redis) -> None:
    there = live_through(table)
    found = contents(table.parts, table.scope)
    receipt = erase(table.parts, table.scope, THEN)

    assert found == there
    assert receipt == Receipt(scope_key=table.scope.key, erased_at=THEN, gone=there)
    assert_nothing_is_left(table, redis_client)
    assert table.parts.store.about(table.scope).erased_at == THEN


def test_a_receipt_holds_no_name_and_no_text(table: Desk) -> None:
    live_through(table)
    written = erase(table.parts, table.scope, THEN).model_dump_json()

    assert table.scope.key in written
    assert not [word for word in (table.scope.app, "ann", *LIFE) if word in written]


def test_erasing_again_finds_nothing(table: Desk, redis_client: Redis) -> None:
    live_through(table)
    erase(table.parts, table.scope, THEN)

    assert erase(table.parts, table.scope, THEN).gone == NOTHING
    assert_nothing_is_left(table, redis_client)


def test_there_is_nothing_to_erase_of_a_scope_that_nobody_knows(
    table: Desk, redis_client: Redis
) -> None:
    assert erase(table.parts, table.scope, THEN).gone == NOTHING
    assert_nothing_is_left(table, redis_client)
    assert not table.parts.store.about(table.scope).is_prepared


def test_the_same_user_of_another_app_is_untouched(
    store: Store, redis_client: Redis, table: Desk
) -> None:
    other = at_a_table(store, redis_client, Scope(app=f"{table.scope.app}2", user=table.scope.user))
    live_through(table)
    live_through(other)
    there = contents(other.parts, other.scope)
    erase(table.parts, table.scope, THEN)

    assert (there.memories, there.pending, there.parked) == (1, 1, 1)
    assert contents(other.parts, other.scope) == there
    say_all_again(other)
    assert set(other.live()) == {LIFE[0], LIFE[2]}


# What does not come back


def test_what_was_said_before_does_not_come_back_and_what_is_said_later_is_learned(
    table: Desk,
) -> None:
    live_through(table)
    erase(table.parts, table.scope, THEN)
    old = table.say(LIFE[0], BEFORE.format(1), id=LIFE[0])
    new = table.say("I moved to Bergen", AFTER.format(1))
    with capture_logs() as logs:
        table.settle()
    tickets = [table.producer.wait(answer.ticket, 0).status for answer in (old, new)]

    assert (old.status, new.status) == ("accepted", "accepted")
    assert set(table.live()) == {"I moved to Bergen"}
    assert tickets == ["unknown", "consolidated"]
    kept = table.parts.inbox.recent_turns(table.scope.key)
    assert [turn.text for turn in kept] == ["I moved to Bergen"]
    dropped = [line["turns"] for line in logs if line["event"] == "erased_turns_dropped"]
    assert dropped == [1]
    assert LIFE[0] not in str(logs)


def test_a_batch_of_nothing_but_what_was_said_before_makes_no_room(
    table: Desk, redis_client: Redis
) -> None:
    live_through(table)
    erase(table.parts, table.scope, THEN)
    say_all_again(table)

    assert not table.parts.store.about(table.scope).is_prepared
    assert table.parts.inbox.queued(table.scope.key).seen == len(LIFE)
    assert redis_client.keys(f"*{table.scope.key}*") == [
        ScopeKeys(0, table.scope.key).seen.encode()
    ]
    assert table.parts.inbox.idle()


def test_what_a_crash_left_half_done_is_not_finished(table: Desk, redis_client: Redis) -> None:
    run = half_done(table)
    gone = erase_after_the_crash(table, redis_client)

    assert (gone.plans, gone.runs, gone.pending) == (1, 1, 1)
    assert_nothing_is_left(table, redis_client)
    table.say("I moved to Bergen", AFTER.format(1))
    table.settle()
    assert set(table.live()) == {"I moved to Bergen"}
    assert run.id not in {one.id for one in table.runs()}


def test_a_plan_that_redis_has_again_after_losing_its_tail_is_not_carried_out(
    table: Desk, redis_client: Redis
) -> None:
    half_done(table)
    key = ScopeKeys(0, table.scope.key).plan
    plan = redis_client.get(key)
    erase_after_the_crash(table, redis_client)
    table.say("I moved to Bergen", AFTER.format(1))
    assert isinstance(plan, bytes)
    redis_client.set(key, plan)
    table.settle()

    assert set(table.live()) == {"I moved to Bergen"}
    assert not redis_client.exists(key)


@dataclass(frozen=True)
class DiesOnceItsRunIsOpen:
    """A store, and its writers."""

    real: Any

    def writer(self, scope: Scope, hold: Hold) -> Any:
        return replace(self, real=self.real.writer(scope, hold))

    def put_run(self, run: Run) -> None:
        self.real.put_run(run)
        raise Killed

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


def half_done(table: Desk) -> Run:
    """A worker dies right after it has opened its run."""
    table.now = THEN
    table.say(LIFE[0], BEFORE.format(1), id=LIFE[0])
    dying = replace(table.parts, store=cast("Any", DiesOnceItsRunIsOpen(table.parts.store)))
    with pytest.raises(Killed):
        consolidate(dying, table.claim(), table.now)
    (run,) = table.parts.store.open_runs(table.scope)
    return run


def erase_after_the_crash(table: Desk, client: Redis) -> Contents:
    expire(table, client)
    return erase(table.parts, table.scope, THEN).gone


# Whoever else is at work


def test_a_batch_that_is_being_thought_about_writes_nothing_afterwards(
    store: Store, redis_client: Redis, scope: Scope
) -> None:
    table = at_a_table(store, redis_client, scope, lease_seconds=0.9)
    live_through(table)
    asked, answer = Event(), Event()

    def slowly(job: str, document: dict[str, Any]) -> Any:
        asked.set()
        assert answer.wait(60)
        text = document["turns"][-1]["text"]
        said = {"text": text, "subject": "user", "kind": "fact", "turns": ["t1"]}
        return {"facts": [said]}

    with scripted(table, slowly), ThreadPoolExecutor(1) as pool:
        work = pool.submit(settle, table.parts, table.claim())
        assert asked.wait(60)
        receipt = erase(table.parts, scope, THEN)
        answer.set()
        assert work.result() is None

    assert receipt.gone == Contents(memories=1, runs=1, pending=1, parked=1, seen=3, recent=1)
    assert_nothing_is_left(table, redis_client)


@dataclass
class Meanwhile:
    """A store before whose nth write something else happens, once."""

    real: Any
    happens: Callable[[], object]
    nth: int
    writes: Iterator[int]

    def writer(self, scope: Scope, hold: Hold) -> Any:
        return replace(self, real=self.real.writer(scope, hold))

    def __getattr__(self, name: str) -> Any:
        if (name == "prepare" or name.startswith("put_")) and next(self.writes) == self.nth:
            self.happens()
        return getattr(self.real, name)


def test_a_batch_that_is_being_written_writes_no_further(
    store: Store, redis_client: Redis, scope: Scope
) -> None:
    for nth in count(1):
        table = at_a_table(
            store, redis_client, Scope(app=scope.app, user=str(nth)), lease_seconds=0.6
        )
        live_through(table)
        erased: list[Receipt] = []
        happens = partial(erase_into, erased, table.parts, table.scope)
        meanwhile = Meanwhile(store, happens, nth, count(1))
        working = replace(table.parts, store=cast("Any", meanwhile))
        outcome = settle(working, table.claim())
        if not erased:
            break

        assert outcome is None
        assert erased[0].gone.memories in {1, 2}
        assert_nothing_is_left(table, redis_client)
    assert nth > 4, "it was erased between any two writes"


def erase_into(erased: list[Receipt], parts: Parts, scope: Scope) -> None:
    erased.append(erase(parts, scope, THEN))


def test_two_erase_at_once(store: Store, redis_client: Redis, scope: Scope) -> None:
    table = at_a_table(store, redis_client, scope, lease_seconds=0.6)
    live_through(table)
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(erase, table.parts, scope, THEN) for _ in range(2)]
        errors = [error for one in both if (error := one.exception())]

    assert len(errors) < 2
    assert all(isinstance(error, LeaseLost) for error in errors)
    assert_nothing_is_left(table, redis_client)


def test_a_process_that_knew_the_scope_goes_on_with_an_empty_one(
    table: Desk, store_url: str, embedding: tuple[str, int]
) -> None:
    live_through(table)
    for store in opened(store_url, embedding):
        erase(replace(table.parts, store=store), table.scope, THEN)
    table.say("I moved to Bergen", AFTER.format(1))
    errors = list[str]()
    while table.parts.inbox.pending(table.scope.key) and len(errors) < 2:
        claim = table.claim()
        try:
            consolidate(table.parts, claim, table.now)
        except Retryable as error:
            errors.append(str(error))
            table.parts.inbox.fail(claim, 0, burn=False)

    assert [error for error in errors if "has no room" not in error] == []
    assert set(table.live()) == {"I moved to Bergen"}


# kill -9


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("part", ["store", "redis"])
def test_a_crash_at_any_step_brings_nothing_back_and_a_second_call_completes(
    store: Store, redis_client: Redis, scope: Scope, part: str, after: bool
) -> None:
    crashed = True
    marked = set()
    for nth in count(1):
        table = at_a_table(store, redis_client, Scope(app=scope.app, user=f"{part} {nth} {after}"))
        live_through(table)
        crashed = erase_and_die(table, redis_client, part, nth, after=after)
        expire(table, redis_client)
        is_marked = store.about(table.scope).erased_at is not None
        marked.add(is_marked)
        left = set(table.live())
        say_all_again(table)
        if is_marked:
            assert set(table.live()) <= left
            table.say("I moved to Bergen", AFTER.format(1))
            table.settle()
            assert set(table.live()) == {"I moved to Bergen"}

        erase(table.parts, table.scope, THEN)
        assert_nothing_is_left(table, redis_client)
        say_all_again(table)
        assert table.live() == {}
        if not crashed:
            break
    assert nth > (1 if part == "store" else 8)
    assert marked == ({True} if part == "store" and after else {False, True})


def erase_and_die(table: Desk, client: Redis, part: str, nth: int, *, after: bool) -> bool:
    """Whether it came to the nth call of the store, or of Redis."""
    if part == "store":
        parts = replace(table.parts, store=cast("Any", Fragile(table.parts.store, nth, after)))
    else:
        fragile = cast("Any", Fragile(client, nth, after))
        parts = replace(table.parts, inbox=Inbox(fragile), breaker=Breaker(fragile))
    try:
        erase(parts, table.scope, THEN)
    except Killed:
        return True
    return False
