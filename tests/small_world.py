"""Two scopes with the same words in one store, scripted steps, and whatever can go wrong in the middle of an act."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any, Literal, TypeVar, cast

from redis import Redis

from schemas.base import Vector
from schemas.ids import turn_id_of_caller, uuid_of
from schemas.keys import PartitionKeys, ScopeKeys
from schemas.memory import Fact
from schemas.plan import Plan, Retire
from schemas.scope import Scope
from tests.build import fact, vector
from tests.desk import Desk, Judges, Says, desk
from tests.fragile import Fragile, Killed
from tests.model_of_truth import SLOT_OF, VALUES, end_of
from worker.adapters.apply import apply
from worker.core.groups import merging
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.groups.setting import Resolver
from worker.core.hearing.heard import Heard
from worker.core.judging.detectors import Judging
from worker.core.ports import Hold, Store
from worker.direct.holding import holding
from worker.errors import LeaseLost
from worker.parts import Parts
from worker.pipeline import consolidate

T = TypeVar("T")

GRACE = timedelta(days=4)
WISH = "Please forget what I said of my {}"
CONVERSATION = "c"


@dataclass(frozen=True)
class Salted:
    """One model among several: same texts, other vectors."""

    fingerprint: str
    dimensions: int
    floor: float = 0.99
    same: float = 0.999

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [vector(self.fingerprint + text, self.dimensions) for text in texts]


EMBEDDERS = (Salted("first_16", 16), Salted("second_16", 16), Salted("third_24", 24))


def every_turn(heard: Heard) -> list[Fact]:
    """A turn says one thing, or wishes a slot forgotten."""
    found = []
    for turn in heard.turns:
        own = {"turn_ids": (turn.id,), "said_at": turn.said_at}
        slot = SLOT_OF.get(turn.text)
        if slot is None:
            wished = next(slot for slot in VALUES if turn.text == WISH.format(slot))
            found.append(fact(turn.text, attribute=wished, kind="forget", **own))
        else:
            found.append(fact(turn.text, attribute=slot, until=end_of(slot, turn.said_at), **own))
    return found


def by_value(case: Candidacy) -> Groups:
    """Same value: the same. Another value of the slot: an update. A wish takes what was said until then."""
    groups, grouped = list[Group](), set[str]()
    facts = list(case.fact_labels)
    for slot in VALUES:
        known = [one for one in case.memory_labels if case.shown(one).attribute == slot]
        mine = [one for one in facts if case.fact(one).attribute == slot]
        for wish in (one for one in mine if case.fact(one).kind == "forget"):
            at = case.fact(wish).said_at
            gone = [one for one in (*mine, *known) if one != wish and case.shown(one).said_at <= at]
            known = [one for one in known if one not in gone]
            mine = [one for one in mine if one not in gone]
            if gone:
                why = f"to forget: {', '.join(case.shown(one).text for one in gone)}"
                groups.append(Group(why=why, members=(wish, *gone), relation="forget"))
        mine = [one for one in mine if case.fact(one).kind != "forget"]
        groups += _judged(case, slot, mine, known)
    for group in groups:
        grouped |= set(group.members)
    return Groups(groups=tuple(groups), new=tuple(one for one in facts if one not in grouped))


def _judged(case: Candidacy, slot: str, facts: list[str], known: list[str]) -> Iterator[Group]:
    values = {case.shown(one).text for one in facts}
    equal = [one for one in known if case.shown(one).text in values]
    if len(values) == 1 and len(equal) == 1:
        known = equal
    members = (*facts, *known)
    if not facts or len(members) < 2:
        return
    texts = {case.shown(one).text for one in members}
    if len(texts) == 1:
        yield Group(why="said again", members=members, relation="same")
        return
    newest = max(members, key=lambda one: (case.shown(one).said_at, one in facts))
    yield Group(
        why=f"of {', '.join(sorted(texts))} the latest",
        members=members,
        relation="update" if slot == "job" else "contradict",
        text=case.shown(newest).text,
    )


@dataclass(frozen=True)
class Fault:
    """What goes wrong at the nth store call of an act."""

    kind: Literal["killed before", "killed after", "lost"]
    nth: int


@dataclass
class Meanwhile:
    """A store before whose nth call something else happens, once."""

    real: Any
    happens: Callable[[], object]
    nth: int
    calls: Iterator[int] = field(default_factory=lambda: count(1))

    def writer(self, scope: Scope, hold: Hold) -> Any:
        return replace(self, real=self.real.writer(scope, hold))

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self.real, name)
        if not callable(attribute) or name.startswith("_"):
            return attribute

        def call(*args: Any, **kwargs: Any) -> Any:
            if next(self.calls) == self.nth:
                self.happens()
            return attribute(*args, **kwargs)

        return call


class SmallWorld:
    """Acts in it; each may be cut short, and is done again then."""

    def __init__(
        self, store: Store, redis: Redis, scopes: Sequence[Scope], resolver: Resolver
    ) -> None:
        self.redis = redis
        self.scopes = tuple(scopes)
        made = desk(store, redis, scopes[0], EMBEDDERS[0])
        settings = made.parts.settings.model_copy(
            update={
                "model": "rules",
                "resolver": resolver,
                "max_replaced_per_turn": 50,
                "max_group": 50,
                "top_k": 50,
                "forget_grace_days": GRACE.days,
            }
        )
        self.desk: Desk = made
        self.parts: Parts = replace(
            made.parts,
            settings=settings,
            extraction=Says(every_turn),
            judging=Judging(Judges(by_value), resolver=resolver, max_group=50),
        )
        self.faults: int = 0

    def changed_over(self, to: Salted) -> None:
        """From now on this is the embedder; scopes follow when somebody holds them."""
        self.parts.store.adopt(to.fingerprint, to.dimensions)
        self.parts = replace(self.parts, embedder=to)

    def publish(
        self, scope: Scope, name: str, text: str, said_at: datetime, **metadata: int
    ) -> str:
        line = {"app": scope.app, "user": scope.user, "role": "user", "conversation": CONVERSATION}
        line |= {"id": name, "text": text, "said_at": said_at.isoformat()}
        self.parts.inbox.unsee(scope.key, [self.turn_id(scope, name)])
        answer = self.desk.producer.publish({**line, "metadata": metadata})
        assert answer.status == "accepted", answer
        return str(answer.ticket)

    def turn_id(self, scope: Scope, name: str) -> Any:
        return turn_id_of_caller(scope.key, CONVERSATION, name)

    def settle(self, parts: Parts, now: datetime) -> None:
        """All that waits."""
        parts.inbox.flush()
        while (claim := parts.inbox.claim()) is not None:
            consolidate(parts, claim, now)
            parts.inbox.flush()

    def held_once(self, parts: Parts, scope: Scope, now: datetime) -> None:
        """Whoever holds a scope does first what is due."""
        with holding(parts, scope, now):
            pass

    def done(
        self, act: Callable[[Parts], T], scope: Scope, fault: Fault | None, now: datetime
    ) -> T:
        """Whoever is killed, or has lost the scope, is replaced: the act is done again."""
        if fault is None:
            return act(self.parts)
        broken = replace(self.parts, store=cast("Any", self._broken(fault, scope, now)))
        try:
            return act(broken)
        except (Killed, LeaseLost):
            self.faults += 1
            self._expired()
            return act(self.parts)

    def _broken(self, fault: Fault, scope: Scope, now: datetime) -> object:
        store = self.parts.store
        if fault.kind == "lost":
            return Meanwhile(store, lambda: self._overtaken(scope, now), fault.nth)
        return Fragile(store, fault.nth, fault.kind == "killed after")

    def _overtaken(self, scope: Scope, now: datetime) -> None:
        self._expired()
        self.settle(self.parts, now)
        self.held_once(self.parts, scope, now)

    def _expired(self) -> None:
        """Leases run out; the next batch is as large as the last, so that one knows what it holds."""
        keys = PartitionKeys(0)
        for scope in self.scopes:
            self.redis.zrem(keys.busy, scope.key)
            self.redis.hdel(keys.lease, scope.key)
            self.redis.hdel(keys.attempts, scope.key)
            if self.redis.llen(ScopeKeys(0, scope.key).turns):
                self.redis.zadd(keys.due, {scope.key: 1})

    def sleep(self, parts: Parts, scope: Scope, now: datetime) -> None:
        """Write down what has lapsed: what a sleep would do of it."""
        with holding(parts, scope, now) as held:
            lapsed = [
                one
                for one in parts.store.memories(scope)
                if one.memory.until and one.memory.until <= now and not one.memory.pinned
            ]
            if not lapsed:
                return
            versions = ",".join(f"{one.memory.id}@{one.memory.version}" for one in lapsed)
            run = uuid_of("run", scope.key, "sleep", versions)
            changes = tuple(
                Retire(
                    archive=merging.archived(
                        *(one.memory, one.vector),
                        by=None,
                        reason="expired",
                        why=f"lapsed: {one.memory.text}",
                        run=run,
                        now=now,
                    ),
                    relation="update",
                    why=f"lapsed: {one.memory.text}",
                )
                for one in lapsed
            )
            plan = Plan(
                run=run,
                kind="sleep",
                scope=scope,
                turn_ids=(),
                base={one.memory.id: one.memory.version for one in lapsed},
                base_runs={one.memory.id: one.memory.last_run for one in lapsed},
                changes=changes,
                planned_at=now,
                embedder=parts.embedder.fingerprint,
            )
            apply(parts.store, plan, held.lease)

    def kept(self, scope: Scope) -> str:
        """Every record of a scope in the store, and every value in Redis."""
        store = self.parts.store
        records = [*store.memories(scope), *store.archives(scope), *store.runs(scope)]
        texts = [one.model_dump_json() for one in records]
        texts += self.queued(scope)
        return "\n".join([*texts, str(store.about(scope))])

    def queued(self, scope: Scope) -> list[str]:
        keys = cast("list[bytes]", list(self.redis.scan_iter(f"*{scope.key}*")))
        return [f"{key.decode()}: {self._value(key)}" for key in sorted(keys)]

    def _value(self, key: bytes) -> str:
        kind = cast("bytes", self.redis.type(key))
        read: dict[bytes, Callable[[], Any]] = {
            b"list": lambda: self.redis.lrange(key, 0, -1),
            b"hash": lambda: sorted(cast("dict[bytes, bytes]", self.redis.hgetall(key)).items()),
            b"zset": lambda: self.redis.zrange(key, 0, -1),
            b"string": lambda: self.redis.get(key),
        }
        return str(read[kind]())
