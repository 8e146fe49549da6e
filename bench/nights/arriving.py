"""Statements arrive in a store, as turns that are consolidated or as direct writes, and the store is looked at."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import Any, Literal, cast

from pydantic import BaseModel

from bench.model.trial import Trial
from bench.nights.arrival import Sent, Way, batches
from bench.nights.state import Seen, seen
from bench.nights.world import NOW, Told
from bench.publishing import publish
from bench.quality.hearing import Cached
from schemas.memory import Fact
from schemas.scope import Scope
from tests.fragile import Fragile, Killed
from worker.core.hearing.heard import Found, Heard
from worker.core.judging.detectors import Judging
from worker.core.step import Prompt
from worker.core.texts.identifiers import identifiers
from worker.core.writing.stated import Stated, checked, stated
from worker.direct.remembering import remember
from worker.parts import Parts
from worker.pipeline import consolidate
from worker.recall import earlier

Channel = Literal["turns", "writes"]
CHANNELS: tuple[Channel, ...] = ("turns", "writes")
#: Of the store's calls in one batch, the last at which it may be broken off.
LATEST = 14
#: How often that call itself is still carried out.
HALF = 0.5
#: Between two batches.
PACE = timedelta(minutes=1)


@dataclass(frozen=True)
class Knowing:
    """Extraction that takes each turn for the statement that it is."""

    known: Mapping[str, Told]

    def ask(self, item: Heard) -> Sequence[Prompt]:
        return ()

    def read(self, item: Heard, replies: Sequence[BaseModel]) -> Found:
        return Found(
            tuple(
                Fact(
                    text=turn.text,
                    subject=(one := self.known[turn.text]).key.who,
                    attribute=one.key.name if one.is_slot else None,
                    said_by=one.key.who,
                    turn_ids=(turn.id,),
                    said_at=turn.said_at,
                    identifiers=tuple(identifiers(turn.text)),
                )
                for turn in item.turns
            )
        )


@dataclass(frozen=True)
class Came:
    """What one way has led to."""

    way: Way
    seen: Seen
    #: Batches that were broken off.
    broken_off: int = 0


@dataclass(frozen=True)
class Arriving:
    """Under one judge; each way is a scope of its own."""

    trial: Trial
    judge: str
    told: Sequence[Told]
    embedder: Cached
    #: Of the settings, unless it is given.
    judging: Judging | None = None

    def came(self, channel: Channel, way: Way, name: str) -> Came:
        """What is there once all has come; `name` tells this world from others."""
        scope = Scope(app=f"arrival {self.judge} {channel}", user=f"{name} {way.name}")
        chance, now, broken_off = Random(way.name), NOW, 0
        for batch in batches(self.told, way):
            now += PACE
            if channel == "turns":
                self._publish(scope, batch)
            act = self._act(channel, scope, batch, now)
            if way.crashes and self._is_broken_off(act, scope, chance):
                broken_off += 1
            act(self._parts)
        store = self._parts.store
        live = [one.memory for one in store.memories(scope)]
        past = [one.memory for one in earlier(store, scope)]
        return Came(way, seen(self.told, live, past), broken_off)

    @property
    def _parts(self) -> Parts:
        known = Knowing({one.text: one for one in self.told})
        parts = replace(self.trial.parts, extraction=known, embedder=self.embedder)
        return replace(parts, judging=self.judging) if self.judging else parts

    def _publish(self, scope: Scope, batch: Sequence[Sent]) -> None:
        owner = {"app": scope.app, "user": scope.user, "role": "user", "conversation": "c"}
        lines = [
            {
                **owner,
                "text": one.told.text,
                "speaker": one.told.key.who,
                "said_at": one.told.at.isoformat(),
                **({"id": one.id} if one.id else {}),
            }
            for one in batch
        ]
        publish(self.trial.producer, lines)

    def _act(
        self, channel: Channel, scope: Scope, batch: Sequence[Sent], now: datetime
    ) -> Callable[[Parts], None]:
        def settle(parts: Parts) -> None:
            parts.inbox.flush(scope.key)
            while (claim := parts.inbox.claim()) is not None:
                consolidate(parts, claim, now)

        def write(parts: Parts) -> None:
            remember(parts, scope, [_stated(scope, one, now) for one in batch], now)

        return settle if channel == "turns" else write

    def _is_broken_off(self, act: Callable[[Parts], None], scope: Scope, chance: Random) -> bool:
        """Whether the process that acted was killed before it was done; then its lease is gone."""
        nth, is_carried_out = chance.randint(1, LATEST), chance.random() < HALF
        broken = Fragile(self._parts.store, nth, is_carried_out)
        try:
            act(replace(self._parts, store=cast("Any", broken)))
        except Killed:
            self._parts.inbox.release(self._parts.inbox.seize(scope.key).claim)
            return True
        return False


def _stated(scope: Scope, one: Sent, now: datetime) -> Stated:
    told = one.told
    line = {"text": told.text, "subject": told.key.who, "said_at": told.at.isoformat()}
    slot = {"attribute": told.key.name} if told.is_slot else {}
    return stated(checked({**line, **slot}), scope, one.id or f"again {told.at}", now)
