import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis
from redis.exceptions import OutOfMemoryError

from producers.answer import Answer
from producers.producer import Producer
from schemas.keys import PARTITIONS, PartitionKeys, ScopeKeys, partition_of
from schemas.limits import Limits
from schemas.plan import Held
from schemas.scope import Scope
from schemas.turn import Turn
from tests.effort import examples
from tests.redis_service import RedisServer
from worker.adapters.entries import Unreadable
from worker.adapters.inbox import Claim, Inbox
from worker.adapters.redis_server import connect
from worker.errors import LeaseLost, Misconfigured, Unavailable

AT_ONCE = Limits(batch_turns=4, quiet_seconds=0)
PATIENT = Limits(batch_turns=4, quiet_seconds=1000, max_wait_seconds=5000)
SHARED = PartitionKeys(0)
FOLDER = Path(__file__).parents[3] / "worker" / "adapters" / "lua"


def key(user: str = "alice") -> str:
    return Scope(app="acme", user=user).key


@pytest.fixture
def inbox(redis_client: Redis) -> Inbox:
    inbox = Inbox(redis_client, context_turns=3)
    inbox.configure(AT_ONCE)
    return inbox


@pytest.fixture
def publish(redis_client: Redis) -> Callable[..., list[Answer]]:
    producer = Producer(redis_client)

    def publish(*texts: str, user: str = "alice", **fields: Any) -> list[Answer]:
        line = {"app": "acme", "user": user, "role": "user", **fields}
        return [producer.publish({**line, "text": text}) for text in texts]

    return publish


Publish = Callable[..., list[Answer]]


def claimed(inbox: Inbox) -> Claim:
    claim = inbox.claim()
    assert claim is not None
    return claim


def texts(turns: list[Turn] | tuple[Turn, ...]) -> list[str]:
    return [turn.text for turn in turns]


def expire(client: Redis, user: str = "alice") -> None:
    """The lease's time is up."""
    assert client.zadd(SHARED.busy, {key(user): 1}, xx=True, ch=True) == 1


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# Settings of the server and of ours


def test_limits_are_there_for_every_publisher(redis_client: Redis) -> None:
    Inbox(redis_client, partitions=2).configure(Limits(quiet_seconds=1.5))

    for partition in (0, 1):
        stored = redis_client.hgetall(PartitionKeys(partition).config)
        assert stored[b"quiet_ms"] == b"1500"
        assert stored[b"batch_turns"] == b"10"
        assert stored[b"v"] == b"1"


@pytest.mark.parametrize("replace", [True, False])
def test_limits_that_are_stored_give_way_only_to_those_who_replace_them(
    redis_client: Redis, replace: bool
) -> None:
    Inbox(redis_client, partitions=2).configure(Limits(batch_turns=7, max_pending=70))
    redis_client.hdel(PartitionKeys(1).config, "max_pending")

    Inbox(redis_client, partitions=2).configure(
        Limits(batch_turns=8, max_pending=80), replace=replace
    )
    first, second = (redis_client.hgetall(PartitionKeys(at).config) for at in (0, 1))

    assert first[b"batch_turns"] == second[b"batch_turns"] == (b"8" if replace else b"7")
    assert first[b"max_pending"] == (b"80" if replace else b"70")
    assert second[b"max_pending"] == b"80"  # where none is stored


def test_stored_limits_are_read_as_they_were_stored(redis_client: Redis) -> None:
    limits = Limits(
        batch_turns=3,
        batch_tokens=40,
        quiet_seconds=0.25,
        max_wait_seconds=6.5,
        max_pending=7,
        seen_seconds=8,
    )
    before = Inbox(redis_client).stored_limits()
    Inbox(redis_client).configure(limits)

    assert before is None
    assert Inbox(redis_client).stored_limits() == limits


def test_limits_that_stand_already_are_not_written_again(redis_client: Redis) -> None:
    Inbox(redis_client).configure(AT_ONCE)
    written = redis_client.info("persistence")["rdb_changes_since_last_save"]
    Inbox(redis_client).configure(AT_ONCE)

    assert redis_client.info("persistence")["rdb_changes_since_last_save"] == written


