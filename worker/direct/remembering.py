"""Ready statements become memories: weighed like the facts of a batch, unless they say what they supersede."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from schemas.memory import Memory, MemoryRecord
from schemas.plan import Change, Plan, Run
from schemas.scope import Scope
from worker.adapters.model import Tally
from worker.applying import carry_out
from worker.core.forgetting.erased import is_erased
from worker.core.groups.setting import Setting
from worker.core.hearing.heard import Found
from worker.core.judging.equal_facts import merged
from worker.core.planning import runs
from worker.core.ports import Nominations
from worker.core.texts.words import normalised
from worker.core.writing.as_is import as_they_stand, unjudged
from worker.core.writing.keys import run_of, run_that_did
from worker.core.writing.planning import completed
from worker.core.writing.stated import Stated
from worker.core.writing.superseding import check, named, superseding
from worker.core.writing.written import Written, written
from worker.direct.holding import Holding, holding
from worker.errors import Unprocessable
from worker.parts import Parts
from worker.thinking import Weighing, policy, weighed, within_budget


def remember(
    parts: Parts, scope: Scope, statements: Sequence[Stated], now: datetime, *, judge: bool = True
) -> tuple[Written, ...]:
    """One run for all of them, and what became of each. A statement that was written before is left out.

    Without `judge` they are added as they stand, or confirm what a memory says in the same words. Raises
    `Unprocessable`, of which `VersionMoved` is one, where one of them cannot be written; then none is. Raises
    `Retryable` while a worker holds the scope, and what the model, the embedder and the store raise.
    """
    with holding(parts, scope, now) as held:
        known = list(parts.store.runs(scope, [one.turn.id for one in statements]))
        fresh = _fresh(statements, known)
        done = _write(parts, held, _setting(parts, scope, known, fresh, now), fresh, judge=judge)
    return tuple(_told(statements, known, done))


def _fresh(statements: Sequence[Stated], known: Sequence[Run]) -> tuple[Stated, ...]:
    """Those that no run has settled; the first of several under one key stands for all."""
    settled, once = runs.settled_turns(known), dict[UUID, Stated]()
    for one in statements:
        once.setdefault(one.turn.id, one)
    return tuple(one for id, one in once.items() if id not in settled)


def _setting(
    parts: Parts, scope: Scope, known: Sequence[Run], fresh: Sequence[Stated], now: datetime
) -> Setting:
    """Whoever states a thing outright has it stored, whatever machine said it."""
    return Setting(
        run=run_of(scope.key, [one.key for one in fresh], known),
        scope=scope,
        turns=tuple(one.turn for one in fresh),
        now=now,
        kind="write",
        policy=replace(policy(parts.settings), remember_assistant=True),
    )


def _write(
    parts: Parts, held: Holding, setting: Setting, fresh: Sequence[Stated], *, judge: bool
) -> Run | None:
    if not fresh:
        return None
    _refuse_what_was_erased(parts, setting)
    explicit = list(_explicit(parts, setting, [one for one in fresh if one.supersedes]))
    plan = completed(_weighed(parts, setting, fresh, judge=judge), explicit, fresh)
    # Thinking may have taken longer than the lease.
    held.lease.check()
    carry_out(parts, plan, held.lease)
    return runs.applied(plan)


def _refuse_what_was_erased(parts: Parts, setting: Setting) -> None:
    erased_at = parts.store.about(setting.scope).erased_at
    if erased_at and any(is_erased(turn.said_at, erased_at) for turn in setting.turns):
        raise Unprocessable(
            f"all that was said until {erased_at:%Y-%m-%d %H:%M %Z} was erased, and this was said by then: nothing was"
            " written"
        )


def _explicit(parts: Parts, setting: Setting, statements: Sequence[Stated]) -> Iterator[Change]:
    if not statements:
        return
    found = parts.store.memories(setting.scope, named(statements))
    live: dict[UUID, MemoryRecord] = {record.memory.id: record for record in found}
    for one in statements:
        check(one, live)
    vectors = parts.embedder.embed([one.fact.text for one in statements])
    for one, vector in zip(statements, vectors, strict=True):
        yield from superseding(setting, one, live, vector)


def _weighed(parts: Parts, setting: Setting, fresh: Sequence[Stated], *, judge: bool) -> Plan:
    """The plan of those that do not say what they supersede, beside those that do."""
    found = Found(merged(one.fact for one in fresh if not one.supersedes))
    without = frozenset(named(fresh))
    how = Weighing(without=without) if judge else _unweighed(parts, setting, found, without)
    if not judge or not found.facts:
        return unjudged(weighed(parts, setting, found, Tally(), how))
    with within_budget(parts, setting.scope.key) as tally:
        return weighed(parts, setting, found, tally, how)


def _unweighed(parts: Parts, setting: Setting, found: Found, without: frozenset[UUID]) -> Weighing:
    """Only memories in the same words are looked at: no ranking of thousands for each of hundreds."""
    wanted = {normalised(fact.text) for fact in found.facts}
    records = parts.store.memories(setting.scope) if wanted else ()
    alike = {one.memory.id: one for one in records if not wanted.isdisjoint(_words(one.memory))}
    return Weighing(as_they_stand, Nominations((), alike), without)


def _words(memory: Memory) -> Iterator[str]:
    """Of what it says, and of what may stand again by now."""
    return (normalised(text) for text in (memory.text, memory.after) if text)


def _told(
    statements: Sequence[Stated], known: Sequence[Run], done: Run | None
) -> Iterator[Written]:
    """Of a statement that came twice in one write, the second is a duplicate."""
    told = set[UUID]()
    for turn in (one.turn.id for one in statements):
        before = run_that_did(turn, known)
        run = before or done
        if run is not None:
            yield written(run, turn, duplicate=before is not None or turn in told)
        told.add(turn)
