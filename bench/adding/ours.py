"""Slowwave as it adds a conversation: the real pipeline on an embedded Redis and a SQLite store."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from bench.adding.row import Delivered
from bench.adding.talk import Line, Talk
from bench.publishing import publish
from producers.producer import Producer
from schemas.scope import Scope
from worker import wiring
from worker.core.groups.setting import DetectorName, Resolver
from worker.parts import Parts
from worker.pipeline import consolidate
from worker.settings import Settings

APP = "locomo"


@dataclass(frozen=True)
class Slowwave:
    """By one detector and resolver, in a scope of its own for each conversation."""

    parts: Parts
    producer: Producer

    @property
    def way(self) -> str:
        return f"{self.parts.settings.detector} + {self.parts.settings.resolver}"

    def under(self, detector: DetectorName, resolver: Resolver) -> "Slowwave":
        settings = self.parts.settings.model_copy(
            update={"detector": detector, "resolver": resolver}
        )
        judging = wiring.judging_of(settings, self.parts.embedder)
        return replace(self, parts=replace(self.parts, settings=settings, judging=judging))

    def deliver(self, talk: Talk) -> Delivered:
        """Each batch is published and consolidated before the next: what waits in between is no own time."""
        scope = Scope(app=APP, user=f"{talk.name} {self.way}")
        seconds = [self._batch(scope, batch) for batch in talk.batches]
        memories = [record.memory for record in self.parts.store.memories(scope)]
        return Delivered(
            seconds,
            [memory.text for memory in memories],
            archived=sum(1 for _ in self.parts.store.archives(scope)),
            flagged=sum(memory.flagged is not None for memory in memories),
        )

    def _batch(self, scope: Scope, batch: Sequence[Line]) -> float:
        began = time.perf_counter()
        publish(self.producer, [{**turn, "user": scope.user} for turn in batch])
        self.parts.inbox.flush()
        while claim := self.parts.inbox.claim():
            consolidate(self.parts, claim, datetime.now(UTC))
        return time.perf_counter() - began


@contextmanager
def opened(model_url: str) -> Iterator[Slowwave]:
    """Everything of it runs while this is entered, and is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="slowwave-bench-") as folder:
        settings = Settings(
            model="locomo",
            model_url=model_url,
            model_key="none",
            embedder="locomo-embedding",
            embedder_url=model_url,
            embedder_key="none",
            data_dir=Path(folder),
            _env_file=None,
        )
        try:
            parts = wiring.open_parts(settings)
            parts.inbox.configure(settings.limits)
            with Producer(wiring.redis_url(settings)) as producer:
                yield Slowwave(parts, producer)
        finally:
            wiring.close()
