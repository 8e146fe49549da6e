"""What the fleet remembers of parts that fail, on a real Redis."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis

from worker.adapters.breaker import FORGET_SECONDS, Breaker
from worker.adapters.inbox import Claim
from worker.core.failing.breaker import Failing, is_own, rest_seconds
from worker.errors import Part

#: Attempts of a turn that stands alone.
MOST = 5


@pytest.fixture
def breaker(redis_client: Redis) -> Breaker:
    return Breaker(redis_client)


def claim(redis: Redis, scope: str) -> Claim:
    """As one that the inbox gives out now."""
    seconds, us = redis.time()
    fence = seconds * 1_000_000 + us
    return Claim(scope_key=scope, partition=0, fence=fence, attempt=1, batch_turns=1)


def fail(breaker: Breaker, redis: Redis, scope: str) -> Failing:
    failing = breaker.failed("model", claim(redis, scope))
    if seconds := rest_seconds(failing):
        breaker.rest("model", failing, seconds)
    return failing


@pytest.fixture
def resting(breaker: Breaker, redis_client: Redis) -> Breaker:
    """The model has failed several scopes."""
    for scope in "abc":
        fail(breaker, redis_client, scope)
    return breaker


def test_a_fleet_without_failures_owns_no_key(breaker: Breaker, redis_client: Redis) -> None:
    assert not breaker.ask().is_shut
    breaker.served({"model", "store"}, claim(redis_client, "a"))

    assert redis_client.keys() == []


def test_what_is_remembered_is_forgotten_by_itself(resting: Breaker, redis_client: Redis) -> None:
    (key,) = redis_client.keys()

    assert 0 < redis_client.ttl(key) <= FORGET_SECONDS


def test_several_scopes_that_fail_in_a_row_keep_everyone_from_claiming(resting: Breaker) -> None:
    gate = resting.ask()

    assert gate.is_shut
    assert gate.part == "model"
    assert 0 < gate.seconds <= 5


def test_who_watches_sees_what_rests_and_takes_nobody_s_probe(
    resting: Breaker, redis_client: Redis
) -> None:
    (key,) = redis_client.keys()
    told = resting.resting()
    redis_client.hset(str(key.decode()), "rest:model", "1 1 1")

    assert told.keys() == {"model"}
    assert 0 < told["model"] <= 5
    assert resting.resting() == {"model": 0}
    assert resting.ask().probe


def test_each_part_that_rests_is_seen_and_none_in_a_healthy_fleet(
    breaker: Breaker, redis_client: Redis
) -> None:
    before = breaker.resting()
    parts: tuple[Part, ...] = ("model", "store")
    for part in parts:
        breaker.rest(part, breaker.failed(part, claim(redis_client, "a")), 60)

    assert before == {}
    assert breaker.resting().keys() == {"model", "store"}
    assert all(59 < seconds <= 60 for seconds in breaker.resting().values())


def test_one_scope_alone_stops_nobody(breaker: Breaker, redis_client: Redis) -> None:
    for _ in range(9):
        fail(breaker, redis_client, "a")

    assert not breaker.ask().is_shut


def test_a_part_that_serves_one_of_them_meanwhile_goes_on(
    breaker: Breaker, redis_client: Redis
) -> None:
    for scope in "abcdef":
        fail(breaker, redis_client, scope)
        breaker.served({"model"}, claim(redis_client, "another"))

    assert not breaker.ask().is_shut


def test_what_another_part_serves_says_nothing_of_this_one(
    breaker: Breaker, redis_client: Redis
) -> None:
    for scope in "abc":
        fail(breaker, redis_client, scope)
        breaker.served({"store", "embedder"}, claim(redis_client, "another"))

    assert breaker.ask().part == "model"


def test_one_probe_goes_and_the_others_find_it_shut(resting: Breaker) -> None:
    probe = resting.ask(at_once=True)

    assert probe.probe
    assert not probe.is_shut
    assert resting.ask().is_shut
    assert resting.look().is_shut


def test_looking_takes_no_probe(resting: Breaker, redis_client: Redis) -> None:
    resting.let_go(resting.ask(at_once=True))

    assert resting.look().part == "model"
    assert not resting.look().is_shut
    assert resting.ask().probe


def test_a_probe_that_is_served_opens_the_way_for_all(
    resting: Breaker, redis_client: Redis
) -> None:
    resting.ask(at_once=True)
    resting.served({"model"}, claim(redis_client, "a"))

    gate = resting.ask()

    assert gate.part is None
    assert not gate.is_shut


def test_a_probe_that_fails_makes_the_rest_longer_and_giving_it_back_does_not_shorten_it(
    resting: Breaker, redis_client: Redis
) -> None:
    probe = resting.ask(at_once=True)
    fail(resting, redis_client, "d")
    resting.let_go(probe)

    gate = resting.ask()

    assert gate.is_shut
    assert 5 < gate.seconds <= 10


def test_what_was_under_way_when_the_rest_began_does_not_prolong_it(
    breaker: Breaker, redis_client: Redis
) -> None:
    under_way = [claim(redis_client, scope) for scope in "defg"]
    for scope in "abc":
        fail(breaker, redis_client, scope)
    for late in under_way:
        assert rest_seconds(breaker.failed("model", late)) == 0


def test_of_two_that_saw_the_same_failures_one_begins_the_rest(
    breaker: Breaker, redis_client: Redis
) -> None:
    fail(breaker, redis_client, "a")
    fail(breaker, redis_client, "b")
    both = [breaker.failed("model", claim(redis_client, scope)) for scope in "cd"]
    breaker.rest("model", both[0], 5)
    breaker.rest("model", both[1], 300)

    assert breaker.ask().seconds <= 5


def test_a_part_that_answers_something_else_vouches_for_itself(
    breaker: Breaker, redis_client: Redis
) -> None:
    breaker.answered("model", fail(breaker, redis_client, "a"))

    assert is_own(fail(breaker, redis_client, "a"))


def test_work_that_was_begun_before_a_failure_does_not_vouch(
    breaker: Breaker, redis_client: Redis
) -> None:
    early = claim(redis_client, "another")
    fail(breaker, redis_client, "a")
    breaker.served({"model"}, early)

    assert not is_own(fail(breaker, redis_client, "a"))


def test_a_scope_that_was_served_begins_anew(breaker: Breaker, redis_client: Redis) -> None:
    fail(breaker, redis_client, "a")
    breaker.served({"model"}, claim(redis_client, "another"))
    breaker.served({"model"}, claim(redis_client, "a"))

    assert not is_own(fail(breaker, redis_client, "a"))


#: Who tries, one after the other or overlapping: (scope, whether it ends before the next begins).
TRIES = st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), min_size=1, max_size=40)
ON_REDIS = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def played(redis: Redis, tries: list[tuple[str, bool]]) -> Iterator[Claim]:
    """Claims in the order in which they end: each scope has one at a time."""
    under_way: dict[str, Claim] = {}
    for scope, ends in tries:
        under_way.setdefault(scope, claim(redis, scope))
        if ends:
            yield under_way.pop(scope)
    yield from under_way.values()


@ON_REDIS
@given(before=TRIES, during=TRIES, late=st.lists(st.integers(0, 40), max_size=6))
def test_no_outage_of_whatever_length_uses_up_an_attempt(
    redis_client: Redis,
    before: list[tuple[str, bool]],
    during: list[tuple[str, bool]],
    late: list[int],
) -> None:
    """`late`: what was served before the outage is heard of in the midst of it."""
    redis_client.flushall()
    breaker = Breaker(redis_client)
    for done in played(redis_client, before):
        breaker.served({"model"}, done)
    served = [(at, claim(redis_client, f"late {at}")) for at in late]

    for step, done in enumerate(played(redis_client, during)):
        assert not is_own(breaker.failed("model", done))
        for at, straggler in served:
            if at == step:
                breaker.served({"model"}, straggler)


@ON_REDIS
@given(others=TRIES)
def test_a_poisonous_turn_uses_up_its_attempts_while_others_are_served(
    redis_client: Redis, others: list[tuple[str, bool]]
) -> None:
    redis_client.flushall()
    breaker = Breaker(redis_client)
    burnt = []
    for _ in range(MOST + 1):
        burnt.append(is_own(breaker.failed("model", claim(redis_client, "poison"))))
        for done in played(redis_client, others):
            breaker.served({"model"}, done)

    assert burnt == [False, *[True] * MOST]
