"""What may fade, since when nothing was heard of it, and what becomes of it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import NOW, RUN, SCOPE, at, memory, record, uid
from worker.core.groups.setting import Setting
from worker.core.sleeping.fading import faded, quiet_since
from worker.core.sleeping.forget import Forget
from worker.core.sleeping.night import Bounds, Glance, Night, Place, Sight

PASS = Forget(timedelta(days=180))


def passing(text: str, days: float = -181, **fields: Any) -> Any:
    return record(text, **({"volatile": True, "said_at": at(days)} | fields))


def night(*records: Any, mark: Place | None = None) -> Night:
    live = {one.memory.id: Glance.of(one.memory) for one in records}
    return Night(SCOPE, NOW, Bounds(0.5), live, {"forget": mark} if mark else {})


@pytest.mark.parametrize(
    ("fields", "is_due"),
    [
        ({}, True),
        ({"kind": "preference"}, True),
        ({"kind": "plan"}, True),
        ({"authority": "assistant"}, True),
        ({"days": -179}, False),
        ({"days": -9_000, "volatile": False}, False),
        ({"kind": "instruction"}, False),
        ({"kind": "the caller's own"}, False),
        ({"confirmations": 2}, False),
        ({"uses": 1}, False),
        ({"pinned": True}, False),
        ({"flagged": "not judged"}, False),
        ({"until": at(9)}, False),
        ({"until": at(-9)}, False),
        ({"last_confirmed_at": at(-1)}, False),
        ({"updated_at": at(-1)}, False),
        ({"created_at": at(-1)}, False),
        ({"happened_at": "2019"}, True),
        ({"happened_at": "2025-11-30"}, True),
        ({"happened_at": "2026-01-01"}, False),
        ({"happened_at": "2026"}, False),
        ({"happened_at": "2031-05"}, False),
    ],
)
def test_only_what_was_passing_from_the_start_and_nothing_was_heard_of_fades(
    fields: dict[str, Any], is_due: bool
) -> None:
    one = passing("A", **fields)
    tonight = night(one)

    due = PASS.due(tonight)

    assert bool(due) is is_due
    cut = PASS.first_slice(Sight(tonight, [(each, one) for each in due]))
    assert cut.records == ((one,) if is_due else ())


@pytest.mark.parametrize(
    ("happened_at", "over"),
    [
        ("2026", datetime(2027, 1, 1, tzinfo=UTC)),
        ("2028-02", datetime(2028, 3, 1, tzinfo=UTC)),
        ("2026-12-31T23:00Z", datetime(2027, 1, 1, tzinfo=UTC)),
        ("2027-02-31", datetime(2027, 3, 1, tzinfo=UTC)),
    ],
)
def test_what_speaks_of_a_day_is_quiet_from_its_end(happened_at: str, over: datetime) -> None:
    assert quiet_since(memory("A", volatile=True, happened_at=happened_at)) == over


@given(st.from_regex(r"\A\d{4}(-\d{2}(-\d{2})?)?\Z"))
def test_no_date_that_a_fact_may_have_breaks_a_night(happened_at: str) -> None:
    assert quiet_since(memory("A", volatile=True, happened_at=happened_at))


def test_each_is_taken_up_once_and_again_after_something_was_heard_of_it() -> None:
    early, late = passing("A", -300), passing("B", -200)
    (first, second) = PASS.due(night(late, early))

    assert (first.id, second.id) == (early.memory.id, late.memory.id)
    assert PASS.due(night(early, late, mark=second.place)) == []
    assert [due.id for due in PASS.due(night(early, late, mark=first.place))] == [late.memory.id]
    heard = passing("A", -300, updated_at=at(-190))
    assert [due.id for due in PASS.due(night(heard, mark=second.place))] == [heard.memory.id]


def test_a_shorter_time_takes_up_what_the_longer_one_has_left() -> None:
    one, other = passing("A", -300), passing("B", -100)
    (due,) = PASS.due(night(one, other))

    left = Forget(timedelta(days=90)).due(night(one, other, mark=due.place))
    assert [due.id for due in left] == [other.memory.id]


def test_what_was_recalled_since_it_was_looked_at_stays() -> None:
    one = passing("A")
    tonight = night(one)
    due = PASS.due(tonight)

    used = passing("A", uses=1)
    cut = PASS.first_slice(Sight(tonight, [(due[0], used)]))
    assert (cut.records, cut.done) == ((), 1)


def test_it_is_archived_whole_with_a_reason_of_its_own_and_nothing_in_its_place() -> None:
    one = passing("A", tags=("t",))

    retired = faded(Setting(RUN, SCOPE, (), NOW, "sleep"), one)

    archive = retired.archive.archive
    assert (archive.memory, archive.reason, archive.replaced_by) == (one.memory, "faded", None)
    assert (archive.run, archive.archived_at, retired.relation) == (RUN, NOW, "update")
    assert "2025-12-02" in archive.why
    assert retired.archive.vector == one.vector
    assert uid("A") == archive.memory.id
