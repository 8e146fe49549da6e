"""How much of a scope one night may change; the rest waits for a person."""

from collections.abc import Iterable, Sequence
from math import floor

from schemas.plan import Plan, Retire, Revise
from worker.core.failing.budget import Budget
from worker.core.sleeping.note import Begun

#: So many may always be changed: less than a pair cannot be joined.
LEAST = 2


def changed_by(plan: Plan) -> int:
    """Memories that it retires or revises."""
    return sum(isinstance(change, Retire | Revise) for change in plan.changes)


def within_share(plans: Iterable[Plan], night: Begun, share: float) -> int:
    """How many of the plans, in order, may be carried out: the first that would go beyond the share ends it."""
    if night.is_full:
        return 0
    changed, most = night.changed, max(LEAST, floor(share * night.live))
    count = 0
    for plan in plans:
        changed += changed_by(plan)
        if changed > most:
            break
        count += 1
    return count


def used_up(night: Begun, budget: Budget) -> str | None:
    """Why the night may ask nothing more; null while it may.

    Looked at before a slice, so its last one may take a night over the budget, by what one slice costs.
    """
    pairs = ((night.calls, budget.calls), (night.tokens, budget.tokens))
    if not any(0 < most <= spent for spent, most in pairs):
        return None
    calls, tokens = (f"{spent} of {most or 'any number of'}" for spent, most in pairs)
    return (
        f"the night has used up its budget, {calls} model calls and {tokens} tokens (SLOWWAVE_SLEEP_MAX_CALLS,"
        " SLOWWAVE_SLEEP_MAX_TOKENS): the next goes on from here"
    )


def joined(plans: Sequence[Plan]) -> Plan:
    """Plans of one run that share no memory, as one."""
    first = plans[0]
    return first.model_copy(
        update={
            "base": {id: version for plan in plans for id, version in plan.base.items()},
            "base_runs": {id: run for plan in plans for id, run in plan.base_runs.items()},
            "changes": tuple(change for plan in plans for change in plan.changes),
        }
    )
