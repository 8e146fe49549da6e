"""Earlier versions that are past their retention: which of them may go, and what runs still say of them."""

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from schemas.memory import Archive
from schemas.plan import Change, Changed, Held, Plan, Run
from worker.core.forgetting.descent import Known
from worker.core.forgetting.hidden import Version, hidden, version_of
from worker.core.groups.setting import PassName
from worker.core.planning.accepting import bases
from worker.core.turning_back.built_upon import archived

#: Snapshots that are removed under one lease; for each the whole scope is read once more.
PORTION = 5_000


@dataclass(frozen=True)
class Retention:
    """No model is asked, and no share used up."""

    #: How long a snapshot is kept.
    keep: timedelta
    name: PassName = "retention"

    def until(self, now: datetime) -> datetime:
        """What was archived until then goes."""
        return now - self.keep


def outdated(known: Known, until: datetime) -> list[Version]:
    """Snapshots of a whole scope that go for good: what was archived until then, the earliest first.

    What was forgotten, and all that it hides, is left to the purge: without the one nothing would hide the other. An
    earlier version goes before a later one, what leads to an earlier memory not before that one, and evidence not
    before what was derived from it: whoever forgets a memory has to find what it was made of, and what of it.
    """
    archives = [one.archive for one in known.archives]
    live = [record.memory for record in known.live.values()]
    younger = (one.memory for one in archives if one.archived_at > until)
    evidence = (version for one in (*live, *younger) for version in one.derived.items())
    stays = hidden(archives, live).union(evidence)
    snapshots: dict[UUID, list[Archive]] = {}
    for one in sorted(archives, key=lambda one: one.memory.version):
        snapshots.setdefault(one.memory.id, []).append(one)
    going = {id: _begin(versions, until, stays) for id, versions in snapshots.items()}
    _keep_what_leads_back(snapshots, going, known.live.keys())
    found = (one for versions in going.values() for one in versions)
    ordered = sorted(found, key=lambda one: (one.archived_at, one.memory.id, one.memory.version))
    return [version_of(one) for one in ordered]


def _begin(
    versions: Iterable[Archive], until: datetime, stays: AbstractSet[Version]
) -> list[Archive]:
    """Of one memory's versions, in order, those before the first that stays."""
    found: list[Archive] = []
    for one in versions:
        if one.archived_at > until or version_of(one) in stays:
            break
        found.append(one)
    return found


def _keep_what_leads_back(
    snapshots: Mapping[UUID, list[Archive]],
    going: dict[UUID, list[Archive]],
    live: Collection[UUID],
) -> None:
    """The last snapshot of what no longer lives is the only way to what it had replaced."""

    def remains(id: UUID) -> bool:
        return id not in live and len(going[id]) < len(snapshots[id])

    todo = [id for id in snapshots if remains(id)]
    while todo:
        into = snapshots[todo.pop()][-1].replaced_by
        if into and into in snapshots and into not in live and not remains(into):
            going[into] = going[into][:-1]
            todo.append(into)


def without_words(run: Run, gone: AbstractSet[Version]) -> Run:
    """The run as it stays: ids, versions, relations, but nothing that was said of versions that are gone.

    A plan that waits for a person was decided on a version that has been replaced since: it could not be carried out.
    """
    is_stale = run.state == "parked" and run.plan is not None and _speaks(run.plan, gone)
    return run.model_copy(
        update={
            "changes": tuple(_wordless(change, gone) for change in run.changes),
            "held": tuple(_unproposed(held, gone) for held in run.held),
            "plan": None if is_stale else run.plan,
        }
    )


def _wordless(change: Changed, gone: AbstractSet[Version]) -> Changed:
    versions = {(change.memory_id, change.version), archived(change)}
    if versions.isdisjoint(gone):
        return change
    return change.model_copy(update={"why": "", "said": ()})


def _unproposed(held: Held, gone: AbstractSet[Version]) -> Held:
    return held.model_copy(update={"proposal": ()}) if _names(held.proposal, gone) else held


def _speaks(plan: Plan, gone: AbstractSet[Version]) -> bool:
    return any(_names(some, gone) for some in (plan.changes, *(one.proposal for one in plan.held)))


def _names(changes: Iterable[Change], gone: AbstractSet[Version]) -> bool:
    return any((id, version) in gone for id, (version, _) in bases(changes))


def with_gaps(memory: UUID, archives: Iterable[Archive]) -> frozenset[UUID]:
    """Of a memory that was changed, and of what was replaced by it, those of which earlier versions are gone."""
    found: dict[UUID, set[int]] = {memory: set()}
    for one in archives:
        found.setdefault(one.memory.id, set()).add(one.memory.version)
    return frozenset(
        id for id, versions in found.items() if not versions or len(versions) < max(versions)
    )
