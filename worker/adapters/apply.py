"""Carry a plan out: run open, archives, live, removals, run applied. Each step can be repeated."""

from collections.abc import Callable

from schemas.plan import Plan
from worker.core import runs
from worker.core.ports import Store
from worker.core.writes import touched, writes


def apply(store: Store, plan: Plan, check: Callable[[], None]) -> None:
    """Write the plan; what this run has written before is written again as it is.

    `check` is called before every store call and raises `LeaseLost` once the scope may be another worker's.
    Raises `PlanConflict` before the first change if the store is not as the plan was decided on.
    """
    scope = plan.scope
    check()
    store.prepare(scope)
    if plan.changes:
        check()
        live = {record.memory.id: record.memory for record in store.memories(scope, touched(plan))}
        todo = writes(plan, live)
        check()
        store.put_run(runs.opened(plan))
        if todo.archives:
            check()
            store.put_archives(scope, todo.archives)
        if todo.memories:
            check()
            store.put_memories(scope, todo.memories)
        if todo.removals:
            check()
            store.remove_memories(scope, todo.removals)
    check()
    store.put_run(runs.applied(plan))
