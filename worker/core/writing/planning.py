"""What comes of ready statements once they were weighed: the plan of their run, or a refusal."""

from collections.abc import Sequence
from uuid import UUID

from schemas.plan import Change, Plan, Retire, Revise
from worker.core.writing.attaching import attached
from worker.core.writing.stated import Stated
from worker.core.writing.superseding import with_changes
from worker.errors import Unprocessable


def completed(plan: Plan, explicit: Sequence[Change], statements: Sequence[Stated]) -> Plan:
    """The plan of the weighed statements with that of those that say what they supersede, and all that callers attach.

    Raises `Unprocessable` where more would be replaced than one statement may without saying so: no turn waits in an
    inbox, so nothing can be parked.
    """
    if plan.held:
        raise Unprocessable(_over_the_cap(plan))
    return attached(with_changes(plan, explicit), statements)


def _over_the_cap(plan: Plan) -> str:
    reasons = "; ".join(dict.fromkeys(held.reason for held in plan.held))
    changes = [change for held in plan.held for change in held.proposal]
    ids = ", ".join(str(id) for id in dict.fromkeys(_replaced(changes)))
    return (
        f"{reasons}: nothing was written. It would change the memories {ids}: if that is meant, name those that it"
        " replaces under `supersedes`, or add it beside them without a judgment (`slowwave remember --as-is`)"
    )


def _replaced(changes: Sequence[Change]) -> list[UUID]:
    return [c.archive.archive.memory.id for c in changes if isinstance(c, Revise | Retire)]
