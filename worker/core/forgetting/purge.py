"""What is removed for good of what was forgotten, and what has to lose its words with it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from schemas.memory import Archive, ArchiveRecord, Memory
from schemas.plan import Add, Change, Changed, Confirm, Held, Plan, Revise, Run
from schemas.turn import Turn
from worker.core.forgetting.descent import Known
from worker.core.forgetting.hidden import Veil, Version, veil, version_of
from worker.core.forgetting.topics import ASKED, Topic
from worker.core.groups.merging import union


@dataclass(frozen=True)
class Purge:
    """What goes for good."""

    archives: tuple[ArchiveRecord, ...] = ()
    #: What it said, and when that was forgotten: what is said later is said anew.
    topics: tuple[tuple[Topic, datetime], ...] = ()
    #: Turns behind it.
    turn_ids: frozenset[UUID] = frozenset()

    @property
    def versions(self) -> list[Version]:
        return [version_of(one.archive) for one in self.archives]

    @property
    def memory_ids(self) -> frozenset[UUID]:
        return frozenset(one.archive.memory.id for one in self.archives)

    def speaks(self, text: str) -> bool:
        """Whether it has any word of it."""
        return any(topic.is_in(text) for topic, _ in self.topics)

    def tells(self, text: str) -> bool:
        """Whether it has all words of it."""
        return any(topic.is_told_by(text) for topic, _ in self.topics)

    def is_told_by(self, turn: Turn) -> bool:
        """Whether a turn is behind it, or had all words of it before it was forgotten."""
        return turn.id in self.turn_ids or self.was_told_by(turn.text, turn.said_at)

    def was_told_by(self, text: str, said_at: datetime) -> bool:
        """Whether words had all of it before it was forgotten."""
        return any(said_at <= at and topic.is_told_by(text) for topic, at in self.topics)


def due(
    forgotten: Iterable[ArchiveRecord], runs: Mapping[UUID, Run], grace: timedelta, now: datetime
) -> list[ArchiveRecord]:
    """Snapshots whose time has come: at once where a person or a program forgot directly, else after the grace."""
    return [
        one
        for one in forgotten
        if _is_direct(runs.get(one.archive.run)) or one.archive.archived_at + grace <= now
    ]


def _is_direct(run: Run | None) -> bool:
    return run is not None and run.kind == "write"


def purge_of(known: Known, gone: Sequence[ArchiveRecord], runs: Mapping[UUID, Run]) -> Purge:
    """These snapshots, with all that no read shows because of them."""
    hides = _veil_of(known, {version_of(one.archive) for one in gone})
    archives = [one for one in known.archives if version_of(one.archive) in hides.versions]
    topics = tuple((Topic("", lost.words), lost.at) for lost in hides.lost if lost.words)
    acts = [runs[id] for id in union(one.archive.run for one in gone) if id in runs]
    return Purge(tuple(archives), topics, _turns_of(known, archives, acts))


def _veil_of(known: Known, roots: set[Version]) -> Veil:
    """As if nothing else had been forgotten."""
    archives = (one.archive for one in known.archives)
    return veil(
        (_as_forgotten(one, is_so=version_of(one) in roots) for one in archives),
        (one.memory for one in known.live.values()),
    )


def _as_forgotten(archive: Archive, *, is_so: bool) -> Archive:
    if is_so or archive.reason != "forgotten":
        return archive
    return archive.model_copy(update={"reason": "superseded"})


def _turns_of(known: Known, gone: Sequence[ArchiveRecord], acts: Iterable[Run]) -> frozenset[UUID]:
    """Those behind what goes, but those behind earlier versions that stay, and those of the requests themselves."""
    versions, ids = {version_of(one.archive) for one in gone}, {_id(one) for one in gone}
    stay = (
        one.archive.memory.turn_ids
        for one in known.archives
        if version_of(one.archive) not in versions
        and (_id(one) in ids or one.archive.replaced_by in ids)
    )
    turns = {id for one in gone for id in one.archive.memory.turn_ids}.difference(*stay)
    return frozenset(turns.union(*map(_told_by, acts)))


def _id(one: ArchiveRecord) -> UUID:
    return one.archive.memory.id


def _told_by(act: Run) -> tuple[UUID, ...]:
    """A direct act names all turns that tell it; else the requests do."""
    if _is_direct(act):
        return act.turn_ids
    return union(*(one.turn_ids for one in act.changes if one.relation == "forget"))


def without_words(run: Run, purge: Purge, settles: Iterable[UUID] = ()) -> Run:
    """The run as it stays: ids, versions, relations, but nothing that was said about what went.

    What `settles` the run that forgot it are turns that go unread. It names every memory that went with it: an export
    from before must not bring one back.
    """
    if run.id in {one.archive.run for one in purge.archives if one.archive.reason == "forgotten"}:
        changes = (*run.changes, *_unnamed(run, purge))
        run = run.model_copy(update={"turn_ids": union(run.turn_ids, settles), "changes": changes})
    is_dropped = run.plan is not None and run.state == "parked" and _plan_tells(run.plan, purge)
    return run.model_copy(
        update={
            "changes": tuple(_wordless(change, run.started_at, purge) for change in run.changes),
            "held": tuple(_unproposed(held, purge) for held in run.held),
            "plan": None if is_dropped else unasked(run).plan,
        }
    )


def unasked(run: Run) -> Run:
    """Without the questions for which its plan is only proposed: words that a person said go as a whole."""
    if run.plan is None or run.plan.withheld is None:
        return run
    lost = tuple(one.model_copy(update={"query": ""}) for one in run.plan.withheld.lost)
    withheld = run.plan.withheld.model_copy(update={"lost": lost})
    return run.model_copy(update={"plan": run.plan.model_copy(update={"withheld": withheld})})


def _unnamed(run: Run, purge: Purge) -> Iterator[Changed]:
    """Memories of which no change of the run says that they go: they were made of, or into, what does."""
    named = {change.memory_id for change in run.changes if change.relation == "forget"}
    gone = {one.archive.memory.id: one.archive for one in purge.archives}
    for id, archive in gone.items():
        if id not in named:
            yield Changed(
                kind="file",
                memory_id=id,
                version=archive.memory.version,
                replaced_by=archive.replaced_by,
                reason="forgotten",
                relation="forget",
                why=ASKED,
            )


def _plan_tells(plan: Plan, purge: Purge) -> bool:
    held = (change for one in plan.held for change in one.proposal)
    return proposes(purge, (*plan.changes, *held))


def proposes(purge: Purge, changes: Iterable[Change]) -> bool:
    """Whether any of the changes is about what went, or tells it."""
    return any(
        memory.id in purge.memory_ids or purge.tells(f"{memory.text} {memory.after or ''}")
        for change in changes
        for memory in _memories_in(change)
    )


def _memories_in(change: Change) -> Iterator[Memory]:
    if isinstance(change, Add | Confirm | Revise):
        yield change.record.memory
    if not isinstance(change, Add | Confirm):
        yield change.archive.archive.memory


def _wordless(change: Changed, at: datetime, purge: Purge) -> Changed:
    """What was said about other memories goes where it has all words of it, or one and comes from the same turns."""
    is_meant = change.memory_id in purge.memory_ids
    is_near = not purge.turn_ids.isdisjoint(change.turn_ids)
    words = (change.why, *change.said)
    is_told = any((is_near and purge.speaks(one)) or purge.was_told_by(one, at) for one in words)
    if change.why == ASKED or not (is_meant or is_told):
        return change
    return change.model_copy(update={"why": "", "said": ()})


def _unproposed(held: Held, purge: Purge) -> Held:
    is_told = held.turn_id in purge.turn_ids or purge.tells(held.reason)
    if not (is_told or proposes(purge, held.proposal)):
        return held
    return held.model_copy(update={"reason": "", "proposal": ()})


def silenced(known: Known, purge: Purge) -> list[ArchiveRecord]:
    """Snapshots that stay and whose reason may tell it."""
    judged = {one.archive.run for one in purge.archives}
    gone = {*purge.versions}
    return [
        one.model_copy(update={"archive": one.archive.model_copy(update={"why": ""})})
        for one in known.archives
        if version_of(one.archive) not in gone and one.archive.why and _tells(one, purge, judged)
    ]


def _tells(one: ArchiveRecord, purge: Purge, judged: AbstractSet[UUID]) -> bool:
    """Its reason has all words of it; of what is near it one word is enough, or that it is of the same judgment."""
    archive = one.archive
    if not purge.memory_ids.isdisjoint({archive.memory.id, archive.replaced_by}):
        return archive.run in judged or purge.speaks(archive.why)
    return purge.was_told_by(archive.why, archive.archived_at)
