"""Carry a plan out: run open, archives, live, removals, run applied. Each step can be repeated."""

from schemas.plan import Plan
from worker.core import runs
from worker.core.ports import Hold, Store
from worker.core.writes import touched, writes


def apply(store: Store, plan: Plan, hold: Hold) -> None:
    """Write the plan; what this run has written before is written again as it is.

    Raises `LeaseLost` at the first write that comes after another worker's, and `PlanConflict` before the first change
    if the store is not as the plan was decided on.
    """
    writer = store.writer(plan.scope, hold)
    writer.prepare()
    if plan.changes:
        live = {
            record.memory.id: record.memory for record in store.memories(plan.scope, touched(plan))
        }
        todo = writes(plan, live)
        writer.put_run(runs.opened(plan))
        if todo.archives:
            writer.put_archives(todo.archives)
        if todo.memories:
            writer.put_memories(todo.memories)
        if todo.removals:
            writer.remove_memories(todo.removals)
    writer.put_run(runs.applied(plan))
