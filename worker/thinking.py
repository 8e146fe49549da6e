"""From turns to a plan: extraction, candidates, judgment. Nothing is written."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from schemas.plan import Plan
from worker.adapters.inbox import Claim
from worker.adapters.model import Tally
from worker.adapters.tokenizer import token_counter
from worker.core.budget import Budget, wait_seconds
from worker.core.candidates import Reach, candidacy, queries
from worker.core.detectors import DETECTORS
from worker.core.plan import new_texts, plan
from worker.core.ports import Embedder, Nominations
from worker.core.setting import Account, Policy, Setting
from worker.errors import OverBudget, Unavailable
from worker.extracting import extracted
from worker.judging import judged
from worker.parts import Parts
from worker.settings import Settings


def thought(parts: Parts, claim: Claim, setting: Setting) -> Plan:
    """What will change because of the turns. Raises `OverBudget` before a model is asked, and what the parts raise."""
    with _within_budget(parts, setting.scope.key) as tally:
        return _thought(parts, claim, setting, tally)


def _thought(parts: Parts, claim: Claim, setting: Setting, tally: Tally) -> Plan:
    """From what was said to what will change: two model calls at most, when no reply is refused."""
    found = extracted(parts, claim, setting, tally)
    vectors = parts.embedder.embed([fact.text for fact in found.facts]) if found.facts else []
    asked = queries(found.facts, vectors)
    reach = reach_of(parts.settings, parts.embedder)
    pool = parts.store.nominate(setting.scope, asked, reach.pool) if asked else Nominations(())
    case = candidacy(found.facts, vectors, pool, reach, setting.now)
    groups = judged(parts.model, parts.judging, case, tally)
    texts = new_texts(case, groups)
    embedded = dict(zip(texts, parts.embedder.embed(texts), strict=True)) if texts else {}
    account = Account(
        facts=len(found.facts),
        dropped=found.dropped,
        model=parts.settings.model,
        prompts=_fingerprints(parts, setting.scope.app, tally.calls),
        usage=tally.usage(),
    )
    return plan(setting, case, groups, embedded, account)


@contextmanager
def _within_budget(parts: Parts, scope_key: str) -> Iterator[Tally]:
    """What is asked is counted also where it comes to nothing. Raises `OverBudget` before anything is asked."""
    tally, budget = Tally(), Budget(parts.settings.daily_calls, parts.settings.daily_tokens)
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
