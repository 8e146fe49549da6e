"""Deliveries of a source into the inbox: acknowledged once they are in, kept while they are not."""

import random
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

from producers.producer import Producer
from schemas.line import Refused, turns_of
from schemas.turn import Turn
from worker.adapters.sources.source import Delivery, Source
from worker.errors import SlowwaveError, Unavailable

#: Deliveries that are taken at once.
MOST_AT_ONCE = 200
#: Deliveries in hand from which nothing further is taken.
MOST_IN_HAND = 1_000
#: Seconds that a source may make us wait, which is how long it takes to notice that we are to stop.
LOOK_SECONDS = 1.0
#: First wait where something was not taken, and the longest.
FIRST_SECONDS, LONGEST_SECONDS = 0.5, 10.0
#: Tries in a row that got nowhere after which a run that is to end gives up: some ten seconds.
TRIES = 6
#: Answers to a turn that is to be tried again.
NOT_YET = ("full", "unavailable")


@dataclass(frozen=True)
class Item:
    """A delivery with the turn in it, whose id and times are fixed for every try."""

    delivery: Delivery
    turn: Turn


@dataclass
class Tally:
    """What became of the deliveries so far."""

    counts: Counter[str] = field(default_factory=Counter)
    #: Taken, and neither in nor refused.
    waiting: int = 0
    #: The source has come to its end.
    ended: bool = False
    #: Why the last try got nowhere; empty after one that did.
    trouble: str = ""


@dataclass(frozen=True)
class Portion:
    """What is published now and what not yet."""

    now: list[Item]
    later: list[Item]


def portion(held: Sequence[Item], new: Sequence[Item], *, due: bool) -> Portion:
    """What is held goes first once it is due. Until then no turn overtakes another of its scope."""
    if due:
        return Portion([*held, *new], [])
    behind = {item.turn.scope for item in held}
    return Portion(
        [item for item in new if item.turn.scope not in behind],
        [*held, *(item for item in new if item.turn.scope in behind)],
    )


def wait_seconds(tries: int, luck: float) -> float:
    """After so many tries in a row that got nowhere; `luck` (0 to 1) spreads them.

    Back-off is exponential with jitter (M. Brooker, "Exponential Backoff And Jitter", AWS, 2015).
    """
    return min(LONGEST_SECONDS, FIRST_SECONDS * 2.0 ** min(tries - 1, 10)) * (0.5 + luck / 2)


