"""Read your writes: what a ticket tells, whatever happens to its turn."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from redis import Redis

import producers.producer as producer_module
from producers.answer import Settled
from producers.producer import AsyncProducer, Producer
from schemas.keys import PartitionKeys, ScopeKeys
from schemas.limits import Limits
from schemas.scope import Scope
from tests.redis_service import RedisServer
from worker.adapters.inbox import Claim, Inbox
from worker.adapters.redis_server import connect

SCOPE = Scope(app="acme", user="alice")
OWN = ScopeKeys(0, SCOPE.key)


@dataclass
class Queue:
    """A producer, and a worker that takes what it is told to take."""

    redis: Redis
    producer: Producer = field(init=False)
    inbox: Inbox = field(init=False)

    def __post_init__(self) -> None:
        self.producer, self.inbox = Producer(self.redis), Inbox(self.redis)
        self.inbox.configure(Limits(batch_turns=1, quiet_seconds=0))

    def say(self, text: str, status: str = "accepted") -> str:
        line = {"app": "acme", "user": "alice", "role": "user", "text": text, "id": text}
        answer = self.producer.publish(line)
        assert (answer.status, bool(answer.ticket)) == (status, True)
        return answer.ticket or ""

    def claim(self) -> Claim:
        self.inbox.flush(SCOPE.key)
        claim = self.inbox.claim()
        assert claim
        return claim

    def settle(self, turns: int = 1) -> None:
        for _ in range(turns):
            self.inbox.commit(self.claim(), 1, 2)

    def park(self) -> None:
        self.inbox.park(self.claim(), 1, "too sweet")

    def look(self, ticket: str) -> Settled:
        return self.producer.wait(ticket, 0)

    def status(self, *tickets: str) -> list[str]:
        return [self.look(ticket).status for ticket in tickets]


@pytest.fixture
def queue(redis_client: Redis) -> Queue:
    return Queue(redis_client)


def test_turns_are_over_one_after_the_other(queue: Queue) -> None:
    tickets = [queue.say(text) for text in ("a", "b", "c")]
    seen = [queue.status(*tickets)]
    for _ in tickets:
        queue.settle()
        seen.append(queue.status(*tickets))

    assert seen == [
        ["consolidated"] * done + ["waiting"] * (3 - done) for done in range(len(tickets) + 1)
    ]


def test_one_that_is_worked_on_or_backs_off_still_waits(queue: Queue) -> None:
    ticket = queue.say("a")
    claim = queue.claim()
    held = queue.status(ticket)
    queue.inbox.fail(claim, 1000, burn=True)

    assert (held, queue.status(ticket)) == (["waiting"], ["waiting"])
    assert "see that a worker runs" in (queue.look(ticket).message or "")


def test_a_parked_turn_is_over_and_says_why(queue: Queue) -> None:
    ticket, other = queue.say("a"), queue.say("b")
    queue.park()
    settled = queue.look(ticket)

    assert (settled.status, settled.is_over) == ("parked", True)
    assert settled.message == "it was put aside: too sweet"
    assert queue.status(other) == ["waiting"]


def test_a_parked_turn_that_was_put_back_waits_again_at_its_new_place(queue: Queue) -> None:
    ticket, other = queue.say("a"), queue.say("b")
    queue.park()
    queue.inbox.parking.replay(list(queue.inbox.parking.letters(SCOPE.key)))
    again = [queue.status(ticket, other)]
    for _ in range(2):
        queue.settle()
        again.append(queue.status(ticket, other))

    assert again == [
        ["waiting", "waiting"],
        ["waiting", "consolidated"],
        ["consolidated", "consolidated"],
    ]


def test_one_that_is_parked_once_more_is_parked(queue: Queue) -> None:
    ticket = queue.say("a")
    queue.park()
    queue.inbox.parking.replay(list(queue.inbox.parking.letters(SCOPE.key)))
    queue.park()

    assert queue.status(ticket) == ["parked"]


def test_a_duplicate_s_ticket_is_not_over_before_the_original(queue: Queue) -> None:
    first = queue.say("a")
    queue.say("b")
    twin = queue.say("a", "duplicate")
    before = queue.status(first, twin)
    queue.settle(2)
    late = queue.say("a", "duplicate")

    assert before == ["waiting", "waiting"]
    assert queue.status(first, twin, late) == ["consolidated"] * 3


def test_a_count_is_never_taken_for_one_of_another_stretch(queue: Queue) -> None:
    tickets = [queue.say(text) for text in ("a", "b", "c")]
    queue.settle(3)
    new = queue.say("d")

    assert queue.status(*tickets) == ["consolidated"] * 3
    assert queue.status(new) == ["waiting"]


def test_turns_that_waited_before_there_were_tickets_come_first(
    queue: Queue, redis_client: Redis
) -> None:
    queue.say("a")
    redis_client.hdel(OWN.meta, "since")  # as a producer of an older version leaves it
    ticket = queue.say("b")
    queue.settle()
    before = queue.status(ticket)
    queue.settle()

    assert (before, queue.status(ticket)) == (["waiting"], ["consolidated"])


def test_an_idle_scope_owns_no_key_for_its_tickets(queue: Queue, redis_client: Redis) -> None:
    ticket = queue.say("a")
    queue.settle()
    kept = {OWN.recent.encode(), OWN.seen.encode()}

    assert queue.status(ticket) == ["consolidated"]
    assert set(redis_client.keys(f"*{SCOPE.key}*")) == kept
    assert all(redis_client.ttl(name.decode()) > 0 for name in kept)


@pytest.mark.parametrize("loss", ["forgotten", "all", "dropped"])
def test_what_redis_does_not_remember_is_not_called_done(
    queue: Queue, redis_client: Redis, loss: str
) -> None:
    ticket = queue.say("a")
    match loss:
        case "forgotten":
            queue.settle()
            redis_client.delete(OWN.seen)
        case "all":
            redis_client.flushall()
        case _:
            queue.park()
            queue.inbox.parking.drop(list(queue.inbox.parking.letters(SCOPE.key)))
    settled = queue.look(ticket)

    assert (settled.status, settled.is_over) == ("unknown", True)
    assert "publish it again" in (settled.message or "")


def test_a_turn_that_redis_lost_with_its_tail_is_not_called_done(
    queue: Queue, redis_client: Redis
) -> None:
    queue.say("a")
    ticket = queue.say("lost")
    redis_client.rpop(OWN.turns)
    redis_client.zrem(OWN.seen, str(queue.look(ticket).turn_id))
    queue.say("c")
    before = queue.status(ticket)
    queue.settle(2)

    assert before == ["waiting"]
    assert queue.status(ticket) == ["unknown"]


@dataclass
class Clock:
    """Time that passes only in sleep."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)
    meanwhile: Callable[[int], object] = lambda _: None

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        self.meanwhile(len(self.slept))