LOOKS: list[Callable[[Inbox], object]] = [
    lambda inbox: inbox.configure(AT_ONCE),
    lambda inbox: inbox.configure(AT_ONCE, replace=False),
    Inbox.check,
    Inbox.status,
    Inbox.idle,
]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize(("stored", "wanted"), [(2, 4), (2, 1), (1, 3)])
def test_another_number_of_partitions_is_refused_with_both_and_the_remedy(
    redis_client: Redis, look: Callable[[Inbox], object], stored: int, wanted: int
) -> None:
    Inbox(redis_client, partitions=stored).configure(AT_ONCE)
    look(Inbox(redis_client, partitions=stored))
    both = rf"in {stored} partitions, but SLOWWAVE_REDIS_PARTITIONS is {wanted}: set it to {stored}"

    with pytest.raises(Misconfigured, match=both):
        look(Inbox(redis_client, partitions=wanted))
    assert redis_client.get(PARTITIONS) == str(stored).encode()


@pytest.mark.parametrize("look", [Inbox.check, Inbox.status])
def test_looking_stores_no_number_of_partitions(
    redis_client: Redis, look: Callable[[Inbox], object]
) -> None:
    look(Inbox(redis_client, partitions=3))

    assert redis_client.get(PARTITIONS) is None


# A full Redis


def fill(client: Redis) -> list[str]:
    """Publishes until Redis takes no more, then to the brim; the texts that it has accepted."""
    client.config_set("maxmemory", client.info("memory")["used_memory"] + 3_000_000)
    producer, accepted = Producer(client), []
    for number in range(10_000):
        line = {"app": "acme", "user": f"user {number % 3}", "role": "user"}
        text = f"{number} " + "x" * 2000
        if producer.publish({**line, "text": text}).status != "accepted":
            break
        accepted.append(text)
    with pytest.raises(OutOfMemoryError):
        to_the_brim(client)
    return accepted


def to_the_brim(client: Redis) -> None:
    while True:
        client.rpush("something else", "x" * 50)


def work_off(inbox: Inbox) -> list[str]:
    done: list[str] = []
    inbox.flush()
    for nth in count(1):
        claim = inbox.claim()
        if claim is None:
            break
        inbox.renew(claim)
        inbox.keep_plan(claim, "{}")
        if claim.attempt == 1 and nth % 5 == 0:
            inbox.fail(claim, 0, burn=True)
            continue
        turns = inbox.turns(claim)
        if nth % 7 == 0:
            inbox.park(claim, len(turns), "looked at later")
        else:
            inbox.commit(claim, len(turns), 1)
        done += texts(turns)
        inbox.flush()
    return done


@pytest.mark.parametrize("known", [True, False])
def test_a_full_redis_can_be_emptied_and_takes_turns_again(
    redis_server: RedisServer, known: bool
) -> None:
    with connect(redis_server.url) as client:
        if known:
            Inbox(client).configure(PATIENT)
        accepted = fill(client)
        assert len(accepted) > 100
        inbox = Inbox(client)
        inbox.configure(AT_ONCE)
        inbox.answered("nobody's")
        inbox.flush()

        assert inbox.ring(["bell"], 30, 4) == 1
        assert sorted(work_off(inbox)) == sorted(accepted)
        assert inbox.idle()
        client.delete("something else")
        assert (
            Producer(client)
            .publish({"app": "acme", "user": "user 1", "role": "user", "text": "again"})
            .status
            == "accepted"
        )


#: They bring notes of recall, which cost nothing where they are lost: a full Redis is not to be filled with them.
MAY_BE_LOST = {"serve", "show"}


@pytest.mark.parametrize("script", sorted(FOLDER.glob("*.lua")), ids=lambda script: script.stem)
def test_every_script_of_the_workers_runs_where_redis_is_full_unless_its_loss_costs_nothing(
    script: Path,
) -> None:
    first, _, _ = script.read_text().partition("\n")

    runs = first in {"#!lua flags=allow-oom", "#!lua flags=no-writes"}
    assert runs != (script.stem in MAY_BE_LOST)


def test_a_wrong_password_is_a_setting_and_no_outage(redis_server: RedisServer) -> None:
    with connect(redis_server.url) as client:
        client.config_set("requirepass", "right")
    with (
        connect(redis_server.url.replace("//", "//:wrong@")) as client,
        pytest.raises(Misconfigured, match="SLOWWAVE_REDIS_URL"),
    ):
        Inbox(client).claim()


