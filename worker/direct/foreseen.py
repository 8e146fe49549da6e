"""A store as it would be: plans laid over it, of which nothing is written."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from uuid import UUID

from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Add, Confirm, Plan, Retire, Run
from schemas.scope import Scope
from worker.adapters.stores.indexed import DECIMALS, identifier_keys, slot_key
from worker.adapters.stores.lineage import lineage
from worker.core.finding.vectors import cosines
from worker.core.forgetting.hidden import Version, version_of
from worker.core.planning.runs import applied
from worker.core.ports import Nominated, Nominations, Query, Reader
from worker.direct.using import used


class Foreseen:
    """Answers as the store would after the plans of one scope; it looks for no words."""

    def __init__(self, store: Reader) -> None:
        self._store = store
        #: What the plans change, as it would stand; null where it would be gone.
        self._changed: dict[UUID, MemoryRecord | None] = {}
        self._archives: list[ArchiveRecord] = []
        self._runs: dict[UUID, Run] = {}
        self._served: dict[UUID, int] = {}
        self._removed = set[Version]()

    def count_uses(self, times: Mapping[UUID, int]) -> None:
        """As if so many uses of these memories had been counted in them."""
        self._served = dict(times)

    def lay(self, plan: Plan) -> None:
        for change in plan.changes:
            if not isinstance(change, Add | Confirm):
                self._archives.append(change.archive)
            if isinstance(change, Retire):
                self._changed[change.archive.archive.memory.id] = None
            elif change.kind != "file":
                self._changed[change.record.memory.id] = change.record
        self._runs[plan.run] = applied(plan)

    def remove(self, versions: Iterable[Version]) -> None:
        """As if these snapshots were gone."""
        self._removed.update(versions)

    def memories(self, scope: Scope, ids: Iterable[UUID] | None = None) -> Iterator[MemoryRecord]:
        ids = None if ids is None else list(ids)
        stored = self._store.memories(scope, ids)
        found = (used(one, self._served) for one in stored if self._is_as_it_was(one))
        laid = (one for one in self._laid() if ids is None or one.memory.id in ids)
        yield from sorted((*found, *laid), key=lambda one: one.memory.id)

    def nominate(self, scope: Scope, queries: Sequence[Query], pool: int) -> Nominations:
        """What the store has in place of what the plans change is asked for besides, so that the best are among it."""
        found = self._store.nominate(scope, queries, pool + len(self._changed))
        as_it_was = filter(self._is_as_it_was, found.records.values())
        known = {one.memory.id: used(one, self._served) for one in as_it_was}
        known |= {one.memory.id: one for one in self._laid()}
        rankings = tuple(_ranked(query, known.values(), pool) for query in queries)
        named = {
            id for one in rankings for id in (*one.by_slot, *one.by_vector, *one.by_identifier)
        }
        return Nominations(rankings, {id: one for id, one in known.items() if id in named})

    def archives(self, scope: Scope, memory: UUID | None = None) -> Iterator[ArchiveRecord]:
        found = self._all_archives(scope, memory)
        return (one for one in found if version_of(one.archive) not in self._removed)

    def _all_archives(self, scope: Scope, memory: UUID | None) -> Iterator[ArchiveRecord]:
        if memory is None:
            yield from self._store.archives(scope)
            yield from self._archives
            return

        def about(asked: Collection[UUID]) -> list[ArchiveRecord]:
            stored = [one for id in asked for one in self._store.archives(scope, id)]
            laid = [
                one
                for one in self._archives
                if one.archive.memory.id in asked or one.archive.replaced_by in asked
            ]
            return [*stored, *laid]

        yield from lineage(memory, about)

    def run(self, scope: Scope, id: UUID) -> Run | None:
        return self._runs.get(id) or self._store.run(scope, id)

    def runs(self, scope: Scope) -> Iterator[Run]:
        yield from self._runs.values()
        yield from (run for run in self._store.runs(scope) if run.id not in self._runs)

    def _is_as_it_was(self, one: MemoryRecord) -> bool:
        return one.memory.id not in self._changed

    def _laid(self) -> list[MemoryRecord]:
        return [one for one in self._changed.values() if one is not None]


def _ranked(query: Query, records: Iterable[MemoryRecord], pool: int) -> Nominated:
    """As the stores rank."""
    mine = [one for one in records if query.subject in {None, one.memory.subject.casefold()}]
    mine.sort(key=lambda one: one.memory.id)
    slot = slot_key(query.slot) if query.slot else None
    in_slot = (
        one for one in mine if slot and one.memory.slot and slot_key(one.memory.slot) == slot
    )
    return Nominated(
        by_slot=_ids(in_slot)[:pool],
        by_vector=_ids(_nearest(query, mine))[:pool],
        by_identifier=_ids(_sharing(query, mine))[:pool],
    )


def _nearest(query: Query, records: list[MemoryRecord]) -> list[MemoryRecord]:
    if query.vector is None:
        return []
    near = cosines([query.vector], [one.vector for one in records])[0].round(DECIMALS)
    order = sorted(range(len(records)), key=lambda at: -float(near[at]))
    return [records[at] for at in order]


def _sharing(query: Query, records: list[MemoryRecord]) -> list[MemoryRecord]:
    codes = set(identifier_keys(query.identifiers))
    shared = {
        one.memory.id: len(codes.intersection(identifier_keys(one.memory.identifiers)))
        for one in records
    }
    found = [one for one in records if shared[one.memory.id]]
    return sorted(found, key=lambda one: -shared[one.memory.id])


def _ids(records: Iterable[MemoryRecord]) -> tuple[UUID, ...]:
    return tuple(one.memory.id for one in records)
