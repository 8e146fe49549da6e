"""What a reader notes of its answers: kept in the process for a moment and brought to Redis off the way of the read."""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import UUID

from redis import Redis

from schemas.masking import mask
from schemas.scope import Scope
from worker.adapters.served import HELD_SECONDS, Note, ServedLog
from worker.adapters.shown import KEPT_SECONDS, Place, ShownLog
from worker.core.recalling.showing import Showings
from worker.errors import SlowwaveError

#: Seconds between two trips to Redis.
EVERY_SECONDS = 1.0
#: Notes that are held; one more drops the oldest.
HELD = 10_000
#: Notes of one trip.
PORTION = 200
#: A longer question is no question: its words are not kept.
LONGEST = 500


@dataclass(frozen=True)
class _Shown:
    """What an answer has shown in a conversation."""

    place: Place
    showings: Showings


@dataclass(frozen=True)
class _Held:
    scope_key: str
    taken: float
    note: Note | _Shown

    def is_late(self, now: float) -> bool:
        return now - self.taken > HELD_SECONDS


@dataclass
class _Own:
    """One process's notes: a fork begins with none, since its parent brings those that it holds."""

    pid: int = field(default_factory=os.getpid)
    notes: deque[_Held] = field(default_factory=deque)
    lock: threading.Lock = field(default_factory=threading.Lock)
    #: One trip at a time.
    trip: threading.Lock = field(default_factory=threading.Lock)
    ended: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None
    logs: tuple[ServedLog, ShownLog] | None = None
    client: Redis | None = None


class Serving:
    """Safe from any thread. Noting never waits, never fails and asks nobody; a Redis that is down costs a read nothing.

    `connect` makes a client that answers in bytes, when the first note is brought. Notes that cannot be brought within
    `HELD_SECONDS`, or are too many, are dropped and counted. What was shown in a conversation is kept in Redis for
    `shown_seconds` after the last time.
    """

    def __init__(
        self,
        connect: Callable[[], Redis],
        partitions: int = 1,
        shown_seconds: int = KEPT_SECONDS,
    ) -> None:
        self._connect = connect
        self._partitions = partitions
        self._shown_seconds = shown_seconds
        self._own = _Own()
        #: Notes that were dropped.
        self.dropped = 0

    def note(self, scope: Scope, queries: tuple[str, ...], found: Iterable[UUID]) -> None:
        """Recall has answered questions about what stands now with these memories, best first; each counts once.

        Without a question (the profile) only the memories count. Secrets in questions are masked.
        """
        ids = tuple(dict.fromkeys(found))
        if not ids:
            return
        asked = [kept for query in queries if (kept := _kept(query))]
        first, *others = asked or [""]
        self._hold(scope.key, Note(tuple(map(str, ids)), first, ids))
        for query in others:
            self._hold(scope.key, Note((), query, ids))

    def feedback(self, scope_key: str, memory_id: UUID, *, useful: bool) -> None:
        """Somebody says that a memory was useful, or that it is wrong."""
        self._hold(scope_key, Note((f"{'useful' if useful else 'wrong'}:{memory_id}",)))

    def show(self, place: Place, showings: Showings) -> None:
        """An answer has shown these memories in a conversation, or named them for withdrawal."""
        if showings:
            self._hold(place.scope_key, _Shown(place, showings))

    def flush(self) -> bool:
        """Bring what is held; false where Redis did not take it all."""
        own = self._mine()
        with own.trip:
            left = deque(_portions(self._taken(own)))
            while left:
                try:
                    self._bring(own, left[0])
                except SlowwaveError:
                    self._give_back(own, left)
                    return False
                left.popleft()
        return True

    def close(self) -> None:
        """Bring what is held, once, and let go of Redis."""
        own = self._mine()
        own.ended.set()
        if own.thread is not None:
            own.thread.join()
        self.flush()
        if own.client is not None:
            with suppress(Exception):
                own.client.close()
        self._own = _Own()

    def _hold(self, scope_key: str, note: Note | _Shown) -> None:
        own = self._mine()
        with own.lock:
            if len(own.notes) >= HELD:
                own.notes.popleft()
                self.dropped += 1
            own.notes.append(_Held(scope_key, time.monotonic(), note))
            if own.thread is None:
                own.thread = threading.Thread(target=self._keep_bringing, args=(own,), daemon=True)
                own.thread.start()

    def _keep_bringing(self, own: _Own) -> None:
        while not own.ended.wait(EVERY_SECONDS):
            self.flush()

    def _mine(self) -> _Own:
        if self._own.pid != os.getpid():
            self._own = _Own()
        return self._own

    def _logs(self, own: _Own) -> tuple[ServedLog, ShownLog]:
        if own.logs is None:
            own.client = self._connect()
            own.logs = (
                ServedLog(own.client, self._partitions),
                ShownLog(own.client, self._partitions),
            )
        return own.logs

    def _bring(self, own: _Own, some: Sequence[_Held]) -> None:
        now = time.monotonic()
        fresh = [one for one in some if not one.is_late(now)]
        self.dropped += len(some) - len(fresh)
        if not fresh:
            return
        served, shown = self._logs(own)
        # Counts come last: what is brought again because of them changes nothing.
        for place, showings in _by_place(fresh, now).items():
            shown.add(place, showings, self._shown_seconds)
        notes = [(now - one.taken, one.note) for one in fresh if isinstance(one.note, Note)]
        if notes:
            served.add(fresh[0].scope_key, notes)

    @staticmethod
    def _taken(own: _Own) -> list[_Held]:
        with own.lock:
            taken, own.notes = list(own.notes), deque()
        return taken

    def _give_back(self, own: _Own, some: Iterable[Sequence[_Held]]) -> None:
        """Before those that came meanwhile; the oldest go where they are too many."""
        with own.lock:
            all_of_them = [*(one for portion in some for one in portion), *own.notes]
            self.dropped += max(0, len(all_of_them) - HELD)
            own.notes = deque(all_of_them[-HELD:])


def _by_place(some: Iterable[_Held], now: float) -> dict[Place, list[tuple[float, Showings]]]:
    """Each with its age, in order."""
    places: dict[Place, list[tuple[float, Showings]]] = {}
    for one in some:
        if isinstance(one.note, _Shown):
            places.setdefault(one.note.place, []).append((now - one.taken, one.note.showings))
    return places


def _portions(notes: Iterable[_Held]) -> Iterator[Sequence[_Held]]:
    """Each of one scope, in order."""
    scopes: dict[str, list[_Held]] = {}
    for one in notes:
        scopes.setdefault(one.scope_key, []).append(one)
    for some in scopes.values():
        yield from (some[at : at + PORTION] for at in range(0, len(some), PORTION))


def _kept(query: str) -> str:
    """The question on one line, without secrets; nothing where it is blank or too long."""
    plain = " ".join(query.encode(errors="replace").decode().split())
    return mask(plain) if len(plain) <= LONGEST else ""