class Ingest:
    """Moves what a source has, until it is told to stop, or the source ends and everything is in.

    A scope that is full holds back its own turns; once `MOST_IN_HAND` are held nothing more is taken.
    """

    def __init__(
        self,
        source: Source,
        producer: Producer,
        defaults: Mapping[str, str],
        note: Callable[[str], None],
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        luck: Callable[[], float] = random.random,
    ) -> None:
        """`defaults` fill the fields that a turn lacks; `note` is told what a person should know at once."""
        self.tally = Tally()
        self._source, self._producer, self._defaults, self._note = source, producer, defaults, note
        self._sleep, self._clock, self._luck = sleep, clock, luck
        self._earlier: Counter[UUID] = Counter()
        self._held: list[Item] = []
        #: Told to the source at the end of each round, and again in the next where it was out of reach.
        self._done: list[Delivery] = []
        self._refused: deque[tuple[Delivery, str]] = deque()
        #: Rounds in a row that got nowhere; until when to wait after the last; whether it reached nobody.
        self._tries, self._due_at, self._down = 0, clock(), False

    def run(self, stopped: Callable[[], bool], *, patient: bool) -> Iterator[Tally]:
        """Round after round; finishes the one it is at when told to stop.

        Who is not `patient` gives up after `TRIES` rounds in which nothing could be taken and nothing went in.
        """
        try:
            while not stopped() and not (self.tally.ended and not self._in_hand):
                if not patient and self._tries >= TRIES and (self._takes_nothing or self._down):
                    break
                self._round()
                self.tally.waiting = len(self._held) + len(self._refused)
                yield self.tally
        finally:
            # Where this cannot be said, the source finds it out by itself.
            with suppress(SlowwaveError):
                self._source.leave([item.delivery for item in self._held])

    @property
    def _in_hand(self) -> int:
        return len(self._held) + len(self._done) + len(self._refused)

    @property
    def _takes_nothing(self) -> bool:
        return self.tally.ended or self._in_hand >= MOST_IN_HAND

    def _round(self) -> None:
        left = max(0.0, self._due_at - self._clock()) if self._tries else LOOK_SECONDS
        if self._tries and left and (self._takes_nothing or self._down):
            self._sleep(min(left, LOOK_SECONDS))
            return
        try:
            self._publish(self._read(self._take(min(left, LOOK_SECONDS))))
            self._tell()
        except Unavailable as error:
            self._down = True
            self._back_off(str(error))
        else:
            if not self._held:
                self._tries, self._down, self.tally.trouble = 0, False, ""

    def _take(self, seconds: float) -> Sequence[Delivery]:
        if self._takes_nothing:
            return []
        taken = self._source.take(MOST_AT_ONCE, seconds)
        if taken is None:
            self.tally.ended = True
        return taken or []

    def _read(self, taken: Sequence[Delivery]) -> list[Item]:
        """The turns in them; what holds none is to be refused."""
        now, items = datetime.now(UTC), []
        lines = [{**self._defaults, **d.turn} for d in taken if d.turn is not None]
        turns = turns_of(lines, now, self._earlier)
        for delivery in taken:
            problem = Refused(where=delivery.id, message=delivery.problem)
            turn = problem if delivery.turn is None else next(turns)
            if delivery.known:
                continue
            if isinstance(turn, Refused):
                self._refused.append((delivery, turn.message))
            else:
                items.append(Item(delivery, _dated(turn, delivery, now)))
        return items

    def _publish(self, new: Sequence[Item]) -> None:
        due, held = not self._tries or self._clock() >= self._due_at, len(self._held)
        found = portion(self._held, new, due=due)
        answers = self._producer.publish_many([item.turn for item in found.now])
        waiting = []
        for item, answer in zip(found.now, answers, strict=True):
            match answer.status:
                case "accepted" | "duplicate":
                    self._done.append(item.delivery)
                    self.tally.counts[answer.status] += 1
                case "refused":
                    self._refused.append((item.delivery, answer.message or ""))
                case _:
                    waiting.append(item)
        self._held = [*found.later, *waiting]
        self._down = bool(answers) and all(answer.status == "unavailable" for answer in answers)
        if waiting and (due or self._down):
            said = next(a.message for a in answers if a.status in NOT_YET) or ""
            moved = due and any(a.status not in NOT_YET for a in answers[:held])
            self._back_off(said, moved=moved)
            self._source.keep([item.delivery for item in self._held])

    def _tell(self) -> None:
        """Each is let go of only once its source has been told."""
        if self._done:
            self._source.settle(self._done)
            self._done = []
        while self._refused:
            delivery, reason = self._refused[0]
            self._source.refuse(delivery, reason)
            self._refused.popleft()
            self.tally.counts["refused"] += 1
            self._note(f"{self._source.unit} {delivery.id}: {reason}")

    def _back_off(self, trouble: str, *, moved: bool = False) -> None:
        if not self.tally.trouble:
            self._note(f"slowwave: waits, nothing is lost: {trouble}")
        self.tally.trouble = trouble
        self._tries = 1 if moved else self._tries + 1
        self._due_at = self._clock() + wait_seconds(self._tries, self._luck())


def _dated(turn: Turn, delivery: Delivery, now: datetime) -> Turn:
    """What does not say when it was said was said when it was published, not when it came to us."""
    at = delivery.published_at
    if not turn.approximate_time or at is None or at > now:
        return turn
    return turn.model_copy(update={"said_at": at})
