"""What was forgotten is removed for good: from the store, from its runs, and from what the queue still holds."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from schemas.scope import Scope
from worker.adapters.inbox import Inbox
from worker.adapters.lease import Lease
from worker.adapters.parking import Letter
from worker.core.forgetting.descent import Known
from worker.core.forgetting.purge import (
    Purge,
    due,
    proposes,
    purge_of,
    silenced,
    unasked,
    without_words,
)
from worker.core.groups.merging import union
from worker.core.ports import Store
from worker.parts import Parts


@dataclass(frozen=True)
class Queued:
    """What the queue holds of it."""

    pending: tuple[UUID, ...]
    parked: tuple[Letter, ...]
    #: Parked turns of which only the proposal, or the reason, has to do with it.
    proposed: tuple[Letter, ...]
    recent: tuple[UUID, ...]

    @property
    def turn_ids(self) -> tuple[UUID, ...]:
        """Turns that go unread."""
        parked = (letter.turn.id for letter in self.parked if letter.turn)
        return union(self.pending, parked)


@dataclass(frozen=True)
class Purged:
    """How much went, by place."""

    archives: int = 0
    #: Runs that lost words, or are told what went with what they forgot.
    runs: frozenset[UUID] = frozenset()
    parked: int = 0
    recent: int = 0


def purge_due(parts: Parts, scope: Scope, lease: Lease, now: datetime) -> Purged:
    """Remove what was forgotten directly, and in conversations longer than `forget_grace_days` ago.

    Where nothing was forgotten it is one store call. After a crash at any point it is done again, and complete.
    Pending turns stay: a batch may be counting on their places, and those that must not be read are settled.
    """
    forgotten = parts.store.forgotten(scope)
    if not forgotten:
        return Purged()
    found = (parts.store.run(scope, id) for id in union(one.archive.run for one in forgotten))
    runs = {run.id: run for run in found if run}
    grace = timedelta(days=parts.settings.forget_grace_days)
    gone = due(forgotten, runs, grace, now)
    if not gone:
        return Purged()
    known = everything(parts.store, scope)
    return _purged(parts, scope, lease, known, purge_of(known, gone, runs))


def everything(store: Store, scope: Scope) -> Known:
    return Known.of(store.memories(scope), store.archives(scope))


def _purged(parts: Parts, scope: Scope, lease: Lease, known: Known, purge: Purge) -> Purged:
    """The snapshots last: as long as they are there, it is known what has to go."""
    told = queued(parts.inbox, scope.key, purge)
    runs = purge_runs(parts.store, scope, lease, purge, told.turn_ids)
    writer = parts.store.writer(scope, lease)
    if reworded := silenced(known, purge):
        writer.put_archives(reworded)
    parked, recent = clear(parts.inbox, lease, told)
    parts.inbox.served.forget(scope.key, purge.memory_ids - known.live.keys())
    writer.remove_archives(purge.versions)
    return Purged(len(purge.archives), runs, parked, recent)


def purge_runs(
    store: Store, scope: Scope, lease: Lease, purge: Purge, settles: Iterable[UUID] = ()
) -> frozenset[UUID]:
    """Runs lose their words about it; which. Those that forgot it settle these turns."""
    writer, changed = store.writer(scope, lease), set[UUID]()
    settles = tuple(settles)
    for run in list(store.runs(scope)):
        if (left := without_words(run, purge, settles)) != run:
            writer.put_run(left)
            changed.add(run.id)
    return frozenset(changed)


def drop_questions(parts: Parts, scope: Scope, lease: Lease) -> None:
    """Those that recall has answered, and those that proposals name: any may tell what was forgotten just now."""
    parts.inbox.served.forget(scope.key)
    writer = parts.store.writer(scope, lease)
    for run in list(parts.store.runs(scope)):
        if (left := unasked(run)) != run:
            writer.put_run(left)


def queued(inbox: Inbox, scope_key: str, purge: Purge) -> Queued:
    """What the queue holds of a scope that tells it."""
    letters = list(inbox.parking.letters(scope_key))
    parked = tuple(letter for letter in letters if _tells(letter, purge))
    return Queued(
        pending=tuple(one.id for one in inbox.pending(scope_key) if purge.is_told_by(one)),
        parked=parked,
        proposed=tuple(
            letter for letter in letters if letter not in parked and _speaks(letter, purge)
        ),
        recent=tuple(one.id for one in inbox.recent_turns(scope_key) if purge.is_told_by(one)),
    )


def _tells(letter: Letter, purge: Purge) -> bool:
    if letter.turn:
        return purge.is_told_by(letter.turn)
    return purge.tells(letter.parked.payload)


def _speaks(letter: Letter, purge: Purge) -> bool:
    """One that is no turn has no proposal."""
    parked = letter.parked
    return letter.turn is not None and (
        proposes(purge, parked.proposal) or purge.tells(parked.reason)
    )


def clear(inbox: Inbox, lease: Lease, told: Queued) -> tuple[int, int]:
    """Parked turns and context that tell it go; how many of each. What was only proposed is to be judged anew."""
    parked = inbox.parking.drop(told.parked) if told.parked else 0
    if told.proposed:
        inbox.parking.replay(told.proposed)
    recent = inbox.drop_recent(lease.claim, told.recent) if told.recent else 0
    return parked, recent


def rewrite_own_log(parts: Parts) -> None:
    """Have the embedded Redis write its file without what was deleted; any other does so when it is told to."""
    if parts.settings.redis_url is None:
        parts.inbox.rewrite_log()
