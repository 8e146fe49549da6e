"""Carry a plan out: run open, archives, live, removals, run applied. Each step can be repeated."""

from collections.abc import Iterator

from schemas.plan import Plan, Run
from worker.core.planning import runs
from worker.core.planning.writes import touched, writes
from worker.core.ports import Hold, Reader, Store


def apply(store: Store, plan: Plan, hold: Hold) -> None:
    """Write the plan; what this run has written before is written again as it is.

    A run that it takes back is undone before its own is applied. Raises `LeaseLost` at the first write that comes after
    another worker's, and `PlanConflict` before the first change if the store is not as the plan was decided on.
    """
    writer = store.writer(plan.scope, hold)
    writer.prepare()
    if plan.changes or plan.undoes:
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
        for run in runs.turned([*taken_back(store, plan)]):
            writer.put_run(run)
    writer.put_run(runs.applied(plan))


def taken_back(store: Reader, plan: Plan) -> Iterator[Run]:
    """The run that the plan takes back, the one that this had taken back, and so on."""
    id = plan.undoes
    while id is not None and (run := store.run(plan.scope, id)) is not None:
        yield run
        id = run.undoes
