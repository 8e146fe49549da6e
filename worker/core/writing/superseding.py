"""Statements that name the memories in whose place they stand: no judge is asked."""

from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from schemas.base import Vector
from schemas.memory import ArchiveRecord, Fact, Memory, MemoryRecord, Reason
from schemas.plan import Change, Plan, Retire, Revise
from worker.core.groups import merging
from worker.core.groups.setting import Setting
from worker.core.planning.accepting import bases
from worker.core.writing.stated import Stated
from worker.errors import NotFound, Unprocessable, VersionMoved

WHY = "written in its place"
LISTED = "`slowwave memories` lists what is there"


def named(statements: Sequence[Stated]) -> tuple[UUID, ...]:
    """All memories that are to be superseded. Raises `Unprocessable` where one is named by two statements."""
    ids = [id for one in statements for id in one.supersedes]
    if twice := next((id for id in ids if ids.count(id) > 1), None):
        raise Unprocessable(
            f"memory {twice} is superseded by two statements: nothing was written; name it once"
        )
    return tuple(ids)


def check(statement: Stated, live: Mapping[UUID, MemoryRecord]) -> None:
    """Raises `Unprocessable` unless it may stand in their place, `VersionMoved` where one was changed since."""
    for id in statement.supersedes:
        memory = the_live(id, live).memory
        if statement.if_version is not None:
            check_version(memory, statement.if_version)
        mine, theirs = (merging.AUTHORITY[one.authority] for one in (statement.fact, memory))
        if mine < theirs:
            raise Unprocessable(
                f"memory {id} is what the {memory.authority} said, and the {statement.fact.authority} may not replace"
                " it: nothing was written"
            )


def the_live(id: UUID, live: Mapping[UUID, MemoryRecord]) -> MemoryRecord:
    """Raises `NotFound` where there is none."""
    if id not in live:
        raise NotFound(f"memory {id} does not stand in this scope: nothing was written; {LISTED}")
    return live[id]


def check_version(memory: Memory, version: int) -> None:
    """Raises `VersionMoved` unless the memory is at this version."""
    if memory.version != version:
        raise VersionMoved(
            f"memory {memory.id} is at version {memory.version}, not at {version}: nothing was written; look at what it"
            f" says now and try again with version {memory.version}",
            memory.version,
        )


def superseding(
    setting: Setting, statement: Stated, live: Mapping[UUID, MemoryRecord], vector: Vector
) -> Iterator[Change]:
    """The first of the named lives on in the words of the statement, the others are retired."""
    old, *others = (live[id] for id in statement.supersedes)
    fact = _in_place_of(old.memory, statement)
    memory = merging.absorbed(old.memory, [one.memory for one in others])
    memory = merging.restated(memory, fact, [fact], fact.after, fact.happened_at)
    memory = merging.revised(memory, fact.text, setting.run, setting.now)
    latest = max(one.memory.said_at for one in (old, *others))
    memory = memory.model_copy(update={"said_at": max(fact.said_at, latest)})
    turns = statement.fact.turn_ids
    yield Revise(
        record=MemoryRecord(memory=memory, vector=vector),
        archive=_archived(setting, old, old.memory.id, "superseded"),
        relation="update",
        why=WHY,
        turn_ids=turns,
    )
    for one in others:
        archive = _archived(setting, one, old.memory.id, "merged")
        yield Retire(archive=archive, relation="update", why=WHY, turn_ids=turns)


def _in_place_of(old: Memory, statement: Stated) -> Fact:
    """What nobody named stays as it was."""
    kept = {name: getattr(old, name) for name in statement.unsaid}
    return statement.fact.model_copy(update=kept)


def _archived(setting: Setting, old: MemoryRecord, by: UUID, reason: Reason) -> ArchiveRecord:
    return merging.archived(
        old.memory, old.vector, by=by, reason=reason, why=WHY, run=setting.run, now=setting.now
    )


def with_changes(plan: Plan, changes: Sequence[Change]) -> Plan:
    """The plan with changes of other memories before its own."""
    decided = dict(bases(changes))
    return plan.model_copy(
        update={
            "changes": (*changes, *plan.changes),
            "base": {id: version for id, (version, _) in decided.items()} | plan.base,
            "base_runs": {id: run for id, (_, run) in decided.items()} | plan.base_runs,
        }
    )
