"""What was derived from something goes with it: a person who has that forgotten means what follows from it as well."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from uuid import UUID

from schemas.memory import MemoryRecord
from schemas.plan import Change, Plan, Retire, Revise
from worker.core.forgetting.descent import Grounds, Known
from worker.core.forgetting.going import Going
from worker.core.forgetting.topics import ASKED
from worker.core.groups import merging
from worker.core.writing.superseding import with_changes


def with_what_follows(known: Known, going: Going) -> Going:
    """Also what rests on anything that goes, in whole or in part: live, and as it was."""
    grounds = _grounds_of(going)
    live = [one for one in known.live.values() if grounds.bear(one.memory)]
    ids = {one.memory.id for one in live}
    archives = {one.archive.id: one for one in going.archives}
    for one in known.archives:
        if one.archive.memory.id in ids or grounds.bear(one.archive.memory):
            archives.setdefault(one.archive.id, one)
    whole = {one.memory.id: one for one in (*going.whole, *live)}
    return replace(
        going,
        whole=tuple(whole.values()),
        parts=tuple(part for part in going.parts if part.record.memory.id not in ids),
        archives=tuple(archives.values()),
    )


def _grounds_of(going: Going) -> Grounds:
    memories = [part.record.memory for part in going.parts]
    memories += [one.archive.memory for one in going.archives]
    whole = {one.memory.id: one.memory.version for one in going.whole}
    return Grounds({(one.id, one.version) for one in memories}, whole)


def forgets(plan: Plan) -> bool:
    """Whether it has anything forgotten that something may have been derived from."""
    return any(True for _ in _forgotten(plan.changes))


def following(plan: Plan, live: Iterable[MemoryRecord]) -> Plan:
    """The plan, and with what it has forgotten goes what was derived from it; nothing that it changes by itself."""
    gone = [*_forgotten(plan.changes)]
    memories = [one.archive.archive.memory for one in gone]
    whole = {one.archive.archive.memory.id for one in gone if one.kind == "retire"}
    grounds = Grounds(
        {(one.id, one.version) for one in memories},
        {one.id: one.version for one in memories if one.id in whole},
    )
    left = (one for one in live if one.memory.id not in plan.base and grounds.bear(one.memory))
    turns = merging.union(*(one.turn_ids for one in gone))
    return with_changes(plan, [_retired(plan, one, turns) for one in left])


def _forgotten(changes: Iterable[Change]) -> Iterator[Retire | Revise]:
    for change in changes:
        if isinstance(change, Retire | Revise) and change.archive.archive.reason == "forgotten":
            yield change


def _retired(plan: Plan, one: MemoryRecord, turns: Sequence[UUID]) -> Retire:
    archive = merging.archived(
        *(one.memory, one.vector),
        by=None,
        reason="forgotten",
        why=ASKED,
        run=plan.run,
        now=plan.planned_at,
    )
    return Retire(archive=archive, relation="forget", why=ASKED, turn_ids=tuple(turns))
