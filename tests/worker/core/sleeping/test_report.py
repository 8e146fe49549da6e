"""What a pass came to, in figures and words."""

from typing import Any

from schemas.memory import Counters
from schemas.plan import Add, Confirm, Plan, Retire, Revise, Tokens, Usage
from tests.build import NOW, RUN, SCOPE, record, uid
from tests.worker.core.sleeping.test_share import retiring
from worker.core.groups.merging import archived, outdated
from worker.core.sleeping.markdown import figures, markdown
from worker.core.sleeping.report import Passed, Report, with_slice, with_usage

OLD, NEW = record("Owns a cat"), record("Owns two cats")


def plan(*changes: Any) -> Plan:
    return Plan(
        run=RUN, kind="sleep", scope=SCOPE, turn_ids=(), base={}, changes=changes, planned_at=NOW
    )


ADD = Add(record=NEW, relation="new", why="derived")
REVISE = Revise(
    record=OLD, archive=outdated(OLD, why="w", run=RUN, now=NOW), relation="update", why="w"
)
RETIRE = Retire(
    archive=archived(*(OLD.memory, OLD.vector), by=None, reason="faded", why="w", run=RUN, now=NOW),
    relation="update",
    why="w",
)


def slept(*done: Plan, proposed: tuple[Plan, ...] = ()) -> Passed:
    return with_slice(
        Passed(name="tidy", before=10, after=10, looked_at=1),
        looked_at=4,
        asked=3,
        misjudged=1,
        done=done,
        proposed=proposed,
        seconds=0.5,
    )


def test_what_came_and_what_went_are_both_counted() -> None:
    assert slept(plan(ADD, REVISE)).after == 11
    assert slept(plan(RETIRE)).after == 9
    assert slept(plan(ADD, RETIRE, REVISE)).after == 10
    assert slept(proposed=(plan(ADD), retiring("A", "B"))).after == 10


def test_a_slice_adds_its_figures() -> None:
    passed = slept(plan(ADD))

    assert (passed.before, passed.looked_at, passed.asked, passed.misjudged) == (10, 5, 3, 1)
    assert passed.seconds == 0.5


def test_what_was_asked_adds_up() -> None:
    usage = Usage.by_job({"reorganize": 2}, {"reorganize": Tokens(prompt=5, completion=6)})

    twice = with_usage(with_usage(slept(), usage), usage)

    assert (twice.calls, twice.tokens) == (4, 22)


def test_an_added_memory_has_nothing_before_it_and_one_that_went_nothing_after() -> None:
    told = [
        (one.kind, one.memory_id, one.before, one.after, one.reason)
        for one in slept(plan(ADD, REVISE, RETIRE)).changes
    ]

    assert told == [
        ("add", uid("Owns two cats"), None, "Owns two cats", None),
        ("revise", uid("Owns a cat"), "Owns a cat", "Owns a cat", "superseded"),
        ("retire", uid("Owns a cat"), "Owns a cat", None, "faded"),
    ]


def test_a_confirmation_is_no_change_of_words() -> None:
    prior = Counters(
        **{name: getattr(OLD.memory, name) for name in Counters.model_fields if name != "v"}
    )
    confirm = Confirm(record=OLD, prior=prior, relation="same")
    passed = slept(plan(confirm))
    assert (passed.changes, passed.after) == ((), 10)


def test_a_page_shows_what_is_new_and_what_was_done_besides() -> None:
    passes = (
        Passed(name="re-embed", before=9, after=9, looked_at=7),
        slept(plan(ADD)),
        Passed(name="retention", before=9, after=9, looked_at=3),
    )
    report = Report(scope=SCOPE, began_at=NOW, passes=passes)

    assert "| add | – | Owns two cats | derived |" in markdown([report])
    assert "7 vectors made anew" in figures(report)
    assert "3 earlier versions removed for good" in figures(report)
    assert "removed" not in figures(report.model_copy(update={"passes": passes[:2]}))
