"""What recall has served, as Redis keeps it for sleep: how often each memory, and the last questions. All expires."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from uuid import UUID

from pydantic import ValidationError
from redis import Redis

from schemas.base import AwareDatetime, Stored
from schemas.keys import PartitionKeys, ScopeKeys, partition_of
from worker.adapters.redis_server import reachable
from worker.adapters.scripts import Scripts

#: How long a note may be on its way here: what was dropped meanwhile is known for twice as long.
HELD_SECONDS = 60
DAY_SECONDS = 86_400
#: How long after the last one counts and questions are kept.
COUNT_DAYS, QUESTION_DAYS = 90, 30
#: Questions of a scope that are kept, and memories that are counted.
QUESTIONS, COUNTS = 20, 20_000


@dataclass(frozen=True)
class Note:
    """One answer of recall, or somebody's opinion of a memory."""

    #: What it counts: memory ids, or `useful:` or `wrong:` and one.
    fields: tuple[str, ...]
    #: What was asked; empty where it is not kept.
    query: str = ""
    #: What it found, best first.
    found: tuple[UUID, ...] = ()


class Question(Stored):
    """One that recall has answered."""

    query: str
    #: What it found, best first.
    found: tuple[UUID, ...]


class Served(Question):
    """A question, and when it was asked last, by Redis's clock."""

    at: AwareDatetime


@dataclass(frozen=True)
class Feedback:
    """How often a memory was called useful, and wrong."""

    useful: int = 0
    wrong: int = 0


class ServedLog:
    """Needs a client that answers in bytes (`connect`). Every call may raise `Unavailable`."""

    def __init__(self, client: Redis, partitions: int = 1) -> None:
        self._redis = client
        self._scripts = Scripts(client)
        self._partitions = partitions

    def add(self, scope_key: str, notes: Iterable[tuple[float, Note]]) -> None:
        """Notes of a scope, each with its age in seconds; in one call. What was dropped since is not added."""
        told = [argument for age, note in notes for argument in _arguments(age, note)]
        bounds = [COUNT_DAYS * DAY_SECONDS * 1000, QUESTION_DAYS * DAY_SECONDS * 1000]
        bounds += [COUNTS, QUESTIONS]
        self._scripts.run("serve", self._keys(scope_key), [scope_key, *bounds, *told])

    def used(self, scope_key: str) -> dict[UUID, int]:
        """Memory id → times that it was served since `counted`."""
        with reachable():
            found = self._redis.hgetall(self._own(scope_key).used)
        return {UUID(_text(id)): int(times) for id, times in found.items()}

    def counted(self, scope_key: str, times: Mapping[UUID, int]) -> None:
        """So many are taken off; what was served meanwhile stays."""
        told = list[str | int]()
        for id, many in times.items():
            told += [str(id), many]
        self._scripts.run("uncount", [self._own(scope_key).used], told)

    def questions(self, scope_key: str) -> list[Served]:
        """The last `QUESTIONS`, each once, the latest first; what cannot be read is left out."""
        with reachable():
            found = self._redis.lrange(self._own(scope_key).served, 0, -1)
        return [one for entry in reversed(found) if (one := _read(entry)) is not None]

    def feedback(self, scope_key: str) -> dict[UUID, Feedback]:
        """Memory id → what was said of it."""
        with reachable():
            found = self._redis.hgetall(self._own(scope_key).judged)
        counts: dict[UUID, Counter[str]] = {}
        for field, times in found.items():
            word, _, id = _text(field).partition(":")
            counts.setdefault(UUID(id), Counter())[word] = int(times)
        return {id: Feedback(count["useful"], count["wrong"]) for id, count in counts.items()}

    def kept(self, scope_key: str) -> int:
        """How many questions there are."""
        with reachable():
            return int(self._redis.llen(self._own(scope_key).served))

    def forget(self, scope_key: str, memories: Iterable[UUID] = ()) -> None:
        """All questions go, since they are words that a person said, and the counts of these memories.

        What a reader has noted before, and brings later, goes as well.
        """
        self._drop(scope_key, "0", *map(str, memories))

    def erase(self, scope_key: str) -> int:
        """All of it goes, with what was shown in which conversation; how many questions it were."""
        return self._drop(scope_key, "1")

    def _drop(self, scope_key: str, *arguments: str) -> int:
        held_ms = 2 * HELD_SECONDS * 1000
        told: list[str | int] = [scope_key, held_ms, *arguments]
        return int(self._scripts.run("unserve", self._keys(scope_key), told))

    def _own(self, scope_key: str) -> ScopeKeys:
        return ScopeKeys(partition_of(scope_key, self._partitions), scope_key)

    def _keys(self, scope_key: str) -> list[str]:
        own = self._own(scope_key)
        shared = PartitionKeys(own.partition)
        return [own.used, own.served, own.judged, shared.unserved, own.shown]


def _arguments(age: float, note: Note) -> Iterator[str | int]:
    question = Question(query=note.query, found=note.found)
    yield round(age * 1000)
    yield from (digest(note.query), question.model_dump_json()) if note.query else ("", "")
    yield len(note.fields)
    yield from note.fields


def digest(query: str) -> str:
    return blake2b(query.encode(), digest_size=8).hexdigest()


def _read(entry: bytes | str) -> Served | None:
    ms, _, question = _text(entry).split(" ", 2)
    try:
        found = Question.model_validate_json(question)
    except ValidationError:
        return None
    at = datetime.fromtimestamp(int(ms) / 1000, UTC)
    return Served(query=found.query, found=found.found, at=at)


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value
