"""Whether a scope may go on."""

import pytest

from worker.core.failing.budget import DAY_SECONDS, Budget, Spent, wait_seconds

NOON = DAY_SECONDS / 2


@pytest.mark.parametrize(
    ("calls", "tokens", "budget", "wait"),
    [
        (0, 0, Budget(calls=1, tokens=1), 0),
        (49, 0, Budget(calls=50), 0),
        (50, 0, Budget(calls=50), NOON),
        (51, 0, Budget(calls=50), NOON),
        (0, 999, Budget(tokens=1_000), 0),
        (0, 1_000, Budget(tokens=1_000), NOON),
        (1, 1_000, Budget(calls=50, tokens=1_000), NOON),
        (10**9, 10**9, Budget(), 0),
        (10**9, 1, Budget(tokens=2), 0),
    ],
)
def test_a_scope_that_has_spent_its_day_waits_for_the_next(
    calls: int, tokens: int, budget: Budget, wait: float
) -> None:
    assert wait_seconds(Spent(calls, tokens, NOON), budget) == wait


@pytest.mark.parametrize("second", [0.0, 1.5, DAY_SECONDS - 0.001, DAY_SECONDS])
def test_it_never_wakes_before_the_new_day(second: float) -> None:
    wait = wait_seconds(Spent(1, 0, second), Budget(calls=1))

    assert second + wait >= DAY_SECONDS
    assert wait >= 1
