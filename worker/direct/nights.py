"""The hands of a night: those that write under the scope's lease, and those that only note what they would write."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Plan, Run
from schemas.scope import Scope
from worker.adapters.apply import apply
from worker.core.forgetting.hidden import Version
from worker.core.planning import runs
from worker.core.ports import Hold, Nominations, Query
from worker.core.sleeping.note import Note, read_note
from worker.core.sleeping.retention import without_words
from worker.direct.foreseen import Foreseen
from worker.direct.holding import holding
from worker.direct.using import count_uses
from worker.errors import Unprocessable
from worker.parts import Parts


class Looks(Protocol):
    """What a night reads."""

    def memories(
        self, scope: Scope, ids: Iterable[UUID] | None = None
    ) -> Iterator[MemoryRecord]: ...

    def nominate(self, scope: Scope, queries: Sequence[Query], pool: int) -> Nominations: ...

    def archives(self, scope: Scope, memory: UUID | None = None) -> Iterator[ArchiveRecord]: ...

    def run(self, scope: Scope, id: UUID) -> Run | None: ...

    def runs(self, scope: Scope) -> Iterator[Run]: ...


class Hands(Protocol):
    """What a night does in one slice."""

    #: Vectors that were another embedder's and had to be made anew before anything else.
    @property
    def made_anew(self) -> int: ...

    def keep(self, note: Note) -> None: ...

    def count_uses(self) -> None:
        """What recall has served since the last night, in the memories."""
        ...

    def carry_out(self, plan: Plan) -> None: ...

    def propose(self, plan: Plan) -> None: ...

    def remove(self, versions: Sequence[Version]) -> None:
        """Snapshots, for good, and what runs say of them."""
        ...


class Way(Protocol):
    """How a night goes about it."""

    @property
    def looks(self) -> Looks: ...

    def note(self) -> Note:
        """How far sleep has come. Raises `Misconfigured` where that cannot be read."""
        ...

    def hands(self) -> AbstractContextManager[Hands]:
        """For one slice."""
        ...

    def waiting(self) -> int:
        """Turns that go first."""
        ...


@dataclass(frozen=True)
class Working:
    """Each slice under the scope's lease, which is let go after it. Raises as `holding`, which makes no room."""

    parts: Parts
    scope: Scope
    now: datetime

    @property
    def looks(self) -> Looks:
        return self.parts.store

    def note(self) -> Note:
        return read_note(self.parts.store.about(self.scope).sleep, self.scope).in_time(self.now)

    @contextmanager
    def hands(self) -> Iterator[Hands]:
        with holding(self.parts, self.scope, self.now, makes_room=False) as held:
            yield _Writing(self.parts, self.scope, held.lease, held.made_anew)

    def waiting(self) -> int:
        return self.parts.inbox.waiting(self.scope.key)


@dataclass(frozen=True)
class _Writing:
    parts: Parts
    scope: Scope
    hold: Hold
    made_anew: int

    def keep(self, note: Note) -> None:
        self.parts.store.writer(self.scope, self.hold).put_sleep(note.model_dump_json())

    def count_uses(self) -> None:
        count_uses(self.parts, self.scope, self.hold)

    def carry_out(self, plan: Plan) -> None:
        apply(self.parts.store, plan, self.hold)

    def propose(self, plan: Plan) -> None:
        self.parts.store.writer(self.scope, self.hold).put_run(runs.parked(plan))

    def remove(self, versions: Sequence[Version]) -> None:
        """The snapshots last: as long as they are there, it is known what has to go."""
        writer, gone = self.parts.store.writer(self.scope, self.hold), frozenset(versions)
        for run in list(self.parts.store.runs(self.scope)):
            if (left := without_words(run, gone)) != run:
                writer.put_run(left)
        writer.remove_archives(versions)


class Foreseeing:
    """Writes nothing and takes no lease: what a slice would change is laid over the store for the next.

    Raises `Unprocessable` where the scope's vectors are another embedder's: whoever holds it next makes them anew.
    """

    made_anew = 0

    def __init__(self, parts: Parts, scope: Scope, now: datetime) -> None:
        about = parts.store.about(scope)
        if about.embedder != parts.embedder.fingerprint:
            raise Unprocessable(
                f"the vectors of scope {scope.key} are not those of {parts.embedder.fingerprint}: what"
                " sleep would do is known once `slowwave reembed` has made them anew"
            )
        self._foreseen = Foreseen(parts.store)
        self._served = parts.inbox.served.used(scope.key)
        self._note = read_note(about.sleep, scope).in_time(now)

    @property
    def looks(self) -> Looks:
        return self._foreseen

    def note(self) -> Note:
        return self._note

    @contextmanager
    def hands(self) -> Iterator[Hands]:
        yield self

    def waiting(self) -> int:
        return 0

    def keep(self, note: Note) -> None:
        self._note = note

    def count_uses(self) -> None:
        self._foreseen.count_uses(self._served)

    def carry_out(self, plan: Plan) -> None:
        self._foreseen.lay(plan)

    def propose(self, plan: Plan) -> None:
        pass

    def remove(self, versions: Sequence[Version]) -> None:
        self._foreseen.remove(versions)
