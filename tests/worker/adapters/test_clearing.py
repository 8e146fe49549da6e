"""What leaves the queue unread: what was forgotten, and erased scopes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redis import Redis

from producers.answer import Answer
from producers.producer import Producer
from schemas.keys import PartitionKeys, ScopeKeys, partition_of
from schemas.limits import Limits
from schemas.scope import Scope
from tests.redis_fleet import Cluster
from worker.adapters.breaker import Breaker
from worker.adapters.clearing import Queued
from worker.adapters.inbox import Claim, Inbox
from worker.adapters.redis_server import connect
from worker.adapters.scripts import Scripts
from worker.adapters.spending import Spending
from worker.errors import LeaseLost

SCOPE = Scope(app="acme", user="alice")
NOW = datetime.now(UTC)
LONG_AGO, FAR_AHEAD = NOW - timedelta(days=900), NOW + timedelta(days=900)


@dataclass
class Queue:
    """A publisher and a worker of one scope, in any number of partitions."""

    redis: Redis
    scope: Scope = SCOPE
    partitions: int = 1
    batch: int = 3
    producer: Producer = field(init=False)
    inbox: Inbox = field(init=False)

    def __post_init__(self) -> None:
        self.inbox = Inbox(self.redis, self.partitions, context_turns=3)
        self.inbox.configure(Limits(batch_turns=self.batch, quiet_seconds=0))
        self.producer = Producer(self.redis)

    @property
    def key(self) -> str:
        return self.scope.key

    @property
    def own(self) -> ScopeKeys:
        return ScopeKeys(partition_of(self.key, self.partitions), self.key)

    @property
    def shared(self) -> PartitionKeys:
        return PartitionKeys(self.own.partition)

    def say(self, text: str, **fields: str) -> Answer:
        line = {"app": self.scope.app, "user": self.scope.user, "role": "user", "text": text}
        return self.producer.publish({**line, "id": text, **fields})

    def claim(self) -> Claim:
        self.inbox.flush(self.key)
        claim = self.inbox.claim()
        assert claim
        return claim

    def drop(self, *texts: str) -> int:
        claim = self.inbox.claim_scope(self.key)
        assert claim
        gone = self.inbox.drop_turns(claim, [id_of(self.inbox, self.key, text) for text in texts])
        self.inbox.release(claim)
        return gone

    def settle(self, turns: int = 1) -> None:
        for _ in range(turns):
            self.inbox.commit(self.claim(), 1, 2)

    def texts(self) -> list[str]:
        return [turn.text for turn in self.inbox.pending(self.key)]

    def status(self, *answers: Answer) -> list[str]:
        return [self.producer.wait(answer.ticket, 0).status for answer in answers]

    def erase(self, until: datetime = FAR_AHEAD) -> Queued:
        taken = self.inbox.seize(self.key)
        gone = self.inbox.evict(taken.claim, taken.waiting, until)
        self.inbox.release(taken.claim)
        return gone


def id_of(inbox: Inbox, key: str, text: str) -> UUID:
    (found,) = [turn.id for turn in inbox.pending(key) if turn.text == text]
    return found


@pytest.fixture
def queue(redis_client: Redis) -> Queue:
    return Queue(redis_client)


# Pending turns


def test_dropped_turns_leave_the_inbox_and_the_others_keep_their_order(queue: Queue) -> None:
    for text in "abcde":
        queue.say(text)

    assert queue.drop("a", "d") == 2
    assert queue.texts() == ["b", "c", "e"]
    assert queue.inbox.status().pending_turns == 3
    assert queue.inbox.status().settled == 2


def test_a_dropped_turn_does_not_come_back(queue: Queue) -> None:
    queue.say("a")
    queue.drop("a")

    assert queue.say("a").status == "duplicate"
    assert queue.redis.ttl(queue.own.seen) > 0


def test_a_dropped_turn_that_redis_had_forgotten_is_remembered_for_a_while(queue: Queue) -> None:
    queue.say("a")
    queue.redis.delete(queue.own.seen)
    queue.drop("a")

    assert queue.say("a").status == "duplicate"
    assert queue.redis.ttl(queue.own.seen) > 0


def test_a_ticket_of_a_dropped_turn_never_says_consolidated(queue: Queue) -> None:
    first, dropped, last = (queue.say(text) for text in "abc")
    queue.drop("b")
    twin = queue.say("b")
    seen = [queue.status(dropped, twin)]
    for _ in range(2):
        queue.settle()
        seen.append(queue.status(dropped, twin))

    assert seen == [["unknown", "unknown"]] * 3
    assert queue.status(first, last) == ["consolidated"] * 2


def test_tickets_of_the_others_tell_to_the_turn_when_they_are_over(queue: Queue) -> None:
    answers = [queue.say(text) for text in "abcde"]
    queue.drop("b", "d")
    later = queue.say("f")
    stay = [answers[0], answers[2], answers[4], later]
    seen = [queue.status(*stay)]
    for _ in stay:
        queue.settle()
        seen.append(queue.status(*stay))

    assert seen == [["consolidated"] * done + ["waiting"] * (4 - done) for done in range(5)]


def test_a_scope_that_has_nothing_left_owns_no_key_but_what_expires(queue: Queue) -> None:
    queue.say("a")
    queue.inbox.fail(queue.claim(), 0, burn=True)
    queue.drop("a")

    assert queue.inbox.idle()
    assert queue.redis.keys(f"*{queue.key}*") == [queue.own.seen.encode()]
    assert not queue.redis.exists(queue.shared.attempts, queue.shared.lease, queue.shared.due)


def test_what_is_left_counts_from_its_own_first_turn(queue: Queue) -> None:
    for text in ("a", "bb" * 20, "c"):
        queue.say(text)
    queue.inbox.flush(queue.key)
    before = queue.redis.hgetall(queue.own.meta)
    queue.drop("a")
    after = queue.redis.hgetall(queue.own.meta)
    head = queue.redis.lindex(queue.own.turns, 0)

    assert isinstance(head, bytes)
    assert after[b"first"] == head.split()[0]
    assert (before[b"flush"], after[b"flush"]) == (b"3", b"2")
    assert int(after[b"tokens"]) < int(before[b"tokens"])


def test_the_batch_of_a_kept_plan_is_not_taken_for_another(queue: Queue) -> None:
    for text in "ab":
        queue.say(text)
    claim = queue.claim()
    queue.inbox.keep_plan(claim, "settles the first two")
    queue.inbox.drop_turns(claim, [id_of(queue.inbox, queue.key, "a")])

    assert queue.inbox.kept_plan(claim) is None


def test_what_is_no_turn_stays_where_it_is(queue: Queue) -> None:
    queue.say("a")
    queue.redis.rpush(queue.own.turns, "1 junk")
    queue.say("b")
    queue.drop("b")

    assert queue.redis.lrange(queue.own.turns, 1, -1) == [b"1 junk"]
    assert queue.texts() == ["a"]


def test_unseen_turns_may_be_published_again(queue: Queue) -> None:
    answers = [queue.say(text) for text in "ab"]
    queue.settle(2)
    queue.inbox.unsee(queue.key, [])
    queue.inbox.unsee(queue.key, [one.turn_id for one in answers[:1] if one.turn_id])

    assert queue.status(*answers) == ["unknown", "consolidated"]
    assert [queue.say(text).status for text in "ab"] == ["accepted", "duplicate"]


# Context


def test_dropped_turns_leave_the_context_of_their_conversation(queue: Queue) -> None:
    lines = (("a", "one"), ("b", "one"), ("c", "two"))
    ids = {text: queue.say(text, conversation=about).turn_id for text, about in lines}
    queue.settle(3)
    lives = queue.redis.ttl(queue.own.recent)
    claim = queue.inbox.claim_scope(queue.key)
    assert claim
    gone = queue.inbox.drop_recent(claim, [one for text in "ac" if (one := ids[text])])

    assert gone == 2
    assert [turn.text for turn in queue.inbox.recent_turns(queue.key)] == ["b"]
    assert queue.redis.hkeys(queue.own.recent) == [b"one"]
    assert 0 < queue.redis.ttl(queue.own.recent) <= lives
    assert queue.inbox.drop_recent(claim, [UUID(int=1)]) == 0


# Taking a scope from whoever holds it


def test_a_seized_scope_is_its_former_holder_s_no_more(queue: Queue) -> None:
    for text in "ab":
        queue.say(text)
    holder = queue.claim()
    taken = queue.inbox.seize(queue.key)

    assert (taken.was_held, taken.waiting) == (True, 2)
    assert taken.claim.fence > holder.fence
    for write in (
        lambda: queue.inbox.renew(holder),
        lambda: queue.inbox.keep_plan(holder, "plan"),
        lambda: queue.inbox.commit(holder, 1, 1),
        lambda: queue.inbox.fail(holder, 0, burn=True),
        lambda: queue.inbox.release(holder),
        lambda: queue.inbox.drop_turns(holder, []),
        lambda: queue.inbox.drop_recent(holder, []),
        lambda: queue.inbox.evict(holder, 1, FAR_AHEAD),
    ):
        with pytest.raises(LeaseLost):
            write()
    assert queue.texts() == ["a", "b"]
    queue.inbox.renew(taken.claim)


@pytest.mark.parametrize("failed", [0, 2])
def test_a_seized_batch_uses_up_no_attempt(queue: Queue, failed: int) -> None:
    queue.say("a")
    for _ in range(failed):
        queue.inbox.fail(queue.claim(), 0, burn=True)
    queue.claim()
    for _ in range(2):
        taken = queue.inbox.seize(queue.key)
    queue.inbox.release(taken.claim)

    assert queue.claim().attempt == failed + 1


def test_a_worker_that_fell_silent_has_used_up_its_attempt(queue: Queue) -> None:
    queue.say("a")
    queue.claim()
    queue.redis.zadd(queue.shared.busy, {queue.key: 1})
    taken = queue.inbox.seize(queue.key)
    queue.inbox.release(taken.claim)

    assert not taken.was_held
    assert queue.claim().attempt == 2


def test_a_free_scope_is_seized_like_any_other(queue: Queue) -> None:
    taken = queue.inbox.seize(queue.key)
    assert not taken.was_held
    queue.inbox.release(taken.claim)

    assert queue.inbox.idle()
    assert queue.redis.keys(f"*{queue.key}*") == []
    assert not queue.redis.exists(queue.shared.attempts, queue.shared.lease)


# A whole scope


def a_full_life(queue: Queue) -> Queued:
    """Something at every place; how much."""
    for text in ("settled", "parked", "pending", "waiting"):
        queue.say(text)
    queue.settle()
    queue.inbox.park(queue.claim(), 1, "for review")
    claim = queue.claim()
    queue.inbox.keep_plan(claim, "plan")
    queue.inbox.fail(claim, 1000, burn=True, reason="said something of hers")
    Spending(queue.redis, queue.partitions).add(queue.key, 1, 10)
    return Queued(pending=2, parked=1, seen=4, recent=1, plans=1, spent=1)


@pytest.mark.parametrize("partitions", [1, 7])
def test_an_evicted_scope_owns_no_key_and_no_place(redis_client: Redis, partitions: int) -> None:
    queue = Queue(redis_client, partitions=partitions)
    other = Queue(redis_client, Scope(app="other", user="alice"), partitions)
    full = a_full_life(queue)
    untouched = a_full_life(other)

    assert queue.inbox.queued(queue.key) == full
    assert queue.erase() == full
    assert queue.inbox.queued(queue.key) == Queued() == queue.erase()
    left = [name.decode() for name in redis_client.keys("*") if isinstance(name, bytes)]
    assert left
    assert not [name for name in left if queue.key in name]
    assert not [name for name in left if holds(redis_client, name, queue.key)]
    assert other.inbox.queued(other.key) == untouched
    status = other.inbox.status()
    assert (status.pending_turns, status.parked, status.pending_scopes) == (2, 1, 1)


def holds(client: Redis, key: str, scope_key: str) -> bool:
    """Whether a scope stands anywhere in a shared key."""
    match client.type(key):
        case b"hash":
            return scope_key in str(client.hgetall(key))
        case b"zset":
            return scope_key in str(client.zrange(key, 0, -1))
    return False


def test_nothing_but_the_lease_is_left_for_whoever_lets_go(queue: Queue) -> None:
    a_full_life(queue)
    taken = queue.inbox.seize(queue.key)
    queue.inbox.evict(taken.claim, taken.waiting, FAR_AHEAD)

    assert not queue.redis.exists(queue.shared.aside, queue.shared.attempts, queue.shared.due)
    queue.inbox.renew(taken.claim)


def test_a_lease_that_is_lost_half_way_evicts_nothing_more(queue: Queue) -> None:
    full = a_full_life(queue)
    own, shared = queue.own, queue.shared
    keys = [own.plan, own.seen, own.recent, own.spent, own.parked, shared.lease]
    keys += [shared.attempts, shared.counters, shared.aside, shared.config]
    queue.inbox.seize(queue.key)

    assert Scripts(queue.redis).run("evict", keys, [queue.key, 1, 1000]) is None
    assert queue.inbox.queued(queue.key) == full


def test_the_last_error_goes_with_the_scope_that_it_is_about(redis_client: Redis) -> None:
    queue, other = Queue(redis_client), Queue(redis_client, Scope(app="acme", user="bob"))
    a_full_life(queue)
    other.erase()
    kept = queue.inbox.status().last_error
    queue.erase()

    assert kept
    assert queue.inbox.status().last_error is None


def test_tickets_of_an_evicted_scope_say_nothing_of_it(queue: Queue) -> None:
    answers = [queue.say(text) for text in "abc"]
    queue.settle()
    queue.inbox.park(queue.claim(), 1, "x")
    queue.erase()

    assert queue.status(*answers) == ["unknown"] * 3


def test_what_came_in_since_and_was_said_later_stays(queue: Queue) -> None:
    queue.say("there before, by a clock ahead", said_at=FAR_AHEAD.isoformat())
    taken = queue.inbox.seize(queue.key)
    queue.say("said before", said_at=LONG_AGO.isoformat())
    queue.redis.rpush(queue.own.turns, "1 junk")
    later = queue.say("said later")
    gone = queue.inbox.evict(taken.claim, taken.waiting, NOW - timedelta(hours=1))
    queue.inbox.release(taken.claim)

    assert queue.texts() == ["said later"]
    assert (gone.pending, gone.seen) == (3, 2)
    assert queue.say("said later").status == "duplicate"
    assert queue.redis.ttl(queue.own.seen) > 0
    assert queue.status(later) == ["waiting"]
    queue.settle()
    assert queue.status(later) == ["consolidated"]


def test_the_breaker_forgets_a_scope(queue: Queue) -> None:
    queue.say("a")
    claim, breaker = queue.claim(), Breaker(queue.redis)
    other = claim.model_copy(update={"scope_key": "another"})
    for failed in (claim, other):
        breaker.failed("model", failed)
    breaker.forget(queue.key)

    left = queue.redis.hkeys(PartitionKeys(0).breaker)
    assert left == [b"failed:model:another"]


def test_all_of_it_works_in_a_cluster(redis_cluster: Cluster) -> None:
    with connect(redis_cluster.url) as client:
        for at in range(5):
            queue = Queue(client, Scope(app="acme", user=f"user {at}"), partitions=8)
            full = a_full_life(queue)
            queue.say("dropped")
            assert queue.drop("dropped") == 1
            claim = queue.inbox.claim_scope(queue.key)
            assert claim
            assert queue.inbox.drop_recent(claim, [UUID(int=1)]) == 0
            queue.inbox.release(claim)
            gone = queue.erase()

            assert (gone.pending, gone.seen) == (full.pending, full.seen + 1)
            assert queue.inbox.queued(queue.key) == Queued()
        assert queue.inbox.status().pending_turns == 0
        assert abs(queue.inbox.now() - datetime.now(UTC)) < timedelta(minutes=1)


# Whatever happens in between, tickets and figures are right

STEPS = st.tuples(
    st.sampled_from(
        [
            *("publish", "publish", "publish", "claim", "commit", "park", "fail"),
            *("drop", "drop", "seize", "replay", "unsee", "plan", "erase"),
        ]
    ),
    st.sets(st.integers(0, 7), min_size=1, max_size=3),
)


@pytest.fixture(scope="module")
def module_client(redis_url: str) -> Iterator[Redis]:
    with connect(redis_url) as client:
        yield client


@settings(max_examples=60, deadline=None)
@given(st.lists(STEPS, min_size=10, max_size=40))
def test_tickets_and_figures_are_right_whatever_happens(
    module_client: Redis, steps: list[tuple[str, set[int]]]
) -> None:
    module_client.flushall()
    world = World(Queue(module_client))
    for action, which in steps:
        world.act(action, sorted(which))
        world.check()
    world.finish()
    world.check()
    assert world.queue.inbox.idle()
    assert not module_client.exists(world.queue.own.turns, world.queue.own.meta)


@dataclass
class World:
    """A queue, and beside it a plain list of what should be where."""

    queue: Queue
    #: Text → its last answer, and what its ticket has to say.
    answers: dict[str, Answer] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)
    settled: int = 0
    claim: Claim | None = None

    def act(self, action: str, which: list[int]) -> None:
        match action:
            case "publish":
                for at in which:
                    self._publish(str(at))
            case "claim":
                self.queue.inbox.flush(self.queue.key)
                self.claim = self.queue.inbox.claim() or self.claim
            case "seize":
                self.claim = self.queue.inbox.seize(self.queue.key).claim
            case "replay":
                self._replay()
            case "unsee":
                self._unsee({str(at) for at in which})
            case _ if self.claim:
                self._work(action, self.claim, {str(at) for at in which})

    def finish(self) -> None:
        claim = self.queue.inbox.seize(self.queue.key).claim
        self.queue.inbox.release(claim)
        while self.pending:
            self._work("commit", self.queue.claim(), set())

    def check(self) -> None:
        status, inbox = self.queue.inbox.status(), self.queue.inbox
        said = dict(zip(self.answers, self.queue.status(*self.answers.values()), strict=True))
        assert self.queue.texts() == self.pending
        assert said == self.states
        assert status.pending_turns == len(self.pending)
        assert status.parked == [*self.states.values()].count("parked")
        assert status.settled == self.settled
        assert [*inbox.parked(self.queue.key)] or not self.queue.redis.exists(
            self.queue.shared.aside
        )

    def _publish(self, text: str) -> None:
        answer = self.queue.say(text)
        if answer.status == "accepted":
            self.answers[text], self.states[text] = answer, "waiting"
            self.pending.append(text)
        else:
            assert answer.status == "duplicate"
            assert self.queue.status(answer)[0] in {self.states[text], "waiting"}

    def _replay(self) -> None:
        letters = list(self.queue.inbox.parking.letters(self.queue.key))
        self.queue.inbox.parking.replay(letters)
        back = [letter.turn.text for letter in letters if letter.turn]
        self.pending += back
        self.states |= dict.fromkeys(back, "waiting")

    def _unsee(self, texts: set[str]) -> None:
        """What an undone run had settled."""
        over = [text for text in texts if self.states.get(text) == "consolidated"]
        ids = [id for text in over if (id := self.answers[text].turn_id)]
        self.queue.inbox.unsee(self.queue.key, ids)
        self.states |= dict.fromkeys(over, "unknown")

    def _work(self, action: str, claim: Claim, texts: set[str]) -> None:
        inbox, head = self.queue.inbox, self.pending[: claim.batch_turns]
        match action:
            case "commit" | "park" if head:
                self._end(action, claim, head)
            case "fail":
                inbox.fail(claim, 0, burn=True)
                self.claim = None
            case "plan":
                inbox.keep_plan(claim, "plan")
            case "drop":
                gone = [text for text in self.pending if text in texts]
                ids = [id for text in texts & {*gone} if (id := self.answers[text].turn_id)]
                assert inbox.drop_turns(claim, ids) == len(gone)
                self._leave(gone, "unknown")
                self.settled += len(gone)
            case "erase":
                self.settled += len(self.pending)
                evicted = inbox.evict(claim, len(self.pending), FAR_AHEAD)
                assert evicted.pending == len(self.pending)
                self._leave(list(self.states), "unknown")

    def _end(self, action: str, claim: Claim, head: list[str]) -> None:
        if action == "commit":
            self.queue.inbox.commit(claim, len(head), len(head))
            self._leave(head, "consolidated")
            self.settled += len(head)
        else:
            self.queue.inbox.park(claim, len(head), "x")
            self._leave(head, "parked")
        self.claim = None

    def _leave(self, texts: list[str], state: str) -> None:
        self.pending = [text for text in self.pending if text not in texts]
        self.states |= dict.fromkeys(texts, state)
