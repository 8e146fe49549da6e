"""What a scope holds in Redis: keys of its own, places in those that it shares, bytes of a turn that waits."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from typing import Any

import pytest
from redis import Redis

from schemas.keys import PartitionKeys, ScopeKeys
from tests.desk import Desk
from tests.guard import acts, scene
from tests.guard.agreed import Counts, agree
from worker.direct.erasing import erase

#: Keys of the scope, those that do not expire as `for good: NAME`, and as `in NAME` its places in what all share.
TABLE: dict[str, Counts] = {
    "nothing was ever said": {},
    "turns wait": {"for good: turns": 1, "seen": 1, "for good: meta": 1, "in due": 1},
    "a batch is being worked on": {
        "for good: turns": 1,
        "seen": 1,
        "for good: meta": 1,
        "in busy": 1,
        "in lease": 1,
        "in attempts": 1,
    },
    "a batch was given back": {
        "for good: turns": 1,
        "seen": 1,
        "for good: meta": 1,
        "in due": 1,
        "in attempts": 1,
    },
    "a plan is kept": {
        "for good: turns": 1,
        "seen": 1,
        "for good: meta": 1,
        "for good: plan": 1,
        "recent": 1,
        "in busy": 1,
        "in lease": 1,
        "in attempts": 1,
        "in sleep": 1,
    },
    "all was settled": {"seen": 1, "recent": 1, "in sleep": 1},
    "all was settled, within a budget": {"seen": 1, "spent": 1, "recent": 1, "in sleep": 1},
    "all was settled and time has passed": {"in sleep": 1},
    "a turn was parked": {"seen": 1, "for good: aside": 1, "in aside": 1},
    "a parked turn was dropped": {},
    "recall has answered": {
        "for good: turns": 1,
        "for good: meta": 1,
        "judged": 1,
        "seen": 1,
        "shown": 3,
        "recent": 1,
        "used": 1,
        "served": 1,
        "in due": 1,
        "in sleep": 1,
    },
    "it has slept": {"seen": 1, "recent": 1},
    "it was erased": {"in unserved": 2},
}

#: Bytes that Redis takes for one more turn that waits, its payload of some 350 bytes among them.
BYTES: Counts = {"of a turn that waits": range(400, 650), "of its payload": range(320, 341)}

SHARED = ("due", "busy", "lease", "attempts", "aside", "sleep", "asleep", "cut_short", "unserved")


@pytest.mark.parametrize("case", TABLE)
def test_a_scope_holds(table: Desk, counted: Redis, case: str) -> None:
    with CASES[case](table) as act:
        act()
        found = _own(counted, table) + _places(counted, table)

    agree(case, found, TABLE[case], f"TABLE[{case!r}]", __file__)


def _own(redis: Redis, table: Desk) -> Counter[str]:
    found = Counter[str]()
    for key in redis.scan_iter(f"*{table.scope.key}*"):
        kind, has_end = key.decode().split(":")[2], redis.pttl(key) > 0
        found[kind if has_end else f"for good: {kind}"] += 1
    return found


def _places(redis: Redis, table: Desk) -> Counter[str]:
    found = Counter[str]()
    for name in SHARED:
        key = getattr(PartitionKeys(0), name)
        members = redis.zrange(key, 0, -1) if redis.type(key) == b"zset" else redis.hkeys(key)
        found[f"in {name}"] = sum(table.scope.key.encode() in member for member in members)
    return found


def test_everybody_shares_no_more_keys_than_before(table: Desk, counted: Redis) -> None:
    """However many scopes there are: none of the shared ones is named by a scope."""
    with acts.settling(table, *scene.TEN_TURNS) as act:
        act()

    keys = {key.decode() for key in counted.scan_iter("*") if table.scope.key not in key.decode()}
    known = {getattr(PartitionKeys(0), name) for name in (*SHARED, "fence", "config", "counters")}
    assert keys <= known | {"slowwave:partitions"}


def test_a_turn_that_waits_takes(table: Desk, counted: Redis) -> None:
    hundred = tuple(f"This is what was said as number {at:03}." for at in range(100))
    scene.say(table, *hundred)
    before = _bytes(counted, table)
    scene.say(table, *hundred, days=1)

    (payload,) = counted.lrange(ScopeKeys(0, table.scope.key).turns, -1, -1)
    found = {
        "of a turn that waits": (_bytes(counted, table) - before) // 100,
        "of its payload": len(payload),
    }
    agree("a turn that waits", found, BYTES, "BYTES", __file__)


def _bytes(redis: Redis, table: Desk) -> int:
    return sum(
        redis.memory_usage(key, samples=0) or 0 for key in redis.scan_iter(f"*{table.scope.key}*")
    )


@contextmanager
def done(*what: Callable[[], object]) -> Iterator[acts.Act]:
    yield lambda: [one() for one in what]


@contextmanager
def before(then: AbstractContextManager[acts.Act]) -> Iterator[acts.Act]:
    with then:
        yield lambda: None


@contextmanager
def after(
    first: AbstractContextManager[acts.Act], then: Callable[[], object]
) -> Iterator[acts.Act]:
    with first as act:
        act()
        yield then


def says(table: Desk) -> acts.Act:
    return lambda: scene.say(table, *scene.TEN_TURNS)


def settles(table: Desk, **settings: Any) -> AbstractContextManager[acts.Act]:
    return acts.settling(table, *scene.TEN_TURNS, **settings)


def park(table: Desk) -> None:
    scene.say(table, scene.CHAT[0], days=40)
    table.parts.inbox.park(table.claim(), 1, "it cannot be read")


def drop(table: Desk) -> None:
    parking = table.parts.inbox.parking
    assert parking.drop(list(parking.letters(table.scope.key))) == 1


def pass_time(table: Desk) -> None:
    """What expires has expired."""
    redis = acts.client_of(table)
    for key in redis.scan_iter(f"*{table.scope.key}*"):
        if redis.pttl(key) > 0:
            redis.delete(key)


CASES: dict[str, acts.Case] = {
    "nothing was ever said": lambda table: done(),
    "turns wait": lambda table: done(says(table)),
    "a batch is being worked on": lambda table: done(says(table), table.claim),
    "a batch was given back": acts.giving_back,
    "a plan is kept": lambda table: before(acts.settling_what_was_kept(table)),
    "all was settled": settles,
    "all was settled, within a budget": lambda table: settles(table, daily_calls=100),
    "all was settled and time has passed": lambda table: after(
        settles(table), lambda: pass_time(table)
    ),
    "a turn was parked": lambda table: done(lambda: park(table)),
    "a parked turn was dropped": lambda table: done(lambda: park(table), lambda: drop(table)),
    "recall has answered": lambda table: acts.recalling(table, notes=True),
    "it has slept": lambda table: acts.sleeping(table, night=0),
    "it was erased": lambda table: after(
        acts.recalling(table, notes=True),
        lambda: erase(table.parts, table.scope, table.now + timedelta(days=1)),
    ),
}
