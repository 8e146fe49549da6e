"""A conversation is lived through once more: published a session at a time, and consolidated as it would have been."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Event

from producers.producer import Producer
from schemas.base import Stored
from schemas.line import TurnLine
from schemas.scope import Scope
from worker import tasks
from worker.adapters.claim import Claim
from worker.core.evaluating.locomo import APP, Conversation
from worker.errors import SlowwaveError, Unavailable, Unprocessable
from worker.parts import Parts

#: Seconds between two looks at a scope that another thread holds, or that backs off.
LOOK_SECONDS = 0.05
#: After the last turn, so that it was said before.
MOMENT = timedelta(seconds=1)

#: Called with how many turns were settled.
Tell = Callable[[int], object]


class Learned(Stored):
    """One conversation was consolidated; kept as a line."""

    conversation: str
    turns: int
    #: Turns that were given up on.
    parked: int
    #: Wall time, this run of the command alone.
    seconds: float


def scope_of(conversation: Conversation) -> Scope:
    return Scope(app=APP, user=conversation.name)


def end_of(conversation: Conversation) -> datetime:
    """A moment after the last turn."""
    return max(datetime.fromisoformat(turn["said_at"]) for turn in conversation.turns) + MOMENT


@dataclass(frozen=True)
class Learning:
    """Several threads may learn at once, a conversation each; a thread settles whatever is due."""

    parts: Parts
    producer: Producer
    #: Set where no thread shall go on.
    stopping: Event

    def learn(self, conversation: Conversation, tell: Tell) -> Learned:
        """Again is harmless. Raises what the parts raise, `Unavailable` where one fails for all or it is stopped."""
        began, key = time.monotonic(), scope_of(conversation).key
        for session in conversation.sessions():
            self._publish(session)
            self.parts.inbox.flush(key)
            while self.parts.inbox.waiting(key):
                self._settle_next()
            tell(len(session))
        return Learned(
            conversation=conversation.name,
            turns=len(conversation.turns),
            parked=len(self.parts.inbox.parked(key)),
            seconds=round(time.monotonic() - began, 3),
        )

    def _publish(self, session: Sequence[dict[str, str]]) -> None:
        for answer in self.producer.publish_many(TurnLine(**turn) for turn in session):
            if answer.status == "unavailable":
                raise Unavailable(f"a turn was not taken: {answer.message}")
            if answer.status not in {"accepted", "duplicate"}:
                raise Unprocessable(f"a turn was not taken ({answer.status}): {answer.message}")

    def _settle_next(self) -> None:
        if self.stopping.is_set():
            raise Unavailable("stopped before the end: start again, which goes on from here")
        gate = self.parts.breaker.ask()
        if gate.is_shut:
            raise Unavailable(
                f"the {gate.part} fails for everyone: see why in the log, mend it and start again,"
                " which goes on from here"
            )
        try:
            claim = self.parts.inbox.claim()
            if claim is not None:
                tasks.settle(self.parts, claim, self._time_of(claim))
        finally:
            tasks.let_go(self.parts, gate)
        if claim is None:
            time.sleep(LOOK_SECONDS)

    def _time_of(self, claim: Claim) -> datetime | None:
        """When it would have been consolidated. What cannot be read is for whoever settles it."""
        with suppress(SlowwaveError):
            times = [turn.said_at for turn in self.parts.inbox.turns(claim)]
            return max(times, default=None)
        return None
