"""What the decisions need from the outside, as protocols; adapters implement them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NoReturn, Protocol
from uuid import UUID

from schemas.base import Vector
from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Run
from schemas.scope import Scope


class Embedder(Protocol):
    """Turns texts into unit vectors of one fixed size."""

    #: Identifies model and size; vectors of different fingerprints are never compared.
    @property
    def fingerprint(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    #: Cosine under which two texts are surely about different things (0 to 1).
    @property
    def floor(self) -> float: ...

    #: Cosine from which two texts with equal identifiers, names and polarity say the same (0 to 1).
    @property
    def same(self) -> float: ...

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One float32 vector of length 1 for each text. Raises `Retryable` when out of reach."""
        ...


class Reranker(Protocol):
    """Reads a question and texts together, and says which answer it best."""

    def order(self, query: str, texts: Sequence[str]) -> list[int]:
        """Places of the texts, the best first; some may be missing. Raises `SlowwaveError` where it gives no order."""
        ...


@dataclass(frozen=True)
class Query:
    """What to look for around one statement or question."""

    vector: Vector | None
    #: Normalised terms (`worker.core.texts.words.terms`) for BM25; empty for no such search.
    terms: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    slot: tuple[str, str] | None = None
    #: Casefolded; only memories about this subject are nominated. Null for any.
    subject: str | None = None


@dataclass(frozen=True)
class Nominated:
    """The rankings for one query, best first, as memory ids; the records are beside them in `Nominations`."""

    by_slot: tuple[UUID, ...] = ()
    by_vector: tuple[UUID, ...] = ()
    by_words: tuple[UUID, ...] = ()
    by_identifier: tuple[UUID, ...] = ()


