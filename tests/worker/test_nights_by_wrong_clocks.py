"""A machine's clock is years ahead, or hours behind: nothing goes for good before its time, and nobody loops."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo

import pytest
from redis import Redis

from schemas.keys import PartitionKeys
from schemas.scope import Scope
from tests.desk import Desk, desk
from tests.similarity import GivenSimilarities
from tests.worker.direct.nightly import judging, one_thing, remember
from worker import nightly
from worker.core.ports import Store
from worker.core.sleeping.again import AT_ONCE, SOON_SECONDS
from worker.core.sleeping.report import Report
from worker.direct import one_night
from worker.interfaces.cli import sleep as by_hand
from worker.nightly import sleep_next

TEA, LOT = "Likes tea", "Likes tea a lot"
ALIKE = GivenSimilarities({LOT: (TEA, 0.9)})


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (ALIKE.fingerprint, ALIKE.dimensions)


@pytest.fixture
def table(sqlite_store: Store, redis_client: Redis, scope: Scope) -> Desk:
    """Earlier versions are kept for a year."""
    made = desk(sqlite_store, redis_client, scope, ALIKE)
    changed = {"sleep_quiet_seconds": 0, "sleep_passes": ("expire", "tidy", "retention")}
    settings = made.parts.settings.model_copy(update=changed)
    made.parts = replace(made.parts, settings=settings)
    return made


def wrong_by(days: float) -> type[datetime]:
    class Wrong(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "datetime":  # type: ignore[override]
            return datetime.now(tz) + timedelta(days=days)

    return Wrong


def sleeps_again(table: Desk) -> None:
    table.parts.inbox.sleepers.due(table.scope.key, AT_ONCE)
    night = sleep_next(table.parts, lambda: None)
    assert night
    assert night.report


def sleeps_by_hand(table: Desk) -> None:
    reports: list[Report] = []
    assert not by_hand._each(table.parts, [table.scope], reports, dry_run=False, as_json=True)
    assert len(reports) == 1


@pytest.mark.parametrize("act", [sleeps_again, sleeps_by_hand])
@pytest.mark.parametrize("days", [800, -800])
def test_earlier_versions_outlive_a_machine_whose_clock_is_wrong(
    table: Desk, monkeypatch: pytest.MonkeyPatch, act: Callable[[Desk], None], days: float
) -> None:
    remember(table, TEA, LOT)
    judging(table, one_thing)
    sleeps_again(table)
    kept = table.archives()
    assert kept

    for module in (nightly, one_night):
        monkeypatch.setattr(module, "datetime", wrong_by(days))
    act(table)

    assert table.archives() == kept


def test_what_has_lapsed_by_the_clock_of_the_queue_only_makes_nobody_sleep_without_end(
    table: Desk, redis_client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(table, TEA, until=table.parts.inbox.now() - timedelta(hours=1))
    monkeypatch.setattr(nightly, "datetime", wrong_by(-1))

    sleeps_again(table)

    due_at = redis_client.zscore(PartitionKeys(0).sleep, table.scope.key)
    assert due_at
    assert due_at / 1000 > table.parts.inbox.now().timestamp() + SOON_SECONDS / 2
