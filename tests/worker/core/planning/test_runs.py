"""A run before and after its plan is applied."""

import pytest

from schemas.plan import Run
from tests.build import candidacy, fact, record, uid
from tests.worker.core.planning.test_plan import decided, group
from worker.core.planning.runs import (
    applied,
    fruitless,
    furthest,
    opened,
    parked,
    settled_turns,
    turned,
)

CASE = candidacy([fact("User moved to Austin")], [record("User lives in Seattle")])
PLAN = decided(CASE, [group("contradict", "f1", "c1", text="User lives in Austin")])


def test_an_open_run_holds_the_whole_plan_so_that_anyone_can_finish_it() -> None:
    run = opened(PLAN)

    assert (run.state, run.plan, run.changes) == ("open", PLAN, ())


def test_an_applied_run_keeps_what_was_done_and_why_but_no_text() -> None:
    run = applied(PLAN)

    assert (run.state, run.plan) == ("applied", None)
    assert [(c.kind, c.version, c.why) for c in run.changes] == [("revise", 2, "because")]
    assert "Austin" not in run.model_dump_json()


def test_words_that_no_record_has_are_kept_in_the_run() -> None:
    said, known = "User preserves ripe plums", "User preserves plums, ripe and sweet"
    case = candidacy([fact(said)], [record(known)])

    run = applied(decided(case, [group("same", "f1", "c1")]))

    assert [change.said for change in run.changes] == [(said,)]
    assert known not in run.model_dump_json()


def test_only_turns_of_an_applied_run_need_no_second_look() -> None:
    run = applied(PLAN)
    others = [run.model_copy(update={"state": "undone"}), parked(PLAN), opened(PLAN)]

    assert settled_turns([run]) == {uid("t1")}
    assert settled_turns(others) == frozenset()
    assert fruitless([run, *others]) == 2


@pytest.mark.parametrize("finished", [applied(PLAN), parked(PLAN)], ids=["applied", "parked"])
def test_a_finished_run_is_never_hidden_by_an_open_record_of_it(finished: Run) -> None:
    other = opened(PLAN).model_copy(update={"id": uid("other run")})

    assert furthest([opened(PLAN), other, finished]) == [finished, other]
    assert furthest([finished, other, opened(PLAN)]) == [finished, other]
    assert furthest([opened(PLAN), opened(PLAN)]) == [opened(PLAN)]


def test_a_run_keeps_for_what_reason_it_archived() -> None:
    assert [change.reason for change in applied(PLAN).changes] == ["superseded"]


def test_an_undo_turns_round_the_run_it_takes_back_and_what_that_had_taken_back() -> None:
    run = applied(PLAN)
    chain = [run.model_copy(update={"id": uid(f"run {n}")}) for n in range(4)]

    assert [(one.id, one.state) for one in turned(chain)] == [
        (uid("run 0"), "undone"),
        (uid("run 1"), "applied"),
        (uid("run 2"), "undone"),
        (uid("run 3"), "applied"),
    ]
    assert turned(turned(chain)) == turned(chain)
    assert turned([]) == ()