def test_a_redis_that_is_down_is_unavailable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with connect(f"redis://127.0.0.1:{taken.getsockname()[1]}/0") as client:
            for call in (Inbox(client).claim, Inbox(client).check, Inbox(client).status):
                with pytest.raises(Unavailable, match="Redis does not answer"):
                    call()


# The fencing token


def test_a_later_claim_has_a_higher_fence_even_if_redis_lost_its_data(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    publish("a")
    before = claimed(inbox).fence
    redis_client.flushall()
    publish("a")
    inbox.flush()

    assert claimed(inbox).fence > before


@pytest.mark.parametrize("last", [2**52, 2**53 - 2])
def test_a_fence_never_goes_back_with_the_clock_and_is_exact(
    redis_client: Redis, inbox: Inbox, publish: Publish, last: int
) -> None:
    redis_client.set(SHARED.fence, last)
    publish("a")
    claim = claimed(inbox)

    assert claim.fence == last + 1
    inbox.renew(claim)
    inbox.keep_plan(claim, "{}")
    inbox.commit(claim, 1, 1)


# The way of a batch


def test_nothing_is_due_in_an_empty_inbox(inbox: Inbox) -> None:
    assert inbox.claim() is None
    assert inbox.idle()


def test_a_batch_is_claimed_read_and_committed(inbox: Inbox, publish: Publish) -> None:
    publish("a", "b")
    claim = claimed(inbox)

    fence = claim.fence
    assert claim == Claim(scope_key=key(), partition=0, fence=fence, attempt=1, batch_turns=4)
    assert texts(inbox.turns(claim)) == ["a", "b"]
    assert inbox.held(claim) == 2
    assert inbox.claim() is None
    inbox.commit(claim, 2, 4)
    assert inbox.pending(key()) == []
    assert inbox.idle()


def test_an_idle_scope_owns_no_key_but_what_expires(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    publish("a")
    claim = claimed(inbox)
    inbox.keep_plan(claim, "plan")
    inbox.commit(claim, 1, 2)
    left = redis_client.keys(f"*{key()}*")
    own = ScopeKeys(0, key())

    assert sorted(left) == sorted(name.encode() for name in (own.recent, own.seen))
    assert all(redis_client.ttl(name) > 0 for name in left)
    for shared in (SHARED.due, SHARED.busy, SHARED.lease, SHARED.attempts):
        assert redis_client.exists(shared) == 0


def test_what_is_left_waits_for_its_own_quiet(redis_client: Redis, publish: Publish) -> None:
    inbox = Inbox(redis_client)
    inbox.configure(PATIENT)
    publish("a", "b", "c", "d", "e")
    inbox.commit(claimed(inbox), 4, 8)

    assert texts(inbox.pending(key())) == ["e"]
    assert inbox.claim() is None
    assert inbox.status().pending_scopes == 1
    assert redis_client.hget(ScopeKeys(0, key()).meta, "tokens") == b"2"


def test_another_whole_batch_is_due_at_once(redis_client: Redis, publish: Publish) -> None:
    inbox = Inbox(redis_client)
    inbox.configure(PATIENT)
    publish(*"abcdefgh")
    inbox.commit(claimed(inbox), 4, 8)

    assert texts(inbox.turns(claimed(inbox))) == ["e", "f", "g", "h"]


def test_what_came_during_the_work_is_not_lost(inbox: Inbox, publish: Publish) -> None:
    publish("a")
    claim = claimed(inbox)
    publish("b")
    inbox.commit(claim, 1, 2)

    assert texts(inbox.turns(claimed(inbox))) == ["b"]


def test_the_scope_that_is_due_longest_comes_first_and_then_goes_to_the_back(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    publish(*"abcdefgh", user="noisy")
    publish("x", user="quiet")
    redis_client.zadd(SHARED.due, {key("noisy"): 1, key("quiet"): 2})
    first = claimed(inbox)
    inbox.commit(first, 4, 8)
    order = [first.scope_key, claimed(inbox).scope_key, claimed(inbox).scope_key]

    assert order == [key("noisy"), key("quiet"), key("noisy")]


def test_a_place_in_the_line_without_turns_is_passed_over(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    redis_client.zadd(SHARED.due, {"gone": 1})
    publish("a")

    assert claimed(inbox).scope_key == key()
    assert redis_client.zcard(SHARED.due) == 0


def test_a_kept_plan_is_there_for_the_successor(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    publish("a")
    claim = claimed(inbox)
    assert inbox.kept_plan(claim) is None
    inbox.keep_plan(claim, '{"plan": "ö"}')
    expire(redis_client)
    successor = claimed(inbox)

    assert (successor.fence > claim.fence, successor.attempt) == (True, 2)
    assert inbox.kept_plan(successor) == '{"plan": "ö"}'


# Whose lease it is


@pytest.mark.parametrize("successor", [False, True])
def test_a_stale_owner_changes_nothing(
    redis_client: Redis, inbox: Inbox, publish: Publish, successor: bool
) -> None:
    publish("a", "b")
    stale = claimed(inbox)
    expire(redis_client)
    fresh = claimed(inbox)
    if not successor:
        inbox.fail(fresh, 1000, burn=True)
    before = redis_client.dump(ScopeKeys(0, key()).turns), redis_client.zscore(SHARED.due, key())

    acts: list[Callable[[], None]] = [
        lambda: inbox.commit(stale, 2, 4),
        lambda: inbox.commit(stale, 2, 4, [Held(turn_id=UUID(int=1), reason="x")]),
        lambda: inbox.park(stale, 2, "x"),
        lambda: inbox.fail(stale, 0, burn=True),
        lambda: inbox.keep_plan(stale, "x"),
        lambda: inbox.renew(stale),
    ]
    for act in acts:
        with pytest.raises(LeaseLost, match=f"scope {key()} "):
            act()

    after = redis_client.dump(ScopeKeys(0, key()).turns), redis_client.zscore(SHARED.due, key())
    assert before == after
    assert inbox.parked(key()) == []
    assert redis_client.hget(SHARED.counters, "stale") == b"3"


def test_an_owner_that_nobody_replaced_may_still_commit(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    publish("a")
    claim = claimed(inbox)
    expire(redis_client)
    inbox.commit(claim, 1, 2)

    assert inbox.idle()


def test_a_silent_worker_s_scope_goes_to_another(inbox: Inbox, publish: Publish) -> None:
    inbox.lease_seconds = 0.05
    publish("a")
    first = claimed(inbox)
    found: list[Claim] = []

    def taken_over() -> bool:
        found.extend(filter(None, [inbox.claim()]))
        return bool(found)

    eventually(taken_over)

    assert found[0].fence > first.fence
    assert texts(inbox.turns(found[0])) == ["a"]


def test_a_renewed_lease_lasts(redis_client: Redis, inbox: Inbox, publish: Publish) -> None:
    publish("a")
    claim = claimed(inbox)
    expire(redis_client)
    inbox.renew(claim)

    assert inbox.claim() is None
    assert inbox.status().busy == 1


def test_many_dead_workers_do_not_make_one_claim_long(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    for at in range(30):
        publish("a", user=f"u{at}")
        claimed(inbox)
    redis_client.zadd(SHARED.busy, {key(f"u{at}"): 1 for at in range(30)})
    claimed(inbox)

    assert redis_client.hget(SHARED.counters, "expired") == b"20"
    assert {claimed(inbox).scope_key for _ in range(29)} <= {key(f"u{at}") for at in range(30)}


# When it fails


def test_a_failed_batch_comes_again_after_its_back_off(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    publish("a")
    inbox.fail(claimed(inbox), 1000, burn=True)

    assert inbox.claim() is None
    assert not inbox.idle()
    redis_client.zadd(SHARED.due, {key(): 1})
    again = claimed(inbox)
    assert (again.attempt, texts(inbox.turns(again))) == (2, ["a"])


def test_an_outage_uses_up_no_attempt_and_halves_nothing(inbox: Inbox, publish: Publish) -> None:
    publish(*"abcd")
    for _ in range(3):
        claim = claimed(inbox)
        assert (claim.attempt, claim.batch_turns) == (1, 4)
        inbox.fail(claim, 0, burn=False)


@pytest.mark.parametrize("crash", [False, True])
def test_a_batch_is_halved_with_each_failure_and_grows_back_with_each_commit(
    redis_client: Redis, inbox: Inbox, publish: Publish, crash: bool
) -> None:
    publish(*"abcdefghijkl")
    sizes = []
    for _ in range(4):
        claim = claimed(inbox)
        sizes.append((claim.attempt, claim.batch_turns))
        if crash:
            expire(redis_client)
        else:
            inbox.fail(claim, 0, burn=True)
    for _ in range(4):
        claim = claimed(inbox)
        sizes.append((claim.attempt, claim.batch_turns))
        inbox.commit(claim, claim.batch_turns, 2 * claim.batch_turns)

    assert sizes == [(1, 4), (2, 2), (3, 1), (4, 1), (5, 1), (1, 2), (1, 4), (1, 4)]


def test_a_small_batch_is_halved_from_what_it_holds(inbox: Inbox, publish: Publish) -> None:
    publish("a", "b")
    inbox.fail(claimed(inbox), 0, burn=True)

    assert texts(inbox.turns(claimed(inbox))) == ["a"]


def test_a_kept_plan_pins_its_batch(redis_client: Redis, inbox: Inbox, publish: Publish) -> None:
    publish(*"abcd")
    claim = claimed(inbox)
    inbox.keep_plan(claim, "plan")
    inbox.fail(claim, 0, burn=True)
    again = claimed(inbox)
    expire(redis_client)

    assert (again.batch_turns, claimed(inbox).batch_turns) == (4, 4)


def test_a_bad_turn_is_parked_with_its_reason_and_the_rest_goes_on(
    inbox: Inbox, publish: Publish
) -> None:
    publish("poison", "b", "c")
    inbox.fail(claimed(inbox), 0, burn=True)
    claim = claimed(inbox)
    inbox.park(claim, 1, "the model chokes on it")
    (parked,) = inbox.parked(key())
    rest = claimed(inbox)

    assert parked.turn is not None
    assert (parked.turn.text, parked.reason, parked.attempts) == (
        *("poison", "the model chokes on it"),
        2,
    )
    assert (rest.attempt, texts(inbox.turns(rest))) == (1, ["b", "c"])
    assert inbox.status().parked == 1
    assert inbox.status().pending_turns == 2


def test_a_commit_parks_what_a_person_has_to_look_at(inbox: Inbox, publish: Publish) -> None:
    publish("a", "b", "c")
    claim = claimed(inbox)
    turns = inbox.turns(claim)
    inbox.commit(claim, 3, 6, [Held(turn_id=turns[1].id, reason="replaces too much")])

    assert [(p.turn and p.turn.text, p.reason) for p in inbox.parked(key())] == [
        ("b", "replaces too much")
    ]
    assert inbox.idle()


@pytest.mark.parametrize("junk", [b"junk", b"1764482000000 {}", b"1764482000000 \xff"])
def test_a_payload_that_nobody_can_read_stands_alone_and_blocks_nobody(
    redis_client: Redis, inbox: Inbox, publish: Publish, junk: bytes
) -> None:
    publish("a")
    redis_client.rpush(ScopeKeys(0, key()).turns, junk)
    publish("b")
    claim = claimed(inbox)
    assert texts(inbox.turns(claim)) == ["a"]
    inbox.commit(claim, 1, 2)
    claim = claimed(inbox)

    with pytest.raises(Unreadable, match=f"scope {key()} is no turn"):
        inbox.turns(claim)
    assert inbox.held(claim) == 1
    inbox.park(claim, 1, "unreadable")
    assert texts(inbox.turns(claimed(inbox))) == ["b"]
    assert [parked.turn for parked in inbox.parked(key())] == [None]


def test_a_turn_of_another_scope_is_never_read(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    publish("secret", user="bob")
    stolen = redis_client.lrange(ScopeKeys(0, key("bob")).turns, 0, -1)
    publish("mine")
    redis_client.lpush(ScopeKeys(0, key()).turns, *stolen)
    redis_client.zadd(SHARED.due, {key(): 1})

    with pytest.raises(Unreadable, match="names another scope"):
        inbox.turns(claimed(inbox))
    assert texts(inbox.pending(key())) == ["mine"]


def test_what_waits_of_a_scope_is_counted_while_it_is_worked_on(
    inbox: Inbox, publish: Publish
) -> None:
    before = inbox.waiting(key())
    publish("a", "b")
    publish("of another", user="bo")
    claim = claimed(inbox)

    assert (before, inbox.waiting(key())) == (0, 2)
    inbox.commit(claim, 2, 4)
    assert inbox.waiting(key()) == 0


# Context


def test_the_last_turns_of_a_conversation_are_kept_for_the_next_batch(
    inbox: Inbox, publish: Publish
) -> None:
    publish("a", "b", conversation="one")
    publish("c", conversation="two")
    inbox.commit(claimed(inbox), 3, 6)
    publish("d", "e", conversation="one")
    claim = claimed(inbox)

    assert texts(inbox.context(claim, ["one", "one"])) == ["a", "b"]
    assert texts(inbox.context(claim, ["two", "one", "none"])) == ["c", "a", "b"]
    inbox.commit(claim, 2, 4)
    publish("f")
    assert texts(inbox.context(claimed(inbox), ["one"])) == ["b", "d", "e"]


def test_parked_and_automated_turns_are_no_context(inbox: Inbox, publish: Publish) -> None:
    publish("poison", "a")
    publish("heartbeat", automated=True)
    claim = claimed(inbox)
    turns = inbox.turns(claim)
    inbox.commit(claim, 3, 6, [Held(turn_id=turns[0].id, reason="x")])
    publish("b")

    assert texts(inbox.context(claimed(inbox), ["default"])) == ["a"]


def test_context_stays_bounded(redis_client: Redis, inbox: Inbox, publish: Publish) -> None:
    for at in range(40):
        publish("a", conversation=f"c{at}")
        inbox.commit(claimed(inbox), 1, 2)
    kept = redis_client.hkeys(ScopeKeys(0, key()).recent)

    assert {name.decode() for name in kept} == {f"c{at}" for at in range(8, 40)}


# Doorbells, flush, figures


def test_as_many_bells_ring_as_there_is_work_that_none_is_out_for(
    inbox: Inbox, publish: Publish
) -> None:
    bells = [f"b{at}" for at in range(5)]
    assert inbox.ring(bells, 60, 5) == 0
    for at in range(3):
        publish("a", user=f"u{at}")

    assert inbox.ring(bells, 60, 2) == 2
    assert inbox.ring(bells[2:], 60, 5) == 1
    assert inbox.ring(bells[3:], 60, 5) == 0
    inbox.answered("b0")
    assert inbox.ring(bells[3:], 60, 5) == 1


def test_a_lost_bell_is_rung_again(redis_client: Redis, inbox: Inbox, publish: Publish) -> None:
    publish("a")
    assert inbox.ring(["b0"], 60, 5) == 1
    assert inbox.ring(["b1"], 60, 5) == 0
    redis_client.zadd(SHARED.bells, {"b0": 1})

    assert inbox.ring(["b1"], 60, 5) == 1


def test_a_dead_worker_s_scope_rings_too(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    publish("a")
    claimed(inbox)
    assert inbox.ring(["b0"], 60, 5) == 0
    expire(redis_client)

    assert inbox.ring(["b0"], 60, 5) == 1


def test_a_flushed_scope_is_due_with_all_that_it_has(redis_client: Redis, publish: Publish) -> None:
    inbox = Inbox(redis_client)
    inbox.configure(PATIENT)
    publish("x", user="bob")
    publish(*"abc")
    inbox.flush(key())
    publish("d")
    claim = claimed(inbox)
    inbox.commit(claim, 2, 4)
    rest = claimed(inbox)

    assert claim.scope_key == rest.scope_key == key()
    assert texts(inbox.turns(rest)) == ["c", "d"]
    assert inbox.claim() is None


def test_a_busy_scope_is_flushed_when_its_batch_is_done(
    redis_client: Redis, publish: Publish
) -> None:
    inbox = Inbox(redis_client)
    inbox.configure(PATIENT)
    publish(*"abcde")
    claim = claimed(inbox)
    inbox.flush()
    assert inbox.claim() is None
    inbox.commit(claim, 4, 8)

    assert texts(inbox.turns(claimed(inbox))) == ["e"]


def test_a_flush_of_everything_leaves_back_offs_alone_and_one_of_a_scope_does_not(
    redis_client: Redis, publish: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.adapters.inbox._FLUSH_PORTION", 2)
    inbox = Inbox(redis_client)
    inbox.configure(PATIENT)
    for at in range(3):
        publish(*"abcd", user=f"bad{at}")
        inbox.fail(claimed(inbox), 100, burn=True)
    for at in range(5):
        publish("a", user=f"u{at}")
    inbox.flush()
    found = {claimed(inbox).scope_key for _ in range(5)}

    assert found == {key(f"u{at}") for at in range(5)}
    assert inbox.claim() is None
    inbox.flush(key("bad1"))
    assert claimed(inbox).scope_key == key("bad1")


def test_a_flush_of_nothing_does_nothing(redis_client: Redis, inbox: Inbox) -> None:
    inbox.flush()
    inbox.flush(key())

    assert inbox.claim() is None
    assert redis_client.keys("*:meta:*") == []


def test_status_shows_what_waits_what_is_worked_on_and_what_was_parked(
    redis_client: Redis, inbox: Inbox, publish: Publish
) -> None:
    publish("a", user="busy")
    claimed(inbox)
    publish("bad", user="parked")
    inbox.park(claimed(inbox), 1, "x")
    publish("b", "c", user="ready")
    redis_client.zadd(SHARED.due, {key("ready"): 1})
    publish("d", user="later")
    redis_client.zadd(SHARED.due, {key("later"): 1e15})
    status = inbox.status()

    assert (status.pending_turns, status.pending_scopes) == (4, 3)
    assert (status.busy, status.parked, status.ready) == (1, 1, 1)
    assert status.oldest_ready_seconds > 1e9
    assert not inbox.idle()


def test_a_scope_in_work_is_not_idle(inbox: Inbox, publish: Publish) -> None:
    publish("a")
    claim = claimed(inbox)
    assert not inbox.idle()
    inbox.commit(claim, 1, 2)
    assert inbox.idle()


# Several partitions, several workers, restarts


def test_partitions_are_worked_off_as_one_line(redis_client: Redis, publish: Publish) -> None:
    inbox = Inbox(redis_client, partitions=4)
    inbox.configure(AT_ONCE)
    users = [f"u{at}" for at in range(12)]
    for at, user in enumerate(users):
        publish("a", user=user)
        partition = partition_of(key(user), 4)
        redis_client.zadd(PartitionKeys(partition).due, {key(user): at})
    assert inbox.ring(["b"] * 20, 60, 20) == 12
    assert inbox.status().pending_turns == 12
    order = []
    while claim := inbox.claim():
        order.append(claim.scope_key)
        inbox.commit(claim, 1, 2)

    assert order == [key(user) for user in users]
    assert inbox.idle()


def test_one_scope_is_never_in_two_hands(redis_client: Redis, publish: Publish) -> None:
    inbox = Inbox(redis_client)
    inbox.configure(AT_ONCE)
    for at in range(8):
        publish(*"abcdef", user=f"u{at}")
    done: list[str] = []

    def work(_: int) -> None:
        while claim := inbox.claim():
            turns = inbox.turns(claim)
            done.extend(str(turn.id) for turn in turns)
            inbox.commit(claim, len(turns), 0)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))

    assert len(done) == len(set(done)) == 48
    assert inbox.idle()


def test_everything_survives_a_kill_of_redis(redis_server: RedisServer) -> None:
    with connect(redis_server.url) as client:
        inbox = Inbox(client)
        inbox.configure(AT_ONCE)
        producer = Producer(client)
        for text in ("a", "b"):
            producer.publish({"app": "acme", "user": "alice", "role": "user", "text": text})
        claim = claimed(inbox)
        inbox.keep_plan(claim, "plan")
        redis_server.kill()
        with pytest.raises(Unavailable):
            inbox.renew(claim)
        redis_server.start()
        inbox.renew(claim)

        assert inbox.kept_plan(claim) == "plan"
        inbox.commit(claim, 2, 4)
        assert inbox.idle()


# Whatever happens in between, each turn comes out once and in order

USERS = ("alice", "bob", "carol")
STEPS = st.one_of(
    st.tuples(st.just("publish"), st.sampled_from(USERS)),
    st.tuples(
        st.sampled_from(["claim", "plan", "commit", "fail", "give back", "park", "crash", "flush"]),
        st.integers(0, 3),
    ),
)


@pytest.fixture(scope="module")
def module_client(redis_url: str) -> Iterator[Redis]:
    with connect(redis_url) as client:
        yield client


@settings(
    max_examples=examples(100),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(STEPS, min_size=10, max_size=60))
def test_turns_come_out_once_and_in_order_whatever_happens(
    module_client: Redis, steps: list[tuple[str, Any]]
) -> None:
    module_client.flushall()
    world = World(module_client)
    for action, argument in steps:
        world.act(action, argument)
    world.finish()

    assert world.settled == world.published
    assert world.inbox.status().pending_turns == 0
    assert module_client.zcard(SHARED.due) == module_client.zcard(SHARED.busy) == 0
    assert module_client.keys("*:turns:*") + module_client.keys("*:meta:*") == []


class World:
    """Publishers and forgetful workers, and a plain list of what went in."""

    def __init__(self, client: Redis) -> None:
        self.client = client
        self.inbox = Inbox(client)
        self.inbox.configure(Limits(batch_turns=3, quiet_seconds=0))
        self.producer = Producer(client)
        self.published: dict[str, list[str]] = {key(user): [] for user in USERS}
        self.settled: dict[str, list[str]] = {key(user): [] for user in USERS}
        #: Claims that somebody believes to hold; the last one of each scope really does.
        self.claims: list[Claim] = []
        self.count = 0

    def act(self, action: str, argument: Any) -> None:
        match action:
            case "publish":
                self._publish(argument)
            case "claim":
                self.claims.extend(filter(None, [self.inbox.claim()]))
            case "crash":
                self._crash()
            case "flush":
                self.inbox.flush()
            case _ if self.claims:
                self._work(action, self.claims[argument % len(self.claims)])
            case _:
                pass

    def finish(self) -> None:
        self._crash()
        while claim := self.inbox.claim():
            self._work("commit", claim)

    def _publish(self, user: str) -> None:
        self.count += 1
        line = {"app": "acme", "user": user, "role": "user", "text": str(self.count)}
        line["id"] = line["text"]
        answers = [self.producer.publish(line).status for _ in range(2)]
        assert answers == ["accepted", "duplicate"]
        self.published[key(user)].append(str(self.count))

    def _crash(self) -> None:
        """All leases run out at once."""
        for scope in self.client.zrange(SHARED.busy, 0, -1):
            assert isinstance(scope, bytes)
            self.client.zadd(SHARED.busy, {scope.decode(): 1})

    def _work(self, action: str, claim: Claim) -> None:
        newest = self.client.hget(SHARED.lease, claim.scope_key) == str(claim.fence).encode()
        turns = self.inbox.turns(claim) if newest else []
        try:
            self._end(action, claim, max(1, len(turns)))
        except LeaseLost:
            assert not newest
            return
        assert newest
        if action in {"commit", "park"}:
            self.settled[claim.scope_key] += texts(turns)

    def _end(self, action: str, claim: Claim, count: int) -> None:
        match action:
            case "commit":
                self.inbox.commit(claim, count, count)
            case "park":
                self.inbox.park(claim, count, "x")
            case "plan":
                self.inbox.keep_plan(claim, "plan")
            case _:
                self.inbox.fail(claim, 0, burn=action == "fail")


def test_failures_that_use_up_no_attempt_are_counted_until_a_commit(
    inbox: Inbox, publish: Publish
) -> None:
    publish("a")
    misses = []
    for _ in range(3):
        claim = claimed(inbox)
        misses.append(claim.misses)
        inbox.fail(claim, 0, burn=False, reason="down")
    inbox.commit(claimed(inbox), 1, 1)
    publish("b")

    assert misses == [0, 1, 2]
    assert claimed(inbox).misses == 0


def test_what_backs_off_is_flushed_only_where_one_is_told_to(
    inbox: Inbox, publish: Publish
) -> None:
    publish("a")
    inbox.fail(claimed(inbox), 1000, burn=False, reason="down")

    inbox.flush()
    assert inbox.claim() is None

    inbox.flush(backing_off=True)
    assert inbox.claim() is not None
