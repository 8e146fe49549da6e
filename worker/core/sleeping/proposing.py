"""What sleep only proposes: plans of runs of their own, which a person carries out or drops."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from schemas.ids import uuid_of
from schemas.memory import MemoryRecord
from schemas.plan import Plan, Run
from schemas.scope import Scope
from worker.core.groups.setting import PassName
from worker.core.planning.accepting import of_run


def slice_run_id(scope: Scope, name: PassName, groups: Sequence[Sequence[MemoryRecord]]) -> UUID:
    """The same memories in the same versions are the same slice; what it changes is in another afterwards."""
    return uuid_of("run", scope.key, "sleep", name, *_versions(groups))


def proposal_run_id(scope: Scope, name: PassName, group: Sequence[MemoryRecord]) -> UUID:
    return uuid_of("run", scope.key, "sleep", name, "proposal", *_versions([group]))


def _versions(groups: Sequence[Sequence[MemoryRecord]]) -> list[str]:
    memories = (one.memory for group in groups for one in group)
    return sorted(f"{memory.id}:{memory.version}" for memory in memories)


def is_waiting(run: Run) -> bool:
    """Whether it is a proposal of sleep that nobody has decided on."""
    return run.kind == "sleep" and run.state == "parked" and run.plan is not None


def accepted(proposal: Run, plan: Plan, now: datetime) -> Plan:
    """What the proposal comes to, as a run of its own, which counts as sleep's; the same each time but for its time."""
    run = uuid_of("run", proposal.scope.key, "accept sleep", str(proposal.id))
    changes = tuple(of_run(change, run, now) for change in plan.changes)
    update = {"run": run, "changes": changes, "planned_at": now, "withheld": None}
    return plan.model_copy(update=update)


def decided(proposal: Run) -> Run:
    """As it stays once a person has carried it out or dropped it: without its plan."""
    return proposal.model_copy(update={"plan": None})