@dataclass(frozen=True)
class Nominations:
    """One `Nominated` for each query, and every record that any of them names."""

    rankings: tuple[Nominated, ...]
    records: dict[UUID, MemoryRecord] = field(default_factory=dict)
    #: Memory id → the terms of its text in order, as the store keeps them, so that it need not be split again.
    #: Those of a memory with an `after` are left out.
    terms: dict[UUID, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class About:
    """What a store knows of a scope beside its memories."""

    #: Fingerprint of the embedder of all its vectors; null while none are to be trusted: it has no room, or they are
    #: being made anew.
    embedder: str | None = None
    #: Whether it has room: it was prepared, and not erased since.
    is_prepared: bool = False
    #: What was said until then does not come back; null for a scope that was never erased.
    erased_at: datetime | None = None
    #: How far sleep has come, in its own words; null where it never was there.
    sleep: str | None = None


@dataclass(frozen=True)
class Erased:
    """How much a store held of a scope."""

    memories: int = 0
    archives: int = 0
    runs: int = 0


class Reader(Protocol):
    """The read side of a store. A scope that was never written to has no memories: no call fails for it."""

    def nominate(self, scope: Scope, queries: Sequence[Query], pool: int) -> Nominations:
        """For each query the best `pool` live memories by each ranking (ties by id).

        Where the scope's vectors are another embedder's than the store was opened with, nothing is found by vector, and
        the records come without vectors (empty bytes): those of two models are never compared.
        """
        ...

    def memories(self, scope: Scope, ids: Iterable[UUID] | None = None) -> Iterator[MemoryRecord]:
        """Live records, of these ids or all, in order of id."""
        ...

    def archives(self, scope: Scope, memory: UUID | None = None) -> Iterator[ArchiveRecord]:
        """Snapshots, of one memory or all, in order of memory id and version.

        Of one memory means: its own versions and those of memories that were replaced by it, transitively.
        """
        ...

    def forgotten(self, scope: Scope) -> list[ArchiveRecord]:
        """Snapshots whose reason is `forgotten`, in order of memory id and version."""
        ...

    def run(self, scope: Scope, id: UUID) -> Run | None:
        """One run; the finished one where an open record of it was left behind."""
        ...

    def runs(self, scope: Scope, turn_ids: Iterable[UUID] | None = None) -> Iterator[Run]:
        """Runs that held any of these turns, or all; newest first by `started_at`."""
        ...

    def open_runs(self, scope: Scope) -> list[Run]:
        """Runs that were begun and not finished, oldest first."""
        ...

    def slots(self, scope: Scope, limit: int) -> list[tuple[str, str]]:
        """(subject, attribute) pairs in use by live memories, most used first, ties by name."""
        ...

    def count(self, scope: Scope) -> int:
        """Live memories."""
        ...

    def about(self, scope: Scope) -> About: ...

    def scope(self, key: str) -> Scope | None:
        """The scope of this key; null for one that has no room."""
        ...

    def scopes(self) -> Iterator[Scope]:
        """All that have room, in order of their keys. Those that were erased are known by key alone: not among them."""
        ...


class Hold(Protocol):
    """A lease on a scope, as far as a store asks for it."""

    #: Fencing token: whoever claims the scope later has a higher one.
    @property
    def fence(self) -> int: ...

    def check(self) -> None:
        """Ask whether the scope is still held. Raises `LeaseLost`, or `Unavailable` where nobody can say."""
        ...

    def overtaken(self, fence: int) -> NoReturn:
        """Raise what it means that the scope was written under this higher fence already."""
        ...


class Writer(Protocol):
    """The write side of one scope under one lease. Every call is an idempotent upsert or removal by id.

    A call that comes after another holder's first raises `LeaseLost` and writes nothing. How far a store can keep
    that for a worker that stood still stands in its own docstring.
    """

    def prepare(self) -> None:
        """Make room for the scope (a tenant); nothing else ever creates it.

        Comes before anything is read that the writes will depend on: it fences earlier holders out. Raises
        `Misconfigured` where the scope's vectors are another embedder's, or are being made anew.
        """
        ...

    def put_run(self, run: Run) -> None:
        """A run that was finished stays so, whatever comes late from an earlier holder."""
        ...

    def put_archives(self, records: Sequence[ArchiveRecord]) -> None: ...

    def put_memories(self, records: Sequence[MemoryRecord]) -> None: ...

    def remove_memories(self, ids: Sequence[UUID]) -> None: ...

    def remove_archives(self, versions: Sequence[tuple[UUID, int]]) -> None:
        """Snapshots by memory id and version: gone for good, for what was forgotten and for retention only."""
        ...

    def put_embedder(self, fingerprint: str | None) -> None:
        """Whose vectors the scope has from now on; null before the first of them is made anew, so that none is trusted.

        Fences earlier holders out, as `prepare` does, and makes no room.
        """
        ...

    def put_sleep(self, note: str) -> None:
        """How far sleep has come: kept beside the scope's memories, erased with them. Makes no room."""
        ...

    def erase(self, at: datetime) -> Erased:
        """Remove everything of the scope and its room. What stays is its key, `at` (the latest) and the fence.

        Makes no room, fences earlier holders out; of what was erased before it finds nothing.
        """
        ...


class Store(Reader, Protocol):
    """Reading by anyone, writing by who holds a lease: each adapter has one class for it."""

    def writer(self, scope: Scope, hold: Hold) -> Writer: ...

    def open(self, embedder: str, dimensions: int) -> None:
        """Create what is missing and check what is there.

        Raises `Misconfigured` naming what differs: server too old, another layout, another embedder.
        """
        ...

    def adopt(self, embedder: str, dimensions: int) -> None:
        """Let this embedder be the store's from now on, and open it: `open` with any other is refused afterwards.

        Scopes keep the vectors they have until each is changed over: see `About.embedder`.
        """
        ...

    def rest(self) -> int:
        """Put away what this process has not touched for a while and the store would keep in memory; how many scopes.

        Reading or writing one wakes it. Called from time to time by a worker.
        """
        ...

    def close(self) -> None: ...
