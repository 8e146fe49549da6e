"""How records are made from facts and from one another: fields only, no decision."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from pydantic import JsonValue

from schemas.base import Vector
from schemas.memory import (
    Archive,
    ArchiveRecord,
    Counters,
    Fact,
    Memory,
    MemoryRecord,
    Reason,
    Statement,
)
from schemas.plan import Confirm
from schemas.scope import Scope
from worker.core.current import first_said
from worker.core.texts.identifiers import identifiers

Item = TypeVar("Item")

#: Whose word outranks whose.
AUTHORITY = {"tool": 0, "assistant": 1, "user": 2}

STATEMENT_FIELDS = tuple(name for name in Statement.model_fields if name not in {"v", "text"})


def union(*many: Iterable[Item]) -> tuple[Item, ...]:
    """All items once, in order of first appearance."""
    return tuple(dict.fromkeys(item for items in many for item in items))


def fields_of(statement: Statement) -> dict[str, Any]:
    """The fields a statement hands on, without its text."""
    return {name: getattr(statement, name) for name in STATEMENT_FIELDS}


def born(  # noqa: PLR0913 - a memory has that many origins
    fact: Fact,
    *,
    id: UUID,
    scope: Scope,
    run: UUID,
    now: datetime,
    metadata: Mapping[str, JsonValue],
) -> Memory:
    """A memory in its first version."""
    return Memory(
        **fields_of(fact),
        text=fact.text,
        id=id,
        scope=scope,
        version=1,
        after=fact.after,
        since=fact.said_at,
        created_at=now,
        updated_at=now,
        last_confirmed_at=fact.said_at,
        metadata=dict(metadata),
        last_run=run,
    )


def confirmed(memory: Memory, facts: Sequence[Fact], run: UUID) -> Memory:
    """Said again: a bare repetition never shortens a life, another named end replaces the end."""
    fresh = _fresh(memory, facts)
    until, assumed = _end(memory, fresh)
    return memory.model_copy(
        update={
            "turn_ids": union(memory.turn_ids, *(fact.turn_ids for fact in fresh)),
            "confirmations": memory.confirmations + len(fresh),
            "said_at": max([memory.said_at, *(fact.said_at for fact in fresh)]),
            "since": min([first_said(memory), *(fact.said_at for fact in fresh)]),
            "last_confirmed_at": max([memory.last_confirmed_at, *(fact.said_at for fact in fresh)]),
            "until": until,
            "until_assumed": assumed,
            "last_run": run,
            **_voice(memory, fresh),
        }
    )


def shortens(memory: Memory, facts: Sequence[Fact]) -> bool:
    """Whether it holds less long once it was said again so."""
    until, _ = _end(memory, _fresh(memory, facts))
    return until is not None and (memory.until is None or until < memory.until)


def _fresh(memory: Memory, facts: Iterable[Fact]) -> list[Fact]:
    """Without those that only repeat the turns behind it."""
    return [fact for fact in facts if not set(fact.turn_ids) <= set(memory.turn_ids)]


def _voice(memory: Memory, facts: Sequence[Fact]) -> dict[str, Any]:
    """Who is behind it: what a person says too is theirs from then on."""
    highest = max(facts, key=lambda fact: AUTHORITY[fact.authority], default=memory)
    if memory.pinned or AUTHORITY[highest.authority] <= AUTHORITY[memory.authority]:
        return {}
    return {"authority": highest.authority, "said_by": highest.said_by}


def _end(memory: Memory, facts: Sequence[Fact]) -> tuple[datetime | None, bool]:
    newest = max(facts, key=lambda fact: fact.said_at, default=None)
    if memory.pinned or newest is None or newest.until is None or newest.said_at < memory.said_at:
        return memory.until, memory.until_assumed
    if not newest.until_assumed:
        return newest.until, False
    if memory.until is None or memory.until >= newest.until:
        return memory.until, memory.until_assumed
    return newest.until, True


def confirmation(
    record: MemoryRecord, memory: Memory, why: str, said: tuple[str, ...] = ()
) -> Confirm:
    """The change that turns `record` into `memory` without a new version."""
    old = record.memory
    prior = Counters(**{name: getattr(old, name) for name in Counters.model_fields if name != "v"})
    turns = tuple(id for id in memory.turn_ids if id not in old.turn_ids)
    return Confirm(
        record=MemoryRecord(memory=memory, vector=record.vector),
        prior=prior,
        relation="same",
        why=why,
        turn_ids=turns,
        said=said,
    )


def absorbed(survivor: Memory, others: Iterable[Memory]) -> Memory:
    """The survivor with what the others carried: turns, counts, tags, links and callers' fields.

    Of what was derived, and said by nobody, only what people have attached.
    """
    members = [survivor, *others]
    said = [one for one in members if one is survivor or not one.derived]
    gone = {memory.id for memory in members}
    metadata: dict[str, JsonValue] = {}
    for memory in reversed(members):
        metadata |= memory.metadata
    return survivor.model_copy(
        update={
            "turn_ids": union(*(memory.turn_ids for memory in said)),
            "confirmations": sum(memory.confirmations for memory in said),
            "uses": sum(memory.uses for memory in members),
            "said_at": max(memory.said_at for memory in said),
            "since": min(map(first_said, said)),
            "last_confirmed_at": max(memory.last_confirmed_at for memory in said),
            "tags": union(*(memory.tags for memory in members)),
            "metadata": metadata,
            "pinned": any(memory.pinned for memory in members),
            "links": tuple(
                id for id in union(*(memory.links for memory in members)) if id not in gone
            ),
            **_longest(said),
        }
    )


def most_exact(members: Iterable[Statement]) -> str | None:
    """When the same thing happened, as exactly as any of them says."""
    return max((one.happened_at for one in members if one.happened_at), key=len, default=None)


def _longest(members: Iterable[Memory]) -> dict[str, Any]:
    """The end of the one that holds longest: to be called the same never shortens a life."""
    lasting = max(members, key=lambda one: one.until.timestamp() if one.until else math.inf)
    return {name: getattr(lasting, name) for name in ("until", "until_assumed", "after")}


def remaining(memory: Memory, before: Memory, after: str | None, *, keeps_end: bool) -> Memory:
    """What is left after a request to forget: nothing of it comes back that was not named."""
    until = before.until if keeps_end else None
    assumed = before.until_assumed and keeps_end
    return memory.model_copy(update={"until": until, "until_assumed": assumed, "after": after})


def worded(memory: Memory, text: str) -> Memory:
    """Under other words, the identifiers theirs."""
    return memory.model_copy(update={"text": text, "identifiers": identifiers(text)})


def revised(survivor: Memory, text: str, run: UUID, now: datetime) -> Memory:
    """The next version, with new words."""
    return worded(survivor, text).model_copy(
        update={
            "version": survivor.version + 1,
            "updated_at": now,
            "flagged": None,
            "last_run": run,
        }
    )


def restated(
    survivor: Memory,
    newest: Fact | Memory,
    facts: Sequence[Fact],
    after: str | None,
    happened_at: str | None,
) -> Memory:
    """The survivor under what the newest member says of itself: whose, since when, how long."""
    own = {name: value for name, value in fields_of(newest).items() if name != "identifiers"}
    return survivor.model_copy(
        update={
            **own,
            "attribute": newest.attribute or survivor.attribute,
            "happened_at": happened_at,
            "since": newest.said_at if isinstance(newest, Fact) else first_said(newest),
            "turn_ids": union(survivor.turn_ids, *(fact.turn_ids for fact in facts)),
            "confirmations": survivor.confirmations + min(1, len(facts)),
            "last_confirmed_at": max(survivor.last_confirmed_at, newest.said_at),
            "after": after,
            # Somebody says it now.
            "derived": {} if isinstance(newest, Fact) else newest.derived,
        }
    )


def archived(  # noqa: PLR0913 - an archive has that many fields
    memory: Memory,
    vector: Vector,
    *,
    by: UUID | None,
    reason: Reason,
    why: str,
    run: UUID,
    now: datetime,
) -> ArchiveRecord:
    """The snapshot of a memory as it stands."""
    archive = Archive(
        memory=memory, replaced_by=by, archived_at=now, reason=reason, why=why, run=run
    )
    return ArchiveRecord(archive=archive, vector=vector)


def outdated(old: MemoryRecord, *, why: str, run: UUID, now: datetime) -> ArchiveRecord:
    """The snapshot of a version that its own next one replaces."""
    return archived(
        *(old.memory, old.vector),
        by=old.memory.id,
        reason="superseded",
        why=why,
        run=run,
        now=now,
    )
