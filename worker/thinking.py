"""From turns to a plan: extraction, candidates, judgment. Nothing is written."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from uuid import UUID

from schemas.base import Vector
from schemas.plan import Plan
from schemas.scope import Scope
from worker.adapters.inbox import Claim
from worker.adapters.model import Tally
from worker.adapters.tokenizer import token_counter
from worker.core.failing.budget import Budget, wait_seconds
from worker.core.finding.candidates import Reach, candidacy, queries
from worker.core.forgetting.founding import following, forgets
from worker.core.groups.judgment import Candidacy, Groups
from worker.core.groups.setting import Account, Policy, Setting
from worker.core.hearing.heard import Found
from worker.core.judging.detectors import DETECTORS
from worker.core.planning.plan import new_texts, plan
from worker.core.ports import Embedder, Nominations
from worker.errors import OverBudget, Unavailable
from worker.extracting import extracted
from worker.judging import judged
from worker.parts import Parts
from worker.settings import Settings


@dataclass(frozen=True)
class Weighing:
    """How ready facts are weighed, where not as a batch's are."""

    #: Asked instead of the judge of the settings.
    judge: Callable[[Candidacy], Groups] | None = None
    #: What they are compared with instead of what the store nominates.
    among: Nominations | None = None
    #: Memories that the facts are not compared with.
    without: frozenset[UUID] = frozenset()


def thought(parts: Parts, claim: Claim, setting: Setting) -> Plan:
    """What will change because of the turns: two model calls at most, when no reply is refused.

    Raises `OverBudget` before a model is asked, and what the parts raise.
    """
    with within_budget(parts, setting.scope.key) as tally:
        return weighed(parts, setting, extracted(parts, claim, setting, tally), tally)


def weighed(
    parts: Parts, setting: Setting, found: Found, tally: Tally, how: Weighing | None = None
) -> Plan:
    """From facts to what will change. Raises what the parts raise."""
    how = how or Weighing()
    vectors = parts.embedder.embed([fact.text for fact in found.facts]) if found.facts else []
    reach = reach_of(parts.settings, parts.embedder)
    pool = how.among or _nominated(parts, setting.scope, found, vectors, reach)
    pool = _left(pool, how.without)
    case = candidacy(found.facts, vectors, pool, reach, setting.now)
    groups = how.judge(case) if how.judge else judged(parts.model, parts.judging, case, tally)
    texts = new_texts(case, groups)
    embedded = dict(zip(texts, parts.embedder.embed(texts), strict=True)) if texts else {}
    account = Account(
        facts=len(found.facts),
        dropped=found.dropped,
        model=parts.settings.model,
        prompts=_fingerprints(parts, setting.scope.app, tally.calls),
        usage=tally.usage(),
        embedder=parts.embedder.fingerprint,
    )
    made = plan(setting, case, groups, embedded, account)
    return following(made, parts.store.memories(setting.scope)) if forgets(made) else made


def _nominated(
    parts: Parts, scope: Scope, found: Found, vectors: Sequence[Vector], reach: Reach
) -> Nominations:
    asked = queries(found.facts, vectors)
    return parts.store.nominate(scope, asked, reach.pool) if asked else Nominations(())


def _left(pool: Nominations, without: frozenset[UUID]) -> Nominations:
    """What is offered is chosen from the records alone."""
    records = {id: record for id, record in pool.records.items() if id not in without}
    return replace(pool, records=records) if without else pool


@contextmanager
def within_budget(parts: Parts, scope_key: str, tally: Tally | None = None) -> Iterator[Tally]:
    """What is asked is counted also where it comes to nothing. Raises `OverBudget` before anything is asked."""
    tally = tally or Tally()
    budget = Budget(parts.settings.daily_calls, parts.settings.daily_tokens)
    if not budget.is_limited:
        yield tally
        return
    if seconds := wait_seconds(parts.spending.spent(scope_key), budget):
        raise OverBudget(
            f"scope {scope_key} has used up its model calls or tokens of today (SLOWWAVE_DAILY_CALLS,"
            " SLOWWAVE_DAILY_TOKENS): its turns wait for tomorrow, UTC",
            seconds,
        )
    try:
        yield tally
    finally:
        usage = tally.usage()
        with suppress(Unavailable):
            parts.spending.add(scope_key, usage.total_calls, usage.total_tokens)


def _fingerprints(parts: Parts, app: str, jobs: Iterable[str]) -> dict[str, str]:
    """Of what the model was told for each job; only extraction hears the operator of an app."""
    added = parts.settings.app_instructions.get(app, "")
    prompts = parts.model.prompts
    return {job: prompts.fingerprint(job, added if job == "extraction" else "") for job in jobs}


def policy(settings: Settings) -> Policy:
    return Policy(
        max_replaced_per_turn=settings.max_replaced_per_turn,
        remember_assistant=settings.remember_assistant,
        resolver=settings.resolver,
    )


def reach_of(settings: Settings, embedder: Embedder) -> Reach:
    floor = embedder.floor if settings.threshold is None else settings.threshold
    return Reach(
        floor=floor,
        top_k=settings.top_k,
        tokens=settings.judge_tokens,
        is_shared=DETECTORS[settings.detector].facts is None,
        count=token_counter(settings.tokenizer),
    )
