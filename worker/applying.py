"""A plan is carried out, and its scope is due for sleep because of it."""

from schemas.plan import Plan
from worker.adapters.apply import apply
from worker.core.ports import Hold
from worker.core.sleeping.again import NEVER, Bedtime, after_change
from worker.parts import Parts


def bedtime_of(parts: Parts, plan: Plan) -> Bedtime:
    """When the plan makes its scope due for sleep. What sleep does itself tires nobody."""
    return NEVER if plan.kind == "sleep" else after_change(plan, parts.settings.sleep_after_seconds)


def note_bedtime(parts: Parts, plan: Plan) -> None:
    """Before the plan is applied: a crash in between must not lose it, and one night too many is harmless."""
    bedtime = bedtime_of(parts, plan)
    if bedtime != NEVER:
        parts.inbox.sleepers.due(plan.scope.key, bedtime)


def carry_out(parts: Parts, plan: Plan, hold: Hold) -> None:
    """Apply it, for a direct act. Raises as `apply`, and `Unavailable` without having begun."""
    note_bedtime(parts, plan)
    apply(parts.store, plan, hold)
