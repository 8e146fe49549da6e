"""What an answer is chosen from, read from a store in as few calls as it takes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from schemas.scope import Scope
from worker.core.ports import Nominations, Query, Reader
from worker.core.recalling.ask import MOST_NOMINATED, Ask
from worker.core.recalling.choosing import seen_from, standing
from worker.core.recalling.filtering import filtered
from worker.core.recalling.links import wanted
from worker.core.recalling.pool import Entry, Pool
from worker.core.recalling.signals import nominated, with_signals
from worker.core.recalling.unseen import marked, withdrawn


@dataclass(frozen=True)
class Pooled:
    """A pool after the filters, with signals, and what stands no longer of what was shown."""

    pool: Pool
    withdrawn: tuple[UUID, ...] = ()


@dataclass(frozen=True)
class Pooling:
    """One ask of one scope."""

    store: Reader
    scope: Scope
    #: Of the embedder that the queries were made by.
    fingerprint: str
    ask: Ask
    now: datetime

    def profile(self) -> Pooled:
        """Everything that stands, without signals."""
        everything = self._everything(comparable=False)
        pool = self._filtered(marked(everything, self.ask.shown))
        return Pooled(pool, withdrawn(everything, self.ask.shown))

    def pool(self, queries: Sequence[Query]) -> Pooled:
        """What the store nominates, with what it links to and what was shown in another version, as asked.

        It is asked for more where most of it was shown. The whole scope is read for another time or history, and where
        filters leave less of the nominated than was asked for while there may be more.
        """
        if self.ask.with_history or self.ask.is_of_another_time:
            return self._of_everything(queries)
        for pool in sorted({self._least, min(self._most, 2 * MOST_NOMINATED)}):
            found = self.store.nominate(self.scope, queries, pool)
            entries = standing(found.records.values(), self.now)
            if not self._is_short(found, entries, pool):
                known = _Known({one.memory.id: one for one in entries}, found.terms)
                return self._with_besides(entries, queries, known)
        return self._of_everything(queries)

    @property
    def _least(self) -> int:
        """Memories of each ranking that can fill an answer."""
        return max(self.ask.pool, self.ask.limit)

    @property
    def _most(self) -> int:
        """That can fill one also where all that was shown is in front of them."""
        return self._least + len(self.ask.shown)

    def _is_short(self, found: Nominations, entries: Sequence[Entry], pool: int) -> bool:
        """Whether there may be more, and too little is left."""
        is_cut = any(
            len(ranking) >= pool
            for one in found.rankings
            for ranking in (one.by_vector, one.by_words, one.by_identifier)
        )
        return is_cut and len(self._filtered(self._called_for(entries)).entries) < self.ask.limit

    def _of_everything(self, queries: Sequence[Query]) -> Pooled:
        everything = self._everything(comparable=self._are_comparable())
        chosen = nominated(self._filtered(everything).entries, queries, self._most)
        known = _Known({one.memory.id: one for one in everything}, is_all=True)
        return self._with_besides(chosen, queries, known)

    def _with_besides(
        self, entries: Sequence[Entry], queries: Sequence[Query], known: "_Known"
    ) -> Pooled:
        chosen = {one.memory.id for one in entries}
        ids = {*self.ask.shown, *(wanted(entries) if self.ask.follow_links else ())}
        besides = self._standing(ids - chosen, known)
        pool = self._filtered(marked([*entries, *self._called_for(besides)], self.ask.shown))
        signalled = with_signals(pool.entries, queries, known.terms)
        gone = withdrawn([*entries, *besides], self.ask.shown)
        return Pooled(pool.with_entries(signalled), gone)

    def _called_for(self, besides: Iterable[Entry]) -> list[Entry]:
        """Without what was shown as it stands: it would only be left out again."""
        shown = self.ask.shown
        return [one for one in besides if shown.get(one.memory.id) != one.memory.version]

    def _standing(self, ids: set[UUID], known: "_Known") -> list[Entry]:
        if known.is_all:
            return [known.entries[id] for id in _sorted(ids) if id in known.entries]
        if not ids:
            return []
        records = self.store.memories(self.scope, _sorted(ids))
        return standing(records, self.now, comparable=self._are_comparable())

    def _everything(self, *, comparable: bool) -> list[Entry]:
        records = self.store.memories(self.scope)
        if not (self.ask.with_history or self.ask.is_of_another_time):
            return standing(records, self.now, comparable=comparable)
        archives = list(self.store.archives(self.scope))
        return seen_from(self.ask, list(records), archives, self.now, comparable=comparable)

    def _are_comparable(self) -> bool:
        return self.store.about(self.scope).embedder == self.fingerprint

    def _filtered(self, entries: Iterable[Entry]) -> Pool:
        return filtered(self.ask.filters)(Pool(tuple(entries)))


@dataclass(frozen=True)
class _Known:
    """What was read so far."""

    #: Of a memory that is told in several versions any one: links and what was shown are not asked for beside history.
    entries: Mapping[UUID, Entry]
    #: Memory id → the terms of its text.
    terms: Mapping[UUID, tuple[str, ...]] = field(default_factory=dict)
    #: Whether these are all there are.
    is_all: bool = False


def _sorted(ids: Iterable[UUID]) -> list[UUID]:
    return sorted(ids, key=lambda one: one.int)
