"""Who talks in the torture: conversations whose turns are published in order, some of them again."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from typing import Any
from uuid import UUID

from bench.torture.model import turn_text
from producers.producer import Producer
from schemas.scope import Scope

#: Scopes, of which the first are noisy, and conversations of each.
SCOPES, NOISY, CONVERSATIONS = 40, 4, 2
#: How often a noisy scope speaks for once that a quiet one does.
NOISE = 6
#: Chance that an earlier turn is published again, from just now or from long ago.
AGAIN = 0.08
#: Longest time in which a turn has to be taken.
TAKEN_SECONDS = 120.0


@dataclass(frozen=True)
class Said:
    """A turn that was accepted."""

    turn: UUID
    scope: str
    conversation: str
    #: Its place among those of its conversation.
    number: int


@dataclass
class Traffic:
    """Publishes from one thread, which keeps each conversation's order."""

    url: str
    app: str
    rng: Random
    #: Whether to wait: too much waits in the queue.
    is_full: Callable[[], bool]
    said: list[Said] = field(default_factory=list)
    again: int = 0
    _lines: list[dict[str, Any]] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)

    def scopes(self) -> list[Scope]:
        return [Scope(app=self.app, user=f"user{at}") for at in range(SCOPES)]

    def run(self, turns: int) -> None:
        """Until so many were accepted, or `stop`."""
        with Producer(self.url) as producer:
            for line, number in self._talk():
                if self._over.is_set() or len(self.said) >= turns:
                    return
                self._publish(producer, line, number)
                if self.rng.random() < AGAIN:
                    self.again += 1
                    self._deliver(producer, self._earlier())
                while self.is_full() and not self._over.is_set():
                    time.sleep(0.02)

    def stop(self) -> None:
        self._over.set()

    def _talk(self) -> Iterator[tuple[dict[str, Any], int]]:
        """Lines without end, each with its number in its conversation."""
        numbers: dict[tuple[int, int], int] = {}
        weights = [NOISE if at < NOISY else 1 for at in range(SCOPES)]
        while True:
            (scope,) = self.rng.choices(range(SCOPES), weights)
            conversation = self.rng.randrange(CONVERSATIONS)
            number = numbers.get((scope, conversation), 0)
            numbers[scope, conversation] = number + 1
            token = f"u{scope}c{conversation}n{number}"
            yield (
                {
                    "app": self.app,
                    "user": f"user{scope}",
                    "conversation": f"talk{conversation}",
                    "role": "user",
                    "id": token,
                    "text": turn_text(token, number),
                    "said_at": datetime.now(UTC).isoformat(),
                },
                number,
            )

    def _publish(self, producer: Producer, line: dict[str, Any], number: int) -> None:
        turn = self._deliver(producer, line)
        scope = Scope(app=line["app"], user=line["user"]).key
        self.said.append(Said(turn, scope, line["conversation"], number))
        self._lines.append(line)

    def _deliver(self, producer: Producer, line: dict[str, Any]) -> UUID:
        """As a careful backend does: until it is taken. Raises `TimeoutError`."""
        until = time.monotonic() + TAKEN_SECONDS
        while time.monotonic() < until:
            answer = producer.publish(line)
            if answer.status in {"accepted", "duplicate"} and answer.turn_id:
                return answer.turn_id
            if answer.status == "refused":
                raise ValueError(answer.message)
            time.sleep(0.05)
        raise TimeoutError("a turn was not taken: the queue is full or Redis is gone")

    def _earlier(self) -> dict[str, Any]:
        recent = self._lines[-50:] if self.rng.random() < 0.5 else self._lines  # noqa: PLR2004 - half and half
        return self.rng.choice(recent)
