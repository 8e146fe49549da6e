"""One conversation after the other through the real pipeline, counting what it costs."""

import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bench.model.marks import Case, Cases, Session
from producers.producer import Producer
from schemas.limits import Limits
from schemas.memory import Memory
from schemas.scope import Scope
from worker import wiring
from worker.adapters.inbox import Claim
from worker.adapters.model import Chat, Completion, Message, Model
from worker.adapters.redis_server import connect
from worker.core.current import current
from worker.core.step import BadReply, Prompt
from worker.parts import Parts
from worker.pipeline import consolidate
from worker.settings import Settings

#: Nothing is claimed before it is asked for, and a session is one batch.
LIMITS = Limits(quiet_seconds=3600, max_wait_seconds=3600, batch_turns=500, batch_tokens=100_000)


@dataclass
class Spent:
    """What was asked of the model so far."""

    calls: int = 0
    tokens: int = 0
    #: Calls that asked again because a reply was no use.
    again: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, done: Completion, *, again: bool) -> None:
        """From several threads."""
        with self.lock:
            self.calls += 1
            self.tokens += done.prompt_tokens + done.completion_tokens
            self.again += again

    @property
    def figures(self) -> tuple[int, int, int]:
        return (self.calls, self.tokens, self.again)


@dataclass(frozen=True)
class Watched:
    """A chat that counts; a bad reply is asked for again in a longer conversation."""

    chat: Chat
    spent: Spent

    def complete(self, prompt: Prompt, messages: Sequence[Message]) -> Completion:
        done = self.chat.complete(prompt, messages)
        self.spent.add(done, again=any(one["role"] == "assistant" for one in messages))
        return done

    def close(self) -> None:
        self.chat.close()


@dataclass(frozen=True)
class Result:
    """What one case came to, and cost."""

    theme: str
    name: str
    faults: tuple[str, ...]
    live: tuple[str, ...]
    #: Turns that no reply could be read for.
    parked: int
    calls: int
    tokens: int
    again: int
    seconds: float


@dataclass(frozen=True)
class Trial:
    parts: Parts
    producer: Producer
    spent: Spent

    def run(self, cases: Cases, case: Case) -> Result:
        scope = Scope(app="bench", user=case.name)
        before, began = self.spent.figures, time.monotonic()
        for at, session in enumerate(case.sessions):
            self._hear(scope, f"session {at}", session)
        calls, tokens, again = (n - m for n, m in zip(self.spent.figures, before, strict=True))
        live = self._live(scope)
        parked = len(self.parts.inbox.parked(scope.key))
        faults = cases.faults(case, live) + ([f"{parked} turns were parked"] if parked else [])
        return Result(
            theme=case.theme,
            name=case.name,
            faults=tuple(faults),
            live=tuple(memory.text for memory in live),
            parked=parked,
            calls=calls,
            tokens=tokens,
            again=again,
            seconds=round(time.monotonic() - began, 1),
        )

    def _hear(self, scope: Scope, conversation: str, session: Session) -> None:
        owner = {"app": scope.app, "user": scope.user, "conversation": conversation}
        self.producer.publish_many({**owner, **line} for line in session.lines())
        self.parts.inbox.flush(scope.key)
        while (claim := self.parts.inbox.claim()) is not None:
            self._settle(claim)

    def _settle(self, claim: Claim) -> None:
        """Replies that are no use are part of what is measured; a model that cannot be reached is not."""
        try:
            consolidate(self.parts, claim, datetime.now(UTC))
        except BadReply as bad:
            self.parts.inbox.park(claim, self.parts.inbox.held(claim), str(bad))

    def _live(self, scope: Scope) -> list[Memory]:
        now = datetime.now(UTC)
        found = (current(record.memory, now) for record in self.parts.store.memories(scope))
        return [memory for memory in found if memory is not None]


@contextmanager
def opened(given: Settings) -> Iterator[Trial]:
    """Everything in a folder of its own: no queue or store that is set is touched."""
    with tempfile.TemporaryDirectory(prefix="slowwave-bench-") as folder:
        own = {"data_dir": Path(folder), "redis_url": None, "store_url": None}
        chosen = given.model_copy(update=own)
        try:
            parts = wiring.open_parts(chosen)
            parts.inbox.configure(LIMITS)
            with connect(wiring.redis_url(chosen)) as client:
                yield Trial(parts, Producer(client), watch(parts.model))
        finally:
            wiring.close()


def watch(model: Model) -> Spent:
    """Counts from now on. The rules ask nothing."""
    spent = Spent()
    if model._chat is not None:  # noqa: SLF001 - nobody else needs to reach around a model
        model._chat = Watched(model._chat, spent)  # noqa: SLF001 - the same
    return spent
