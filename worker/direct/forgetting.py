"""A memory, or what a query names, is forgotten: gone everywhere, at once."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import structlog

from schemas.base import Frozen
from schemas.memory import Memory
from schemas.plan import Plan
from schemas.scope import Scope
from worker.adapters.model import Tally
from worker.applying import carry_out
from worker.core.current import current
from worker.core.forgetting.descent import Known
from worker.core.forgetting.forget_plan import Written, forget_plan, redacted, returned
from worker.core.forgetting.founding import with_what_follows
from worker.core.forgetting.going import Going, Named, Part, by_ids, by_query, named
from worker.core.forgetting.purge import Purge
from worker.core.forgetting.redact import Redacting, Redaction
from worker.core.groups.merging import union
from worker.core.ports import Query
from worker.core.texts.identifiers import identifiers
from worker.core.texts.words import terms
from worker.direct.holding import holding
from worker.errors import NotFound, SlowwaveError, Unavailable
from worker.parts import Parts
from worker.purging import (
    Purged,
    Queued,
    clear,
    everything,
    purge_due,
    purge_runs,
    queued,
    rewrite_own_log,
)

log = structlog.get_logger()

#: Memories that are near a query without naming it, at most.
NEAR = 5


@dataclass(frozen=True)
class Wanted:
    """These memories; with a query only what they say of it.

    Without ids all that names the query once the scope is in hand: what a worker learned until then is among it.
    """

    ids: tuple[UUID, ...] | None
    query: str | None = None


class Receipt(Frozen):
    """How much went, by place: figures, never a text."""

    #: Memories that are gone whole.
    memories: int = 0
    #: Memories of which a part is gone.
    redacted: int = 0
    #: Memories that stand again, since what they were merged into told more than may stay.
    returned: int = 0
    archives: int = 0
    #: Runs that lost words.
    runs: int = 0
    #: Turns that waited, that were put aside, and that were kept as context.
    pending: int = 0
    parked: int = 0
    recent: int = 0


@dataclass(frozen=True)
class Sighted:
    """What a query finds: what names it, and what is only near."""

    named: tuple[Named, ...]
    near: tuple[Memory, ...]


def sighted(parts: Parts, scope: Scope, query: str, now: datetime) -> Sighted:
    """Look only. Reads everything the scope has; raises `Unavailable`."""
    found = tuple(named(everything(parts.store, scope), query))
    ask = Query(parts.embedder.embed([query])[0], terms(query), identifiers(query))
    pool = parts.store.nominate(scope, [ask], NEAR + len(found))
    (ranks,) = pool.rankings
    ids = union(ranks.by_identifier, ranks.by_words, ranks.by_vector)
    beside = [id for id in ids if id not in {one.id for one in found}]
    near = (current(pool.records[id].memory, now) for id in beside)
    return Sighted(found, tuple(one for one in near if one)[:NEAR])


def forget(parts: Parts, scope: Scope, wanted: Wanted, now: datetime) -> Receipt:
    """Remove it from reads, history, runs and queue. A worker that holds the scope is fenced out.

    Called again, also after a crash in between, it removes what is left. Raises `NotFound` for an id that the
    scope has never known: then nothing was done.
    """
    with holding(parts, scope, now, seize=True) as held:
        known = everything(parts.store, scope)
        ids = _ids(known, wanted)
        before = _turns_of_earlier(parts, scope, known, ids)
        going = by_ids(known, ids) if wanted.query is None else by_query(known, wanted.query, ids)
        going = with_what_follows(known, going)
        sought = _sought(going, before, now)
        told = queued(parts.inbox, scope.key, sought)
        plan = _planned(parts, scope, known, going, told, now)
        if plan.changes or set(told.turn_ids).difference(before):
            carry_out(parts, plan, held.lease)
        pending = parts.inbox.drop_turns(held.claim, told.pending) if told.pending else 0
        parked, recent = clear(parts.inbox, held.lease, told)
        # Runs may tell what no record does: what was called the same in other words, or was planned and never done.
        runs = purge_runs(parts.store, scope, held.lease, sought)
        parts.inbox.served.forget(scope.key)
        purged = purge_due(parts, scope, held.lease, now)
    rewrite_own_log(parts)
    lost = (runs | purged.runs) - {plan.run}
    dropped = Receipt(runs=len(lost), pending=pending, parked=parked, recent=recent)
    return _receipt(plan, purged, dropped)


def _sought(going: Going, before: Iterable[UUID], now: datetime) -> Purge:
    topics = tuple((topic, now) for topic in going.topics)
    return Purge(going.archives, topics, frozenset((*going.turn_ids, *before)))


def _receipt(plan: Plan, purged: Purged, dropped: Receipt) -> Receipt:
    kinds = Counter(change.kind for change in plan.changes)
    return Receipt(
        memories=kinds["retire"],
        redacted=kinds["revise"],
        returned=kinds["add"],
        archives=purged.archives,
        runs=dropped.runs,
        pending=dropped.pending,
        parked=dropped.parked + purged.parked,
        recent=dropped.recent + purged.recent,
    )


def _ids(known: Known, wanted: Wanted) -> tuple[UUID, ...]:
    if wanted.ids is not None:
        return wanted.ids
    return tuple(one.id for one in named(known, wanted.query or ""))


def _turns_of_earlier(
    parts: Parts, scope: Scope, known: Known, ids: Sequence[UUID]
) -> tuple[UUID, ...]:
    """Turns of earlier acts that forgot these memories. Raises `NotFound` for what nothing is known of."""
    gone = [id for id in ids if id not in known.live and known.last(id) is None]
    if not gone:
        return ()
    turns: dict[UUID, tuple[UUID, ...]] = {}
    for run in parts.store.runs(scope):
        for id in {one.memory_id for one in run.changes}.intersection(gone):
            turns[id] = union(turns.get(id, ()), run.turn_ids if run.kind == "write" else ())
    if unknown := [id for id in gone if id not in turns]:
        raise NotFound(
            f"memory {unknown[0]} is not found in this scope: `slowwave memories` lists what is there;"
            " nothing was forgotten"
        )
    return union(*turns.values())


def _planned(  # noqa: PLR0913, PLR0917 - what goes, from where, and when
    parts: Parts, scope: Scope, known: Known, going: Going, told: Queued, now: datetime
) -> Plan:
    tally = Tally()
    left = {memory.id: memory for memory in _left(parts, known, going.parts, tally)}
    texts = list(union(memory.text for memory in left.values()))
    vectors = parts.embedder.embed(texts) if texts else []
    _account(parts, scope, tally)
    written = Written(
        left=left,
        vectors=dict(zip(texts, vectors, strict=True)),
        turn_ids=union(going.turn_ids, told.turn_ids),
        now=now,
        model=parts.settings.model if tally.calls else "",
        prompts={job: parts.model.prompts.fingerprint(job) for job in tally.calls},
        usage=tally.usage(),
        embedder=parts.embedder.fingerprint,
    )
    return forget_plan(scope, known, going, written)


def _account(parts: Parts, scope: Scope, tally: Tally) -> None:
    usage = tally.usage()
    if usage.total_calls:
        with suppress(Unavailable):
            parts.spending.add(scope.key, usage.total_calls, usage.total_tokens)


def _left(parts: Parts, known: Known, of: Sequence[Part], tally: Tally) -> Iterator[Memory]:
    """What stands afterwards: in the words that a model leaves, else as it was before."""
    texts = _texts(parts, of, tally)
    for part in of:
        memory = part.record.memory
        text = texts.get(memory.id) if part.topic.is_in(memory.text) else memory.text
        stands = redacted(part, text)
        yield from [stands] if stands else returned(known, part)


def _texts(parts: Parts, of: Sequence[Part], tally: Tally) -> dict[UUID, str | None]:
    """What remains by a model, of those that it answers. Forgetting does not wait for one that is down."""
    asked = [part for part in of if part.topic.is_in(part.record.memory.text)]
    if parts.settings.model == "rules" or not asked:
        return {}
    items = [Redaction(part.record.memory, part.topic) for part in asked]
    try:
        answers = parts.model.each(Redacting(), items, tally)
    except SlowwaveError as error:
        log.warning("redaction_failed", reason=str(error))
        return {}
    return {
        part.record.memory.id: answer
        for part, answer in zip(asked, answers, strict=True)
        if not isinstance(answer, SlowwaveError)
    }
