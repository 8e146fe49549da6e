"""A whole pipeline on real Redis and a real store, with a given model, embedder and clock."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, cast
from uuid import UUID

from pydantic import BaseModel
from redis import Redis

from producers.answer import Answer
from producers.producer import Producer
from schemas.limits import Limits
from schemas.memory import Archive, Fact, Memory
from schemas.plan import Run
from schemas.scope import Scope
from tests.endpoint import Endpoint, endpoint
from tests.fragile import Fragile, Killed
from worker.adapters.breaker import Breaker
from worker.adapters.chat import EndpointChat
from worker.adapters.inbox import Claim, Inbox
from worker.adapters.model import Model
from worker.adapters.spending import Spending
from worker.core.groups.judgment import Candidacy, Groups
from worker.core.hearing.extract import Extraction
from worker.core.hearing.heard import Found, Heard
from worker.core.judging.detectors import Judging
from worker.core.ports import Embedder, Store
from worker.parts import Parts
from worker.pipeline import Outcome, consolidate
from worker.settings import Settings
from worker.wiring import judging_of

Script = Callable[[str, dict[str, Any]], Any]

#: Nobody waits for quiet in a test: `settle` flushes.
PATIENT = Limits(quiet_seconds=3600, max_wait_seconds=3600)

#: Made once: that takes longer than the rest of a desk.
GIVEN = Settings(redis_url="redis://given", model="scripted", _env_file=None)


@dataclass(frozen=True)
class Says:
    """An extraction without a model: each turn's text is a fact, unless `facts` says otherwise."""

    facts: Callable[[Heard], Sequence[Fact]]

    def ask(self, item: Heard) -> list[Any]:
        return []

    def read(self, item: Heard, replies: Sequence[BaseModel]) -> Found:
        return Found(tuple(self.facts(item)))


@dataclass(frozen=True)
class Judges:
    """A judge without a model."""

    judge: Callable[[Candidacy], Groups]

    def ask(self, item: Candidacy) -> list[Any]:
        return []

    def read(self, item: Candidacy, replies: Sequence[BaseModel]) -> Groups:
        return self.judge(item)


@dataclass
class Desk:
    """Publish, settle, and look at what is left."""

    parts: Parts
    producer: Producer
    scope: Scope
    now: datetime = datetime(2026, 11, 1, tzinfo=UTC)
    outcomes: list[Outcome] = field(default_factory=list)

    def say(self, text: str, said_at: str, **fields: Any) -> Answer:
        line = {"app": self.scope.app, "user": self.scope.user, "role": "user", "text": text}
        return self.producer.publish({**line, "said_at": said_at, **fields})

    def claim(self) -> Claim:
        self.parts.inbox.flush()
        claim = self.parts.inbox.claim()
        assert claim is not None, "nothing to claim"
        return claim

    def settle(self) -> list[Outcome]:
        """Consolidate everything that waits."""
        outcomes = []
        self.parts.inbox.flush()
        while (claim := self.parts.inbox.claim()) is not None:
            outcomes.append(consolidate(self.parts, claim, self.now))
            self.parts.inbox.flush()
        self.outcomes += outcomes
        return outcomes

    def live(self) -> dict[str, Memory]:
        found = (record.memory for record in self.parts.store.memories(self.scope))
        return {memory.text: memory for memory in found}

    def archives(self, memory: UUID | None = None) -> list[Archive]:
        return [record.archive for record in self.parts.store.archives(self.scope, memory)]

    def runs(self) -> list[Run]:
        return list(self.parts.store.runs(self.scope))


def desk(
    store: Store,
    redis: Redis,
    scope: Scope,
    embedder: Embedder,
    *,
    lease_seconds: float = 60.0,
    partitions: int = 1,
) -> Desk:
    """With steps that find nothing, until the test gives others."""
    inbox = Inbox(redis, partitions, lease_seconds)
    inbox.configure(PATIENT)
    parts = Parts(
        settings=GIVEN,
        inbox=inbox,
        breaker=Breaker(redis),
        spending=Spending(redis, partitions),
        store=store,
        embedder=embedder,
        model=Model(),
        extraction=Says(lambda heard: ()),
        judging=Judging(Judges(lambda case: Groups(groups=(), new=()))),
    )
    return Desk(parts, Producer(redis), scope)


@contextmanager
def scripted(given: Desk, script: Script, **settings: Any) -> Iterator[Endpoint]:
    """The same desk with the real steps, asking a scripted endpoint, under other settings where they are named."""
    with endpoint(script) as server:
        model = Model(EndpointChat("scripted", server.url, "key", 10))
        before = given.parts
        changed = before.settings.model_copy(update=settings)
        given.parts = replace(
            before,
            settings=changed,
            model=model,
            extraction=Extraction(),
            judging=judging_of(changed, before.embedder),
        )
        try:
            yield server
        finally:
            given.parts = before
            model.close()


def crashes(table: Desk, part: str, nth: int, act: Callable[[], object], *, after: bool) -> bool:
    """Whether the process dies in the act, at the nth call of this part, before or after it is carried out."""
    whole = table.parts
    table.parts = replace(whole, **{part: cast("Any", Fragile(getattr(whole, part), nth, after))})
    try:
        act()
    except Killed:
        return True
    finally:
        table.parts = whole
    return False