def test_it_waits_until_the_turn_is_over(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    ticket = queue.say("a")
    clock = Clock(meanwhile=lambda looks: queue.settle() if looks == 5 else None)
    monkeypatch.setattr(producer_module, "time", clock)

    assert queue.producer.wait(ticket, 60).status == "consolidated"
    assert len(clock.slept) == 5


def test_it_waits_no_longer_than_it_was_told(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(producer_module, "time", clock)

    assert queue.producer.wait(queue.say("a"), 3.0).status == "waiting"
    assert sum(clock.slept) == pytest.approx(3.0)


def test_what_expires_during_the_wait_ends_it(
    queue: Queue, redis_client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket = queue.say("a")
    clock = Clock(meanwhile=lambda looks: redis_client.flushall() if looks == 3 else None)
    monkeypatch.setattr(producer_module, "time", clock)

    assert queue.producer.wait(ticket, 60).status == "unknown"


def test_an_outage_is_waited_out_as_far_as_there_is_time(
    redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect(redis_server.url) as client:
        queue = Queue(client)
        ticket = queue.say("a")

        def meanwhile(looks: int) -> None:
            if looks == 1:
                redis_server.kill()
            if looks == 3:
                redis_server.start()
                queue.settle()

        monkeypatch.setattr(producer_module, "time", Clock(meanwhile=meanwhile))
        settled = queue.producer.wait(ticket, 60)
        redis_server.kill()
        gone = queue.producer.wait(ticket, 0)

    assert settled.status == "consolidated"
    assert (gone.status, gone.is_over) == ("unavailable", False)
    assert "ConnectionError" in (gone.message or "")


def test_a_ticket_works_in_another_process(queue: Queue, redis_url: str) -> None:
    handed_on = json.dumps({"ticket": queue.say("a")})
    queue.settle()
    script = (
        "import json, sys; from producers.producer import Producer;"
        "print(Producer(sys.argv[1]).wait(json.loads(sys.argv[2])['ticket'], 5).status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, redis_url, handed_on],
        check=True,
        capture_output=True,
        text=True,
    )

    assert done.stdout == "consolidated\n"


def test_a_scope_s_tickets_are_asked_about_in_its_partition(redis_client: Redis) -> None:
    Inbox(redis_client, partitions=4).configure(Limits(quiet_seconds=0))
    producer = Producer(redis_client)
    inbox = Inbox(redis_client, partitions=4)
    tickets = [
        producer.publish(
            {"app": "acme", "user": f"user {at}", "role": "user", "text": "Hi."}
        ).ticket
        or ""
        for at in range(8)
    ]
    before = {Producer(redis_client).wait(ticket, 0).status for ticket in tickets}
    while claim := inbox.claim():
        inbox.commit(claim, 1, 2)

    assert before == {"waiting"}
    assert {producer.wait(ticket, 0).status for ticket in tickets} == {"consolidated"}


def test_asyncio_waits_as_well_and_keeps_others_going(queue: Queue, redis_url: str) -> None:
    async def scenario() -> list[str]:
        async with AsyncProducer(redis_url) as producer:
            line = {"app": "acme", "user": "alice", "role": "user", "text": "a", "id": "a"}
            ticket = (await producer.publish(line)).ticket or ""
            early = await producer.wait(ticket, 0)
            waiting = asyncio.create_task(producer.wait(ticket, 20))
            await asyncio.sleep(0)
            await asyncio.to_thread(queue.settle)
            return [early.status, (await waiting).status]

    assert asyncio.run(scenario()) == ["waiting", "consolidated"]


def test_a_full_redis_still_says_what_became_of_a_turn(redis_server: RedisServer) -> None:
    with connect(redis_server.url) as client:
        queue = Queue(client)
        ticket = queue.say("a")
        client.config_set("maxmemory", 1)

        assert queue.status(ticket) == ["waiting"]


def test_what_is_no_ticket_is_refused(queue: Queue) -> None:
    with pytest.raises(ValueError, match="is no ticket"):
        queue.producer.wait("tomorrow", 0)


def test_a_ticket_names_no_one(queue: Queue) -> None:
    assert "alice" not in queue.say("a")
    assert PartitionKeys(0).scopes not in queue.say("b")


def test_without_a_ticket_nothing_is_waited_for(redis_client: Redis) -> None:
    settled = Producer(redis_client).wait(None, timeout=5)

    assert (settled.status, settled.turn_id) == ("unknown", None)
    assert settled.is_over


def test_a_turn_that_was_dropped_and_published_anew_waits_again(redis_client: Redis) -> None:
    queue = Queue(redis_client)
    queue.say("x")
    for text in ("a", "b", "c"):
        queue.say(text)
    parking = queue.inbox.parking
    queue.inbox.park(queue.claim(), 1, "bad")
    assert parking.replay(list(parking.letters())) == 1
    for _ in "abc":
        claim = queue.claim()
        queue.inbox.commit(claim, 1, 1)
        queue.say(f"after {claim.fence}")
    queue.inbox.park(queue.claim(), 1, "bad again")
    assert parking.drop(list(parking.letters())) == 1

    ticket = queue.say("x")

    assert queue.producer.wait(ticket, timeout=0).status == "waiting"
