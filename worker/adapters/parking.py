"""The dead letters: turns that were put aside, and their ways out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from redis import Redis

from schemas.keys import PartitionKeys, ScopeKeys, partition_of
from schemas.tokens import estimate
from schemas.turn import Turn
from worker.adapters.entries import Parked
from worker.adapters.redis_server import reachable
from worker.adapters.scripts import Scripts

#: Turns that one script call moves.
_PORTION = 200


@dataclass(frozen=True)
class Letter:
    """One parked turn, and where it lies."""

    scope_key: str
    #: The turn's; of what is none, by what was queued.
    id: str
    parked: Parked

    @property
    def turn(self) -> Turn | None:
        """Null for what is no turn of its scope: it can only be exported or dropped."""
        turn = self.parked.turn
        return turn if turn is not None and turn.scope.key == self.scope_key else None


class Parking:
    """Needs a client that answers in bytes (`connect`). Every call may raise `Unavailable`."""

    def __init__(self, client: Redis, partitions: int = 1) -> None:
        self._redis = client
        self._partitions = partitions
        self._scripts = Scripts(client)

    def letters(self, scope_key: str | None = None) -> Iterator[Letter]:
        """Of one scope, or of all, the scope that has any for longest first; of a scope the oldest first."""
        for key in [scope_key] if scope_key else self._scopes():
            with reachable():
                found = self._redis.hgetall(self._own(key).parked)
            letters = [
                Letter(key, _text(id), Parked.model_validate_json(payload))
                for id, payload in found.items()
            ]
            yield from sorted(letters, key=_age)

    def replay(self, letters: Sequence[Letter]) -> int:
        """Put turns back at the end of their inboxes, due at once; how many were still parked.

        Each moves in one step, so that nothing is lost or doubled by a crash, and starts afresh with its attempts.
        """
        moved = 0
        for key, portion in _by_scope(letters):
            own, shared = self._own(key), self._shared(key)
            keys = [own.turns, own.meta, own.parked, shared.due, shared.busy]
            keys += [shared.counters, shared.aside]
            arguments: list[str | int] = [key]
            for letter in portion:
                tokens = estimate(letter.turn.text) if letter.turn else 0
                arguments += [letter.id, letter.parked.payload, tokens]
            moved += self._scripts.run("replay", keys, arguments)
        return moved

    def drop(self, letters: Sequence[Letter]) -> int:
        """They are gone; how many were still parked. Their turns may be published again."""
        dropped = 0
        for key, portion in _by_scope(letters):
            own, shared = self._own(key), self._shared(key)
            keys = [own.seen, own.parked, shared.counters, shared.aside]
            dropped += self._scripts.run("drop", keys, [key, *(letter.id for letter in portion)])
        return dropped

    def _scopes(self) -> Iterator[str]:
        for partition in range(self._partitions):
            with reachable():
                found = self._redis.zrange(PartitionKeys(partition).aside, 0, -1)
            yield from map(_text, found)

    def _own(self, scope_key: str) -> ScopeKeys:
        return ScopeKeys(partition_of(scope_key, self._partitions), scope_key)

    def _shared(self, scope_key: str) -> PartitionKeys:
        return PartitionKeys(partition_of(scope_key, self._partitions))


def _age(letter: Letter) -> tuple[datetime, datetime]:
    """Those that were put aside together in their order of arrival."""
    parked_at = letter.parked.parked_at
    return (parked_at, letter.turn.received_at if letter.turn else parked_at)


def _text(name: object) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)


def _by_scope(letters: Sequence[Letter]) -> Iterator[tuple[str, list[Letter]]]:
    """In their order, so many at a time that no call is long."""
    scopes: dict[str, list[Letter]] = {}
    for letter in letters:
        scopes.setdefault(letter.scope_key, []).append(letter)
    for key, all_of_it in scopes.items():
        for at in range(0, len(all_of_it), _PORTION):
            yield key, all_of_it[at : at + _PORTION]
