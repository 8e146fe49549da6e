"""Scopes that the bench of sleep fills and puts to sleep."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from bench.forgetting.command import Remembering
from bench.sleep.marks import Left
from bench.sleep.planting import Said
from schemas.base import Vector
from schemas.ids import uuid_of
from schemas.memory import Memory, MemoryRecord
from schemas.scope import Scope
from worker import wiring
from worker.core.sleeping.night import place_of
from worker.core.sleeping.note import Note
from worker.core.sleeping.report import Report
from worker.core.texts.identifiers import identifiers
from worker.direct.holding import holding
from worker.direct.sleeping import sleep
from worker.parts import Parts
from worker.settings import Settings

#: After all that was ever said.
NOW = datetime(2026, 6, 1, 3, tzinfo=UTC)
PORTION = 500


@dataclass(frozen=True)
class House:
    """One store, one judge; every trial is a scope of its own."""

    parts: Parts
    name: str

    def with_share(self, share: float) -> "House":
        """Of what one night may change."""
        settings = self.parts.settings.model_copy(update={"sleep_max_share": share})
        return replace(self, parts=replace(self.parts, settings=settings))

    def scope(self, user: str) -> Scope:
        return Scope(app=f"sleep {self.name}", user=f"{user} {uuid4()}")

    def fill(
        self, scope: Scope, said: Sequence[Said], *, settled: bool = False
    ) -> dict[UUID, Memory]:
        """Straight into the store; `settled` as if a night had looked at all and changed nothing."""
        vectors = self.parts.embedder.embed([one.text for one in said])
        records = [
            MemoryRecord(memory=_memory(scope, one), vector=vector)
            for one, vector in zip(said, vectors, strict=True)
        ]
        with holding(self.parts, scope, NOW) as held:
            writer = self.parts.store.writer(scope, held.lease)
            writer.prepare()
            for at in range(0, len(records), PORTION):
                writer.put_memories(records[at : at + PORTION])
            if settled:
                last = max(place_of(one.memory) for one in records)
                writer.put_sleep(Note(marks={"tidy": last}).model_dump_json())
        return {one.memory.id: one.memory for one in records}

    def unsettle(self, scope: Scope) -> None:
        """As if no night had ever looked at anything."""
        with holding(self.parts, scope, NOW) as held:
            self.parts.store.writer(scope, held.lease).put_sleep(Note().model_dump_json())

    def night(self, scope: Scope, nth: int = 0) -> Report:
        return sleep(self.parts, scope, NOW + timedelta(days=nth))

    def left(self, scope: Scope) -> Left:
        live = (one.memory for one in self.parts.store.memories(scope))
        return Left.of(live, (one.archive for one in self.parts.store.archives(scope)))


def _memory(scope: Scope, one: Said) -> Memory:
    id = uuid_of("bench of sleep", scope.key, one.subject, one.text)
    return Memory(
        id=id,
        scope=scope,
        version=1,
        text=one.text,
        subject=one.subject,
        said_by=one.subject,
        identifiers=tuple(identifiers(one.text)),
        turn_ids=(uuid_of("turn", str(id)),),
        last_run=uuid_of("run", str(id)),
        **dict.fromkeys(("said_at", "created_at", "updated_at", "last_confirmed_at"), one.at),
    )


@contextmanager
def opened(name: str, settings: Settings, vectors: dict[str, Vector]) -> Iterator[House]:
    """Everything runs while this is entered; `vectors` keeps what was embedded for the next."""
    try:
        parts = wiring.open_parts(settings)
        parts.inbox.configure(settings.limits)
        yield House(replace(parts, embedder=Remembering(parts.embedder, vectors)), name)
    finally:
        wiring.close()
