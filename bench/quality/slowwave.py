"""Slowwave as a contestant: the real pipeline, from the inbox to the store."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from bench.model.trial import Trial
from bench.publishing import publish
from bench.quality.contestants import Costs, Heard, Look, Played, Tell, silent, stated
from bench.quality.hearing import Cached, Listening, Verbatim
from bench.quality.held import Held, Kept, Past
from bench.quality.likeness import FIRST
from bench.quality.stream import Said, Stream
from bench.quality.words import statement
from schemas.memory import Fact, Memory
from schemas.scope import Scope
from worker import wiring
from worker.adapters.inbox import Claim
from worker.core.current import current
from worker.core.groups.setting import DetectorName, Resolver
from worker.core.recalling.ask import Ask
from worker.core.step import BadReply
from worker.parts import Parts
from worker.pipeline import consolidate
from worker.recall import earlier, recall, veil_of

MOMENT = timedelta(seconds=1)


@dataclass(frozen=True)
class Slowwave:
    """Under one detector and resolver; every stream is a scope of its own."""

    trial: Trial
    detector: DetectorName
    resolver: Resolver
    embedder: Cached
    is_verbatim: bool = False
    #: Called with how many turns it has just settled.
    tell: Tell = silent
    lacks: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        return f"slowwave {self.detector} + {self.resolver}"

    def play(self, stream: Stream, heard: Heard = ()) -> Played:
        """What others found is of no matter: it reads the turns."""
        parts, before = self._parts(), self._spent()
        listening = Listening(Verbatim() if self.is_verbatim else parts.extraction)
        parts = replace(parts, extraction=listening)
        scope = Scope(app=self.name, user=stream.name)
        found, looks = list[Sequence[Fact]](), list[Look]()
        now = min(said.said_at for session in stream.sessions for said in session)
        for after, session in enumerate(stream.sessions, 1):
            now = max(now, *(said.said_at + MOMENT for said in session))
            self._hear(parts, scope, session, now)
            found.append(listening.facts[sum(map(len, found)) :])
            looks += [
                Look(_held(parts, scope, moment.at), stated(found, after))
                for moment in stream.before
                if moment.after == after
            ]
            self.tell(len(session))
        costs = self._spent() - before
        end = stated(found, len(found))
        last = Look(_held(parts, scope, stream.at), end, _hits(parts, scope, stream))
        return Played((*looks, last), found, costs, len(parts.inbox.parked(scope.key)))

    def _spent(self) -> Costs:
        """So far, of all that was ever played."""
        calls, tokens, _ = self.trial.spent.figures
        return Costs(calls, tokens, time.perf_counter() - self.embedder.seconds)

    def _parts(self) -> Parts:
        parts = self.trial.parts
        chosen = {"detector": self.detector, "resolver": self.resolver}
        settings = parts.settings.model_copy(update=chosen)
        return replace(
            parts,
            settings=settings,
            embedder=self.embedder,
            judging=wiring.judging_of(settings, self.embedder),
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


def _hits(parts: Parts, scope: Scope, stream: Stream) -> tuple[tuple[str, ...], ...]:
    """What recall brings up first for each question."""
    asks = (Ask((one.text,), limit=FIRST) for one in stream.questions)
    answers = (recall(parts.store, parts.embedder, scope, ask, stream.at) for ask in asks)
    memories = ([item.memory for item in answer.items] for answer in answers)
    return tuple(tuple(statement(one.subject, one.text) for one in told) for told in memories)


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
