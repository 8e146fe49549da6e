"""What is still to be written of a plan, given what the store holds."""

from uuid import UUID

import pytest

from schemas.memory import Memory
from schemas.plan import Plan
from tests.build import RUN, at, candidacy, fact, record
from tests.worker.core.planning.test_plan import decided, group
from worker.core.planning.writes import touched, writes
from worker.errors import PlanConflict

SEATTLE = record("User lives in Seattle", said_at=at(-90))
TEA = record("User drinks tea")


def moved() -> Plan:
    """One add, one revise and one retire."""
    case = candidacy([fact("User moved to Austin"), fact("User has a cat")], [SEATTLE, TEA])
    return decided(
        case, [group("contradict", "f1", "c1", "c2", text="User lives in Austin")], ["f2"]
    )


def live(*memories: Memory) -> dict[UUID, Memory]:
    return {memory.id: memory for memory in memories}


def test_everything_is_written_on_the_first_try() -> None:
    todo = writes(moved(), live(SEATTLE.memory, TEA.memory))

    assert (len(todo.archives), len(todo.memories), len(todo.removals)) == (2, 2, 1)


def test_what_this_run_has_written_is_written_again_just_as_it_is() -> None:
    plan = moved()
    done = [c.record.memory for c in plan.changes if c.kind in {"add", "revise"}]

    todo = writes(plan, live(*done))

    assert [record.memory for record in todo.memories] == done
    assert todo.removals == ()


def test_a_removal_is_still_due_after_a_crash_between_writing_and_removing() -> None:
    plan = moved()
    done = [c.record.memory for c in plan.changes if c.kind in {"add", "revise"}]
    retired = next(c for c in plan.changes if c.kind == "retire").archive.archive.memory

    assert writes(plan, live(*done, retired)).removals == (retired.id,)


def test_snapshots_are_written_however_often() -> None:
    plan = moved()
    done = [c.record.memory for c in plan.changes if c.kind in {"add", "revise"}]

    assert len(writes(plan, live(*done)).archives) == 2


@pytest.mark.parametrize(
    "stands",
    [
        pytest.param([TEA.memory], id="the memory is gone"),
        pytest.param([SEATTLE.memory.model_copy(update={"version": 5}), TEA.memory], id="newer"),
    ],
)
def test_a_store_that_moved_on_stops_the_plan_before_its_first_write(stands: list[Memory]) -> None:
    with pytest.raises(PlanConflict, match=str(RUN)):
        writes(moved(), live(*stands))


def test_every_memory_a_plan_adds_or_changes_is_looked_up_first() -> None:
    plan = moved()

    assert len(set(touched(plan))) == 3
