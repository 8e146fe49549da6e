"""What the decisions need from the outside, as protocols; adapters implement them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class Query:
    """What to look for around one statement or question."""

    vector: Vector | None
    #: Normalised terms (`worker.core.words.terms`) for BM25; empty for no such search.
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


class Reader(Protocol):
    """The read side of a store. A scope that was never written to has no memories: no call fails for it."""

    def nominate(self, scope: Scope, queries: Sequence[Query], pool: int) -> Nominations:
        """For each query the best `pool` live memories by each ranking (ties by id)."""
        ...

    def memories(self, scope: Scope, ids: Iterable[UUID] | None = None) -> Iterator[MemoryRecord]:
        """Live records, of these ids or all, in order of id."""
        ...

    def archives(self, scope: Scope, memory: UUID | None = None) -> Iterator[ArchiveRecord]:
        """Snapshots, of one memory or all, in order of memory id and version.

        Of one memory means: its own versions and those of memories that were replaced by it, transitively.
        """
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

        Comes before anything is read that the writes will depend on: it fences earlier holders out.
        """
        ...

    def put_run(self, run: Run) -> None:
        """A run that was finished stays so, whatever comes late from an earlier holder."""
        ...

    def put_archives(self, records: Sequence[ArchiveRecord]) -> None: ...

    def put_memories(self, records: Sequence[MemoryRecord]) -> None: ...

    def remove_memories(self, ids: Sequence[UUID]) -> None: ...


class Store(Reader, Protocol):
    """Reading by anyone, writing by who holds a lease: each adapter has one class for it."""

    def writer(self, scope: Scope, hold: Hold) -> Writer: ...

    def open(self, embedder: str, dimensions: int) -> None:
        """Create what is missing and check what is there.

        Raises `Misconfigured` naming what differs: server too old, another layout, another embedder.
        """
        ...

    def close(self) -> None: ...
