"""Snapshots that an undo files again, because they read differently from then on."""

from collections.abc import Iterable
from uuid import UUID

from schemas.memory import Archive, ArchiveRecord, Reason
from schemas.plan import Changed, Run
from worker.core.turning_back.built_upon import Known, archived, as_left_by, taken_back

Version = tuple[UUID, int]


def filed_again(target: Run, known: Known) -> list[ArchiveRecord]:
    """What the target filed as it was before, and what it had hidden for all to see; each once."""
    found: dict[UUID, ArchiveRecord] = {}
    for changed in target.changes:
        for record in _of(changed, target, known):
            found[record.archive.id] = record
    return list(found.values())


def _of(changed: Changed, target: Run, known: Known) -> Iterable[ArchiveRecord]:
    """Of a memory all that was hidden with it, also when it was done again after an undo."""
    if changed.kind == "file":
        record = known.archives[changed.memory_id][changed.version]
        return [_with(record, _before(record.archive, target, known))]
    hands = as_left_by(known, changed.memory_id)
    mine = hands[: hands.index(target.id) + 1]
    return [
        _with(one, _for(one.archive, "undone"))
        for one in known.archives.get(changed.memory_id, {}).values()
        if one.archive.reason == "forgotten" and one.archive.run in mine
    ]


def _before(archive: Archive, target: Run, known: Known) -> Archive:
    """A snapshot as it was before the target filed it; `undone` where it was not there at all.

    At the bottom of a row of undos is a run that holds before every other one of them.
    """
    chain = taken_back(target, known)
    version = archive.memory.id, archive.memory.version
    wrote = _changes(chain[-1], version)
    if not wrote:
        return _for(archive, "forgotten" if archive.reason == "undone" else "undone")
    if len(chain) % 2:
        wrote = _archivists(known, chain[-1], version)
    return _first(archive, wrote) or _for(archive, "undone")


def _archivists(known: Known, run: Run, version: Version) -> list[tuple[Run, Changed]]:
    """Whoever else wrote the snapshot, the latest first; one that was filed and undone does not count."""
    return [
        (other, change)
        for one in known.runs.values()
        if one.id != run.id
        for other, change in _changes(one, version)
        if change.kind != "file" or (other.undoes is None and other.state == "applied")
    ]


def _changes(run: Run, version: Version) -> list[tuple[Run, Changed]]:
    return [(run, change) for change in run.changes if archived(change) == version]


def _first(archive: Archive, wrote: Iterable[tuple[Run, Changed]]) -> Archive | None:
    """As the first of these wrote it. Runs of versions that did not keep a reason tell it by the relation."""
    for run, change in wrote:
        given = change.reason or ("forgotten" if change.relation == "forget" else "late")
        fields = {"why": change.why, "run": run.id, "archived_at": run.started_at}
        return archive.model_copy(update={"reason": given, **fields})
    return None


def _for(archive: Archive, reason: Reason) -> Archive:
    return archive.model_copy(update={"reason": reason})


def _with(record: ArchiveRecord, archive: Archive) -> ArchiveRecord:
    return record.model_copy(update={"archive": archive})
