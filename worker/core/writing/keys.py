"""Under which ids a direct write is known, so that doing it again is doing it once."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from schemas.ids import write_run_id
from schemas.plan import Run
from worker.core.planning import runs

#: No key has this sign and none is empty, so joined keys are no other key.
JOINT = "\0"


def run_of(scope_key: str, keys: Sequence[str], known: Iterable[Run]) -> UUID:
    """The run of a write of these keys; what was undone is free, and its next run is another one."""
    nth = runs.fruitless(known)
    again = f"{JOINT}{JOINT}{nth}" if nth else ""
    return write_run_id(scope_key, JOINT.join(keys) + again)


def run_that_did(turn: UUID, known: Iterable[Run]) -> Run | None:
    """The run that has settled it, if there is one."""
    return next((run for run in known if run.state == "applied" and turn in run.turn_ids), None)
