"""Slowwave as a contestant: the real pipeline, from the inbox to the store."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

from bench.model.trial import Trial
from bench.publishing import publish
from bench.quality.contestants import Played
from bench.quality.hearing import Listening, Noting, Verbatim
from bench.quality.stream import Held, Kept, Past, Said, Stream
from bench.quality.words import statement
from schemas.base import Vector
from schemas.memory import Fact, Memory
from schemas.scope import Scope
from worker import wiring
from worker.adapters.inbox import Claim
from worker.core.current import current
from worker.core.groups.setting import DetectorName, Resolver
from worker.core.step import BadReply
from worker.parts import Parts
from worker.pipeline import consolidate
from worker.recall import earlier, veil_of

MOMENT = timedelta(seconds=1)


@dataclass(frozen=True)
class Slowwave:
    """Under one detector and resolver; every stream is a scope of its own."""

    trial: Trial
    detector: DetectorName
    resolver: Resolver
    is_verbatim: bool = False
    #: Text → its vector, of all that was embedded.
    vectors: dict[str, Vector] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"slowwave {self.detector} + {self.resolver}"

    def play(self, stream: Stream, facts: Sequence[Fact]) -> Played:
        """What others found is of no matter: it reads the turns."""
        began, (calls, tokens, _) = time.perf_counter(), self.trial.spent.figures
        parts = self._parts()
        heard = Listening(Verbatim() if self.is_verbatim else parts.extraction)
        parts = replace(parts, extraction=heard)
        scope = Scope(app=self.name, user=stream.name)
        now = min(said.said_at for session in stream.sessions for said in session)
        for session in stream.sessions:
            now = max(now, *(said.said_at + MOMENT for said in session))
            self._hear(parts, scope, session, now)
        after = self.trial.spent.figures
        return Played(
            held=_held(parts, scope, stream.at),
            facts=heard.facts,
            calls=after[0] - calls,
            tokens=after[1] - tokens,
            seconds=time.perf_counter() - began,
            parked=len(parts.inbox.parked(scope.key)),
        )

    def _parts(self) -> Parts:
        parts = self.trial.parts
        chosen = {"detector": self.detector, "resolver": self.resolver}
        settings = parts.settings.model_copy(update=chosen)
        return replace(
            parts,
            settings=settings,
            embedder=Noting(parts.embedder, self.vectors),
            judging=wiring.judging_of(settings, parts.embedder),
        )

    def _hear(self, parts: Parts, scope: Scope, session: Sequence[Said], now: datetime) -> None:
        owner = {"app": scope.app, "user": scope.user}
        publish(self.trial.producer, [{**owner, **said.line()} for said in session])
        parts.inbox.flush(scope.key)
        while (claim := parts.inbox.claim()) is not None:
            _settle(parts, claim, now)


def _settle(parts: Parts, claim: Claim, now: datetime) -> None:
    """Replies that are no use are part of what is measured."""
    try:
        consolidate(parts, claim, now)
    except BadReply as bad:
        parts.inbox.park(claim, parts.inbox.held(claim), str(bad))


def _held(parts: Parts, scope: Scope, at: datetime) -> Held:
    """As any read tells it at that time: what has run out is not live, what was forgotten is nowhere."""
    live, past = list[Kept](), list[Past]()
    archives = earlier(parts.store, scope)
    for one in sorted(archives, key=lambda one: (one.memory.id, one.memory.version)):
        past.append(_past(one.memory, one.replaced_by))
    for record in parts.store.memories(scope):
        stands = current(record.memory, at)
        if stands is not None:
            live.append(Kept(str(stands.id), statement(stands.subject, stands.text)))
        if stands is None or stands.text != record.memory.text:
            # It has run out, and no claim since then has written it down.
            past.append(_past(record.memory, stands.id if stands else None))
    return Held(tuple(live), tuple(past), tuple(_called_same(parts, scope)))


def _called_same(parts: Parts, scope: Scope) -> Iterator[str]:
    """What the accounts of runs have of it, as `history` shows them."""
    archives = (one.memory for one in earlier(parts.store, scope))
    memories = (record.memory for record in parts.store.memories(scope))
    subjects = {one.id: one.subject for one in (*archives, *memories)}
    veil = veil_of(parts.store, scope)
    for run in parts.store.runs(scope):
        for change in veil.run(run).changes:
            for text in change.said:
                yield statement(subjects.get(change.memory_id, ""), text)


def _past(memory: Memory, heir: UUID | None) -> Past:
    text = statement(memory.subject, memory.text)
    return Past(str(memory.id), text, memory.said_at, str(heir) if heir else None)
