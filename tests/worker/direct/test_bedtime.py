"""After a night: when the next one is."""

from dataclasses import replace
from datetime import timedelta

import pytest
from redis import Redis

from schemas.scope import Scope
from tests.desk import Desk, desk
from tests.similarity import GivenSimilarities
from tests.worker.direct.nightly import FIRST_NIGHT, remember
from worker.core.ports import Store
from worker.core.sleeping.again import NEVER, SOON, Bedtime
from worker.core.sleeping.note import NIGHT, Begun, Note
from worker.core.sleeping.report import Report
from worker.direct.bedtime import next_bedtime
from worker.direct.holding import holding

NOW = FIRST_NIGHT
LATER = NOW + timedelta(hours=1)


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (GivenSimilarities().fingerprint, GivenSimilarities().dimensions)


@pytest.fixture
def table(sqlite_store: Store, redis_client: Redis, scope: Scope) -> Desk:
    """A night that has asked ten times, and may ask so often."""
    made = desk(sqlite_store, redis_client, scope, GivenSimilarities())
    settings = made.parts.settings.model_copy(update={"sleep_max_calls": 10})
    made.parts = replace(made.parts, settings=settings)
    with holding(made.parts, scope, NOW) as held:
        writer = made.parts.store.writer(scope, held.lease)
        writer.prepare()
        writer.put_sleep(Note(night=Begun(began_at=NOW, live=1, calls=10)).model_dump_json())
    return made


def again(table: Desk, stopped: str | None, **settings: int) -> Bedtime:
    changed = table.parts.settings.model_copy(update=settings)
    parts = replace(table.parts, settings=changed)
    return next_bedtime(parts, Report(scope=table.scope, began_at=NOW, stopped=stopped), NOW)


def test_a_night_that_was_done_is_the_last_until_something_changes(table: Desk) -> None:
    assert again(table, None) == NEVER


def test_one_that_was_broken_off_is_gone_on_with_soon(table: Desk) -> None:
    assert again(table, "turns wait", sleep_max_calls=11) == SOON


def test_one_whose_budget_is_used_up_is_gone_on_with_when_another_may_begin(table: Desk) -> None:
    assert again(table, "used up") == Bedtime(at=NOW + NIGHT)


def test_what_lapses_meanwhile_does_not_wait_for_a_budget(table: Desk) -> None:
    remember(table, "Works from Porto", until=LATER)

    assert again(table, "used up") == Bedtime(at=LATER)
    table.parts.spending.add(table.scope.key, 1, 1)
    day = again(table, "used up", sleep_max_calls=0, daily_calls=1)
    assert (day.at, day.after_seconds is not None) == (LATER, True)
