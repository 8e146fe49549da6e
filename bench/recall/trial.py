"""One scope of one size, and what recall takes in it."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.figures import Figure, at_most, percentile
from bench.recall.bare import Bare, BareSqlite, bare_weaviate
from bench.recall.crowd import DIMENSIONS, NOW, Crowd, vector_of
from bench.recall.timing import alternating, at_once, figures, lasted
from bench.scopes import Unleased, Weight
from schemas.base import Vector
from schemas.memory import MemoryRecord
from schemas.scope import Scope
from worker.adapters.stores.opening import kind_of, open_store
from worker.adapters.stores.weaviate_address import parse
from worker.adapters.stores.weaviate_collections import MEMORY, Embedding
from worker.adapters.stores.weaviate_connecting import connect
from worker.core.ports import Query, Store
from worker.core.recalling.answer import Answer
from worker.core.recalling.ask import Ask
from worker.core.recalling.questions import asked
from worker.recall import recall

SCOPE = Scope(app="bench of recall", user="crowd")
FINGERPRINT = "bench_384"
PORTION = 500
#: What recall may take of the bare query's time, and the sizes for which that is asked.
RATIO, PROMISED = 1.5, (1_000, 10_000)
#: Recalls that come first, and those that come just after a write.
FIRST, WRITES = 20, 20
DEADLINE = 30.0


@dataclass(frozen=True)
class Precomputed:
    """An embedder that answers at once."""

    vectors: dict[str, Vector]
    fingerprint: str = FINGERPRINT
    dimensions: int = DIMENSIONS
    floor: float = 0.86
    same: float = 0.962

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [self.vectors[text] for text in texts]


@dataclass(frozen=True)
class Trial:
    """A filled scope, and three ways to ask it."""

    store: Store
    embedder: Precomputed
    crowd: Crowd
    records: Sequence[MemoryRecord] = field(repr=False)
    bare: Bare
    pool: int

    @classmethod
    @contextmanager
    def opened(cls, url: str, crowd: Crowd, pool: int, bare: Path) -> "Iterator[Trial]":
        """Filled, and open while this is entered."""
        records = crowd.records(SCOPE)
        questions = (one.text for text in crowd.questions for one in asked([text]).questions)
        vectors = dict(zip(questions, map(vector_of, crowd.wanted), strict=True))
        with ExitStack() as stack:
            store = open_store(url, deadline_seconds=DEADLINE)
            stack.callback(store.close)
            store.open(FINGERPRINT, DIMENSIONS)
            fill(store, SCOPE, records)
            if kind_of(url) == "sqlite":
                without: Bare = BareSqlite(bare, crowd, records, pool)
            else:
                address = parse(url)
                client = stack.enter_context(connect(address, None, DEADLINE))
                room = client.collections.use(address.prefix + MEMORY).with_tenant(SCOPE.key)
                name = Embedding(FINGERPRINT, DIMENSIONS).vector
                without = bare_weaviate(room, name, crowd, pool)
            yield cls(store, Precomputed(vectors), crowd, records, without, pool)

    def figures(self, name: str, callers: int, seconds: float) -> Iterator[Figure]:
        many = len(self.crowd.questions)
        yield Figure(f"{name}what recall keeps in the process", self._kept(), "MB")
        ways = {"recall": self.recall, "of it nominate": self.nominate, "bare hybrid": self.bare}
        found = alternating(ways, many, seconds)
        for way, took in found.items():
            yield from figures(f"{name}{way}", took)
        yield self._ratio(name, found)
        yield from figures(f"{name}recall after a write", self._after_writes(seconds))
        for way, call in (("recall", self.recall), ("bare hybrid", self.bare)):
            took, rate = at_once(call, many, callers, seconds)
            yield from figures(f"{name}{callers} callers, {way}", took)
            yield Figure(f"{name}{callers} callers, {way}", rate, "calls a second")

    def _kept(self) -> float:
        """By how much the first recalls let it grow: nothing where they found room that was given back."""
        before = Weight.of(os.getpid()).megabytes
        for at in range(min(FIRST, len(self.crowd.questions))):
            self.recall(at)
        return max(0.0, Weight.of(os.getpid()).megabytes - before)

    def _ratio(self, name: str, found: dict[str, list[float]]) -> Figure:
        ours, theirs = (percentile(found[way], 0.5) for way in ("recall", "bare hybrid"))
        ratio = f"{name}recall beside the bare query, p50", ours / theirs
        return at_most(*ratio, RATIO) if len(self.records) in PROMISED else Figure(*ratio)

    def recall(self, at: int) -> Answer:
        ask = Ask((self.crowd.questions[at],), pool=self.pool)
        return recall(self.store, self.embedder, SCOPE, ask, NOW)

    def nominate(self, at: int) -> object:
        (question,) = asked([self.crowd.questions[at]]).questions
        vector = self.embedder.vectors[question.text]
        query = Query(vector, question.terms, question.codes)
        return self.store.nominate(SCOPE, [query], self.pool)

    def _after_writes(self, seconds: float) -> list[float]:
        """Each after one memory was written."""
        writer = self.store.writer(SCOPE, Unleased())
        found = list[float]()
        for at, record in enumerate(self.records[:WRITES]):
            writer.put_memories([record])
            found.append(lasted(self.recall, at % len(self.crowd.questions)))
            if sum(found) > seconds:
                break
        return found


def fill(store: Store, scope: Scope, records: Sequence[MemoryRecord]) -> None:
    """Make room for the scope, and write all of it."""
    writer = store.writer(scope, Unleased())
    writer.prepare()
    for at in range(0, len(records), PORTION):
        writer.put_memories(records[at : at + PORTION])
