"""When a scope is due for sleep again."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from schemas.memory import Archive, Memory
from schemas.plan import Add, Change, Confirm, Plan, Retire
from tests.build import NOW, RUN, SCOPE, at, memory, record, uid
from worker.core.groups.merging import archived
from worker.core.sleeping.again import (
    LONG_SECONDS,
    NEVER,
    SOON_SECONDS,
    Ageing,
    Bedtime,
    after_change,
    after_failure,
    after_night,
)
from worker.errors import (
    LeaseLost,
    Misconfigured,
    OverBudget,
    PlanConflict,
    Retryable,
    SlowwaveError,
)

DAY = 86_400


def plan(*changes: Change) -> Plan:
    return Plan(
        run=RUN,
        kind="batch",
        scope=SCOPE,
        turn_ids=(),
        base={},
        changes=changes,
        planned_at=NOW,
    )


def added(text: str, **fields: Any) -> Change:
    return Add(relation="new", record=record(text, **fields))


def retired(text: str, **fields: Any) -> Change:
    snapshot = archived(
        memory(text, **fields), b"", by=None, reason="superseded", why="", run=RUN, now=NOW
    )
    return Retire(relation="update", archive=snapshot)


def confirmed(text: str, **fields: Any) -> Change:
    one = record(text, **fields)
    given = {"kind": "confirm", "relation": "same", "record": one, "said": (), "why": ""}
    return Confirm.model_construct(**given, prior=None)  # type: ignore[arg-type] # nobody reads it here


@pytest.mark.parametrize(
    "changes, bedtime",
    [
        ([], NEVER),
        ([added("a")], Bedtime(DAY)),
        ([added("a", until=at(3)), added("b", until=at(2)), added("c")], Bedtime(DAY, at(2))),
        ([confirmed("a", until=at(2))], Bedtime(DAY, at(2))),
        ([retired("a", until=at(1))], Bedtime(DAY)),
    ],
    ids=["nothing", "something", "the first end", "a longer life", "what is gone does not lapse"],
)
def test_a_change_makes_a_scope_due_after_a_while_or_when_something_lapses(
    changes: list[Change], bedtime: Bedtime
) -> None:
    assert after_change(plan(*changes), DAY) == bedtime


def snapshot(text: str, reason: Any, when: datetime) -> Archive:
    given = {"replaced_by": None, "why": "", "run": uid("run")}
    return Archive(memory=memory(text), archived_at=when, reason=reason, **given)


MONTH = timedelta(days=30)


@pytest.mark.parametrize(
    "live, archives, ageing, when",
    [
        ([memory("a")], [], Ageing(MONTH), None),
        ([memory("a", until=at(5)), memory("b", until=at(4))], [], Ageing(MONTH), at(4)),
        ([memory("a", until=at(-1), pinned=True)], [], Ageing(MONTH), None),
        ([], [snapshot("a", "forgotten", at(-10))], Ageing(MONTH), at(20)),
        ([], [snapshot("a", "superseded", at(-10))], Ageing(MONTH), None),
        ([], [snapshot("a", "superseded", at(-10))], Ageing(MONTH, archives=2 * MONTH), at(50)),
        ([memory("a", volatile=True)], [], Ageing(MONTH), None),
        ([memory("a", volatile=True)], [], Ageing(MONTH, fades=3 * MONTH), at(60)),
        ([memory("a", volatile=True)], [], Ageing(MONTH, fades=MONTH / 2), None),
    ],
    ids=[
        *("nothing", "the first end", "pinned and lapsed", "forgotten", "kept for good"),
        *("kept for a while", "does not fade", "fades", "did not fade, though it could"),
    ],
)
def test_after_a_night_a_scope_is_due_when_time_alone_gives_it_something_to_do(
    live: list[Memory], archives: list[Archive], ageing: Ageing, when: datetime | None
) -> None:
    assert after_night(live, archives, ageing, NOW) == Bedtime(at=when)


@pytest.mark.parametrize(
    "error, least, most",
    [
        (Retryable("busy"), SOON_SECONDS, 2 * SOON_SECONDS),
        (LeaseLost(), SOON_SECONDS, 2 * SOON_SECONDS),
        (Retryable("busy", 600), 600, 600),
        (OverBudget("spent", 50_000), LONG_SECONDS, LONG_SECONDS),
        (Misconfigured("unreadable"), LONG_SECONDS, LONG_SECONDS),
        (PlanConflict("moved"), LONG_SECONDS, LONG_SECONDS),
    ],
)
@pytest.mark.parametrize("luck", [0.0, 1.0])
def test_what_waiting_mends_is_tried_again_soon_and_nothing_at_once(
    error: SlowwaveError, least: float, most: float, luck: float
) -> None:
    seconds = after_failure(error, luck).after_seconds

    assert seconds is not None
    assert least <= seconds <= most
