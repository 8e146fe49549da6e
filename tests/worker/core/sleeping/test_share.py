"""How much one night may change, how far it is, and whose work is settled."""

from datetime import timedelta
from typing import Any

import pytest

from schemas.plan import Changed, Plan, Retire, Run, Tokens, Usage
from tests.build import NOW, SCOPE, memory, record, uid
from worker.core.failing.budget import Budget
from worker.core.groups.merging import archived
from worker.core.sleeping.note import Begun, Note, read_note
from worker.core.sleeping.own import has_joined, is_settled, joined_in
from worker.core.sleeping.share import joined, used_up, within_share
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


def test_a_night_that_was_broken_off_goes_on_until_the_next_may_begin() -> None:
    begun = Note().begun(10, NOW).intending(uid("r"), 3).counted(is_done=True)

    assert begun.begun(7, NOW + timedelta(hours=19)) == begun
    again = begun.begun(7, NOW + timedelta(hours=20)).night
    assert again == Begun(began_at=NOW + timedelta(hours=20), live=7)


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


def run(
    kind: Any,
    reason: Any = "merged",
    kind_of: Any = "retire",
    replaced_by: str | None = None,
    **fields: Any,
) -> Run:
    changed = Changed(
        kind=kind_of,
        memory_id=record("x").memory.id,
        version=1,
        replaced_by=uid(replaced_by) if replaced_by else None,
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
        ([run("sleep", "faded")], False),
        ([run("undo"), run("sleep", "faded")], True),
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
        (run("sleep", "faded"), False),
        (run("batch"), False),
    ],
)
def test_what_a_run_of_sleep_archived_lives_on_in_what_it_wrote(
    one: Run | None, joins: bool
) -> None:
    assert has_joined(one) is joins


@pytest.mark.parametrize(
    ("spent", "budget", "is_used_up"),
    [
        ((0, 0), (0, 0), False),
        ((10**6, 10**9), (0, 0), False),
        ((9, 0), (10, 0), False),
        ((10, 0), (10, 0), True),
        ((11, 0), (10, 100), True),
        ((1, 99), (10, 100), False),
        ((1, 100), (0, 100), True),
    ],
)
def test_a_night_asks_until_either_limit_is_reached(
    spent: tuple[int, int], budget: tuple[int, int], is_used_up: bool
) -> None:
    begun = Begun(began_at=NOW, live=3, calls=spent[0], tokens=spent[1])

    why = used_up(begun, Budget(*budget))

    assert bool(why) is is_used_up
    if why:
        assert f"{spent[0]} of" in why


def test_what_is_spent_adds_up_until_another_night_begins() -> None:
    usage = Usage.by_job({"reorganize": 2}, {"reorganize": Tokens(prompt=5, completion=6)})
    assert Note().spending(usage) == Note()

    spent = Note().begun(3, NOW).spending(usage).spending(usage)

    assert spent.night
    assert (spent.night.calls, spent.night.tokens) == (4, 22)
    again = spent.begun(3, NOW + timedelta(days=1)).night
    assert again
    assert (again.calls, again.tokens) == (0, 0)


@pytest.mark.parametrize(
    ("one", "into"),
    [
        (run("sleep"), []),
        (run("sleep", replaced_by="b"), ["b"]),
        (run("sleep", kind_of="revise"), ["x"]),
        (run("sleep", "faded", replaced_by="b"), []),
        (run("sleep", "expired", kind_of="revise"), []),
        (run("batch", replaced_by="b"), []),
        (run("sleep", replaced_by="b", state="undone"), []),
    ],
)
def test_what_sleep_has_joined_is_known_by_its_runs(one: Run, into: list[str]) -> None:
    assert joined_in([one]) == {uid(name) for name in into}
