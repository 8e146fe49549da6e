"""What was shown in each conversation, as Redis keeps it: ids and versions, never a word. All expires."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from uuid import UUID

from redis import Redis

from schemas.keys import PartitionKeys, ScopeKeys, partition_of
from schemas.limits import Limits
from worker.adapters.entries import Entry
from worker.adapters.scripts import Scripts
from worker.core.recalling.showing import Showings
from worker.core.recalling.waiting import Queue

#: Memories of one conversation that are kept, the last shown, and conversations of a scope.
MEMORIES, CONVERSATIONS = 500, 1_000
#: How long after the last one they are kept unless told otherwise.
KEPT_SECONDS = 7 * 86_400
#: Turns that are looked at for those that may be told, and their bytes together (of one alone any number).
TURNS, BYTES = 100, 40_000


@dataclass(frozen=True)
class Place:
    """A conversation of a scope; its name is in no key."""

    scope_key: str
    digest: str

    @classmethod
    def of(cls, scope_key: str, conversation: str) -> "Place":
        named = conversation.encode(errors="surrogatepass")
        return cls(scope_key, blake2b(named, digest_size=16).hexdigest())


@dataclass(frozen=True)
class Beside:
    """What an answer depends on beside the store."""

    #: Memory id → version.
    shown: Mapping[UUID, int] = field(default_factory=dict)
    queue: Queue = field(default_factory=Queue)


class ShownLog:
    """Needs a client that answers in bytes (`connect`). Every call may raise `Unavailable`."""

    def __init__(self, client: Redis, partitions: int = 1) -> None:
        self._scripts = Scripts(client)
        self._partitions = partitions

    def beside(self, scope_key: str, place: Place | None, turns: int = 0) -> Beside:
        """What was shown at the place, and the last turns of the scope that wait, in one call."""
        own = self._own(scope_key)
        shared = PartitionKeys(own.partition)
        keys = [own.shown_in(place.digest if place else ""), own.turns, own.meta]
        keys += [shared.busy, shared.config]
        arguments: list[str | int] = [scope_key, turns, BYTES, Limits().batch_turns]
        shown, in_work, elements = self._scripts.run("shown", keys, arguments)
        entries = [Entry.read(element, scope_key) for element in elements]
        return Beside(
            shown=dict(_versions(shown)),
            queue=Queue(
                turns=tuple(entry.turn for entry in entries if entry.turn),
                in_work=sum(1 for entry in entries[:in_work] if entry.turn),
            ),
        )

    def add(self, place: Place, notes: Iterable[tuple[float, Showings]], kept_seconds: int) -> None:
        """Notes of a place, each with its age in seconds; in one call. Of a scope erased since none is kept."""
        own = self._own(place.scope_key)
        told: list[str | int] = [place.scope_key, place.digest]
        told += [kept_seconds * 1000, MEMORIES, CONVERSATIONS]
        for age, showings in notes:
            for id, one in showings.items():
                told += [round(age * 1000), str(id), one.version, int(one.is_withdrawn)]
        keys = [own.shown, own.shown_in(place.digest), PartitionKeys(own.partition).unserved]
        self._scripts.run("show", keys, told)

    def _own(self, scope_key: str) -> ScopeKeys:
        return ScopeKeys(partition_of(scope_key, self._partitions), scope_key)


def _versions(pairs: list[bytes]) -> Iterable[tuple[UUID, int]]:
    for id, value in zip(pairs[::2], pairs[1::2], strict=True):
        yield UUID(id.decode()), int(value.split(b" ")[0])
