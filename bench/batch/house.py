"""A filled scope with a queue before it: batches through the pipeline, and the calls of each without us."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from redis import Redis

from bench.batch.bare import Bare, BareRedis, BareSqlite, BareWeaviate
from bench.batch.talk import FINGERPRINT, TURNS, Batch, Heard, batches, filled
from bench.batch.work import Work, work_of
from bench.publishing import publish
from bench.recall.crowd import DIMENSIONS, Crowd
from bench.recall.trial import DEADLINE, fill
from producers.producer import Producer
from schemas.memory import MemoryRecord
from schemas.scope import Scope
from worker.adapters.breaker import Breaker
from worker.adapters.inbox import Inbox
from worker.adapters.model import Model
from worker.adapters.redis_server import connect
from worker.adapters.spending import Spending
from worker.adapters.stores.opening import kind_of, open_store
from worker.adapters.stores.weaviate_address import parse
from worker.adapters.stores.weaviate_collections import Embedding
from worker.adapters.stores.weaviate_connecting import connect as connect_weaviate
from worker.adapters.stores.weaviate_link import Room
from worker.core.hearing.extract import Extraction
from worker.core.ports import Store
from worker.parts import Parts
from worker.pipeline import Outcome, consolidate
from worker.settings import Settings
from worker.wiring import judging_of

OURS, BARE = (Scope(app="bench of batch", user=user) for user in ("ours", "bare"))


@dataclass(frozen=True)
class House:
    """Each call takes up the next batch."""

    parts: Parts
    model: Heard
    talk: Sequence[Batch]
    store_calls: Bare
    redis_calls: BareRedis
    work: Sequence[Work]
    #: How many batches each way had so far.
    _counts: Counter[str] = field(default_factory=Counter)

    @property
    def had(self) -> int:
        return self._counts["ours"]

    @property
    def left(self) -> int:
        return len(self.work) - self.had

    def ours(self, _: int = 0) -> Outcome:
        self._counts["ours"] += 1
        claim = self.parts.inbox.claim()
        if claim is None:
            raise RuntimeError("nothing is due: more batches were asked for than were published")
        return consolidate(self.parts, claim, datetime.now(UTC))

    def bare_store(self, _: int = 0) -> Sequence[str]:
        return self.store_calls(self._next("store"))

    def bare_redis(self, _: int = 0) -> None:
        self.redis_calls(self._next("Redis"))

    def _next(self, way: str) -> Work:
        self._counts[way] += 1
        return self.work[self._counts[way] - 1]


@contextmanager
def opened(url: str, redis_url: str, crowd: Crowd, many: int, bare: Path) -> Iterator[House]:
    """With so many batches ahead, or fewer where the crowd is small; `bare` is a file of its own for SQLite."""
    records = filled(crowd, OURS)
    talk = batches(records, many)
    theirs = filled(crowd, BARE)
    work = [work_of(batch, BARE, nth) for nth, batch in enumerate(batches(theirs, many))]
    settings = Settings(
        redis_url=redis_url, store_url=url, model="at once", batch_turns=TURNS, _env_file=None
    )
    with ExitStack() as stack:
        client = stack.enter_context(connect(redis_url))
        client.flushall()
        store = stack.enter_context(closing(open_store(url, deadline_seconds=DEADLINE)))
        store.open(FINGERPRINT, DIMENSIONS)
        fill(store, OURS, records)
        heard = Heard({one.text: one for batch in talk for one in batch.sayings})
        parts = _parts(settings, client, store, heard)
        stack.callback(parts.model.close)
        turns = _published(parts, talk)
        if kind_of(url) == "sqlite":
            bare_store: BareSqlite | BareWeaviate = BareSqlite(bare, theirs)
        else:
            bare_store = _bare_weaviate(stack, url, store, theirs)
        stack.callback(bare_store.close)
        yield House(parts, heard, talk, bare_store, BareRedis(client, turns), work)


def _parts(settings: Settings, client: Redis, store: Store, heard: Heard) -> Parts:
    inbox = Inbox(client, lease_seconds=settings.lease_seconds)
    inbox.configure(settings.limits)
    return Parts(
        settings=settings,
        inbox=inbox,
        breaker=Breaker(client, settings.lease_seconds),
        spending=Spending(client),
        store=store,
        embedder=heard,
        model=Model(heard),
        extraction=Extraction(),
        judging=judging_of(settings, heard),
    )


def _published(parts: Parts, talk: Sequence[Batch]) -> list[bytes]:
    """All turns are in the queue; as bytes."""
    lines = [turn for nth, batch in enumerate(talk) for turn in batch.turns(OURS, nth)]
    with Producer(str(parts.settings.redis_url)) as producer:
        publish(producer, lines)
    return [json.dumps(line).encode() for line in lines]


def _bare_weaviate(
    stack: ExitStack, url: str, store: Store, records: Sequence[MemoryRecord]
) -> BareWeaviate:
    fill(store, BARE, records)
    address = parse(url)
    client = stack.enter_context(connect_weaviate(address, None, DEADLINE))

    def room(name: str) -> Room:
        return client.collections.use(address.prefix + name).with_tenant(BARE.key)

    return BareWeaviate(room, Embedding(FINGERPRINT, DIMENSIONS))
