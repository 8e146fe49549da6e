"""A proposal becomes the plan of a run of its own."""

import pytest

from schemas.memory import Archive, ArchiveRecord, Counters, MemoryRecord
from schemas.plan import Add, Change, Confirm, File, Retire, Revise
from tests.build import EARLIER_RUN, NOW, RUN, SCOPE, at, memory, record, turn, uid, vector
from worker.core.planning.accepting import accepted, check_stands
from worker.errors import PlanConflict

HELD = turn("held", "I sold it all.")


def archived(text: str, by: str | None = "new") -> ArchiveRecord:
    archive = Archive(
        memory=memory(text),
        replaced_by=uid(by) if by else None,
        archived_at=NOW,
        reason="superseded",
        why="sold",
        run=RUN,
    )
    return ArchiveRecord(archive=archive, vector=vector(text))


def made(text: str, **fields: object) -> MemoryRecord:
    return record(text, last_run=RUN, **fields)


def counters() -> Counters:
    return Counters(
        confirmations=1,
        last_confirmed_at=NOW,
        said_at=NOW,
        turn_ids=(uid("t1"),),
        until=None,
        until_assumed=False,
        last_run=EARLIER_RUN,
    )


PROPOSAL: tuple[Change, ...] = (
    Add(relation="new", record=made("new")),
    Revise(relation="update", record=made("old", version=2), archive=archived("old", "old")),
    Retire(relation="update", archive=archived("gone")),
    Confirm(relation="same", record=made("again", confirmations=2), prior=counters()),
    File(relation="update", archive=archived("late")),
)


def test_every_change_is_of_the_new_run_and_its_ids_stay() -> None:
    plan = accepted(HELD, PROPOSAL, 0, at(3))
    add, revise, retire, confirm, file = plan.changes
    assert isinstance(add, Add)
    assert isinstance(revise, Revise)
    assert isinstance(retire, Retire)
    assert isinstance(confirm, Confirm)
    assert isinstance(file, File)

    assert plan.run not in {RUN, EARLIER_RUN}
    for change in (add, revise, confirm):
        assert change.record.memory.last_run == plan.run
    for each in (revise, retire, file):
        assert (each.archive.archive.run, each.archive.archive.archived_at) == (plan.run, at(3))
    assert file.archive.archive.memory.last_run == plan.run
    # What was archived stays as it was, or it would be no snapshot.
    assert retire.archive.archive.memory == memory("gone")
    assert (add.record.memory.created_at, revise.record.memory.updated_at) == (at(3), at(3))
    assert revise.record.memory.created_at == memory("old").created_at
    assert add.record.memory.id == uid("new")
    assert (plan.kind, plan.turn_ids, plan.scope) == ("write", (HELD.id,), SCOPE)


def test_it_stands_on_what_it_was_decided_on() -> None:
    plan = accepted(HELD, PROPOSAL, 0, at(3))

    assert plan.base == {uid("old"): 1, uid("gone"): 1, uid("again"): 1}
    assert set(plan.base_runs.values()) == {EARLIER_RUN}


def test_the_same_proposal_is_the_same_run_until_that_was_undone() -> None:
    runs = [
        accepted(HELD, PROPOSAL, nth, when).run for nth, when in ((0, NOW), (0, at(1)), (1, NOW))
    ]

    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize(
    ("changed", "stands"),
    [
        ({}, True),
        ({"version": 2}, False),
        ({"last_run": RUN}, False),
        (None, False),
    ],
)
def test_what_has_moved_on_is_a_conflict(changed: dict[str, object] | None, stands: bool) -> None:
    plan = accepted(HELD, PROPOSAL, 0, at(3))
    live = {uid(text): memory(text) for text in ("old", "gone", "again")}
    if changed is None:
        del live[uid("gone")]
    else:
        live[uid("gone")] = memory("gone", **changed)

    if stands:
        check_stands(plan, live)
    else:
        with pytest.raises(PlanConflict, match=f"memory {uid('gone')}"):
            check_stands(plan, live)
