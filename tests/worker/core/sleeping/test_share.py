"""How much one night may change, how far it is, and whose work is settled."""

from datetime import timedelta
from typing import Any

import pytest

from schemas.plan import Changed, Plan, Retire, Run
from tests.build import NOW, SCOPE, memory, record, uid
from worker.core.groups.merging import archived
from worker.core.sleeping.note import Begun, Note, read_note
from worker.core.sleeping.own import has_joined, is_settled
from worker.core.sleeping.share import joined, within_share
from worker.errors import Misconfigured


def retiring(*texts: str) -> Plan:
    gone: dict[str, Any] = {"by": None, "reason": "merged", "why": "w", "run": uid("r"), "now": NOW}
    changes = tuple(
        Retire(archive=archived(memory(text), b"", **gone), relation="same") for text in texts
    )
    return Plan(
        run=uid("r"),
        kind="sleep",
        scope=SCOPE,
        turn_ids=(),
        base={uid(text): 1 for text in texts},
        base_runs={uid(text): uid("before") for text in texts},
        changes=changes,
        planned_at=NOW,
    )


def some(*sizes: int) -> list[Plan]:
    return [retiring(*(f"{at}-{n}" for n in range(size))) for at, size in enumerate(sizes)]


@pytest.mark.parametrize(
    ("sizes", "live", "changed", "is_full", "allowed"),
    [
        ([2, 2], 10, 0, False, 1),
        ([2, 2], 20, 0, False, 2),
        ([2], 3, 0, False, 1),
        ([3], 3, 0, False, 0),
        ([2], 100, 20, False, 0),
        ([2, 3, 1], 20, 0, False, 1),
        ([1], 100, 0, True, 0),
        ([], 100, 0, False, 0),
    ],
)
def test_the_first_plan_beyond_the_share_ends_it(
    sizes: list[int], live: int, changed: int, is_full: bool, allowed: int
) -> None:
    begun = Begun(began_at=NOW, live=live, changed=changed, is_full=is_full)

    assert within_share(some(*sizes), begun, 0.2) == allowed


def test_joined_plans_hold_all_of_each() -> None:
    one, other = some(1, 2)
    both = joined([one, other])

    assert both.changes == one.changes + other.changes
    assert both.base == one.base | other.base
    assert both.base_runs == one.base_runs | other.base_runs


def test_a_night_that_was_broken_off_goes_on_for_a_day() -> None:
    begun = Note().begun(10, NOW).intending(uid("r"), 3).counted(is_done=True)

    assert begun.begun(7, NOW + timedelta(hours=23)) == begun
    again = begun.begun(7, NOW + timedelta(hours=24)).night
    assert again == Begun(began_at=NOW + timedelta(hours=24), live=7)


@pytest.mark.parametrize(("is_done", "changed"), [(True, 5), (False, 2)])
def test_what_was_intended_counts_if_it_was_done(is_done: bool, changed: int) -> None:
    begun = Note(night=Begun(began_at=NOW, live=10, changed=2)).intending(uid("r"), 3)

    counted = begun.counted(is_done=is_done)
    assert counted.night == Begun(began_at=NOW, live=10, changed=changed)
    assert counted.counted(is_done=True) == counted


def test_a_mark_never_goes_back() -> None:
    late, early = (NOW, uid("a")), (NOW - timedelta(days=1), uid("a"))

    assert Note().marked("tidy", late).marked("tidy", early).marks == {"tidy": late}
    assert Note().marked("tidy", early).marked("tidy", late).marks == {"tidy": late}
    assert Note().marked("tidy", None) == Note()


def test_a_note_is_read_as_it_was_written() -> None:
    note = Note().begun(3, NOW).marked("tidy", (NOW, uid("a"))).filled()

    assert read_note(note.model_dump_json(), SCOPE) == note
    assert read_note(None, SCOPE) == Note()


@pytest.mark.parametrize("text", ["no json", '{"marks": 7}', '{"v": 2}'])
def test_a_note_of_another_version_is_refused(text: str) -> None:
    with pytest.raises(Misconfigured, match=SCOPE.key):
        read_note(text, SCOPE)


def run(kind: Any, reason: Any = "merged", **fields: Any) -> Run:
    changed = Changed(
        kind="retire",
        memory_id=record("x").memory.id,
        version=1,
        reason=reason,
        relation="same",
        why="",
    )
    given = {"state": "applied", "turn_ids": (), "started_at": NOW, "changes": (changed,)}
    return Run(**({"id": uid(kind), "kind": kind, "scope": SCOPE} | given | fields))


@pytest.mark.parametrize(
    ("chain", "settled"),
    [
        ([], False),
        ([run("batch")], False),
        ([run("sleep")], True),
        ([run("sleep", "superseded")], True),
        ([run("sleep", "expired")], False),
        ([run("undo"), run("sleep")], True),
        ([run("undo"), run("sleep", "expired")], True),
        ([run("undo"), run("undo"), run("sleep")], True),
        ([run("undo"), run("batch")], False),
    ],
)
def test_what_sleep_judged_and_what_was_taken_back_of_it_is_settled(
    chain: list[Run], settled: bool
) -> None:
    assert is_settled(chain) is settled


@pytest.mark.parametrize(
    ("one", "joins"),
    [
        (None, False),
        (run("sleep"), True),
        (run("sleep", state="undone"), False),
        (run("sleep", "expired"), False),
        (run("batch"), False),
    ],
)
def test_what_a_run_of_sleep_archived_lives_on_in_what_it_wrote(
    one: Run | None, joins: bool
) -> None:
    assert has_joined(one) is joins
