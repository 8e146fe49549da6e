"""Failing is not the same as having nothing to say."""

from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any

import pytest
from redis import Redis

from schemas.keys import PartitionKeys, ScopeKeys
from schemas.scope import Scope
from tests.cases.talk import AtDesk, Talk, found
from tests.desk import Desk, scripted
from tests.endpoint import Refusal
from worker import tasks
from worker.adapters.chat import EndpointChat
from worker.adapters.model import Model

SHARED = PartitionKeys(0)
#: In the order they are due, whenever several are: never three failures in a row, which would put the model to rest.
USERS = ("uma", "vic", "yan", "xia", "wes", "zoe")
#: Claims and looks that all of it takes, by far.
ENOUGH = 200
SAID = {
    "uma": "I play the viola.",
    "vic": "I keep bees.",
    "wes": "I bake rye bread.",
    "xia": "I repair clocks.",
    "yan": "I row on Sundays.",
    "zoe": "I collect maps.",
}
TALK = Talk({text: [found(text.replace("I ", "Does: "))] for text in SAID.values()})
HINT_SECONDS = 7


@dataclass
class Moody:
    """One is refused twice, one is left hanging once, and one gets no sense out of it until it is mended."""

    over: Event
    busy: int = 2
    hangs: int = 1
    mended: bool = False
    asked: list[str] = field(default_factory=list)

    def __call__(self, job: str, document: dict[str, Any]) -> Any:
        (turn,) = document["turns"]
        who = next((user for user, text in SAID.items() if text == turn["text"]), "")
        self.asked.append(who)
        if who == "vic" and self.busy:
            self.busy -= 1
            return Refusal(429, "slow down", headers={"Retry-After": str(HINT_SECONDS)})
        if who == "wes" and self.hangs:
            self.hangs -= 1
            self.over.wait(20)
        if who == "xia" and not self.mended:
            return "Let me think about that."
        return TALK(job, document)


@dataclass
class Fleet:
    """Workers that take whoever is due; time passes only when nobody is."""

    table: Desk
    redis: Redis
    moody: Moody
    #: User → seconds that its scope was made to wait, each time.
    waits: dict[str, list[float]] = field(default_factory=dict)
    #: Who was settled or put aside, in order.
    done: list[str] = field(default_factory=list)

    def scope(self, user: str) -> Scope:
        return Scope(app=self.table.scope.app, user=user)

    def user(self, scope_key: str) -> str:
        return next(user for user in USERS if self.scope(user).key == scope_key)

    def publish(self) -> None:
        for user in USERS:
            line = {"app": self.table.scope.app, "user": user, "role": "user", "text": SAID[user]}
            assert self.table.producer.publish({**line, "id": "1"}).status == "accepted"
        self._pass_time()

    def now(self) -> float:
        seconds, micros = self.redis.time()
        return float(seconds) + micros / 1e6

    def work(self) -> None:
        inbox = self.table.parts.inbox
        for _ in range(ENOUGH):
            if inbox.idle():
                return
            inbox.flush()
            claim = tasks.settle_next(self.table.parts)
            if claim is None:
                self._pass_time()
                continue
            who = self.user(claim.scope_key)
            due = self.redis.zscore(SHARED.due, claim.scope_key)
            if due is None:
                self.done.append(who)
            else:
                self.waits.setdefault(who, []).append(due / 1000 - self.now())
        raise AssertionError("it never ends")

    def _pass_time(self) -> None:
        for place, user in enumerate(USERS, 1):
            self.redis.zadd(SHARED.due, {self.scope(user).key: place}, xx=True)

    def texts(self, user: str) -> list[str]:
        return [one.memory.text for one in self.table.parts.store.memories(self.scope(user))]


@pytest.fixture
def over() -> Event:
    return Event()


def test_each_failure_is_told_apart_and_nothing_is_lost(
    at_desk: AtDesk, scope: Scope, redis_client: Redis, over: Event
) -> None:
    table = at_desk(scope)
    moody = Moody(over)
    with scripted(table, moody) as server:
        hasty = Model(EndpointChat("scripted", server.url, "key", 2))
        table.parts = replace(table.parts, model=hasty)
        fleet = Fleet(table, redis_client, moody)
        fleet.publish()
        _kill_a_worker_with(fleet, "xia")
        try:
            fleet.work()
            _all_but_one_are_learned(fleet)
            moody.mended = True
            table.parts.inbox.parking.replay(list(table.parts.inbox.parking.letters()))
            fleet.work()
        finally:
            over.set()
            hasty.close()

    assert fleet.texts("xia") == ["Does: repair clocks."]
    status = table.parts.inbox.status()
    assert (status.settled, status.parked, status.pending_turns) == (6, 0, 0)


def _kill_a_worker_with(fleet: Fleet, user: str) -> None:
    key = fleet.scope(user).key
    fleet.redis.zadd(SHARED.due, {key: 0})
    claim = fleet.table.parts.inbox.claim()
    assert claim
    assert claim.scope_key == key
    fleet.redis.zadd(SHARED.busy, {key: 1})


def _all_but_one_are_learned(fleet: Fleet) -> None:
    for user in set(USERS) - {"xia"}:
        assert fleet.texts(user) == [SAID[user].replace("I ", "Does: ")]
    assert len(fleet.waits["vic"]) == 2
    assert all(seconds > HINT_SECONDS - 1 for seconds in fleet.waits["vic"])
    assert fleet.moody.asked.count("vic") == 3
    assert fleet.done[-1] == "xia", "what cannot succeed holds nobody up"
    (letter,) = fleet.table.parts.inbox.parking.letters()
    assert letter.turn
    assert letter.turn.text == SAID["xia"]
    assert letter.parked.attempts == fleet.table.parts.settings.max_attempts
    assert letter.parked.reason
    status = fleet.table.parts.inbox.status()
    assert (status.settled, status.parked, status.pending_turns) == (5, 1, 0)
    assert status.deaths == 1
    assert fleet.redis.exists(ScopeKeys(0, letter.scope_key).turns) == 0
