"""What follows from a failure."""

import pytest

from worker.core.failing.retry import LONGEST_HINT_SECONDS, LONGEST_SECONDS, Decision, Stake, decide
from worker.core.step import BadReply
from worker.errors import (
    Misconfigured,
    OverBudget,
    PlanConflict,
    Retryable,
    TooLong,
    Unavailable,
    Unprocessable,
)


@pytest.mark.parametrize(
    ("error", "attempt", "turns", "park"),
    [
        (Unprocessable("x"), 1, 1, True),
        (Unprocessable("x"), 1, 2, False),
        (Retryable("x"), 5, 1, True),
        (Retryable("x"), 5, 2, False),
        (Retryable("x"), 4, 1, False),
        (BadReply("x"), 5, 1, True),
        (Unavailable("x"), 99, 1, False),
        (Misconfigured("x"), 99, 1, False),
        (OverBudget("x"), 99, 1, False),
        (TooLong("x"), 1, 1, True),
        (TooLong("x"), 1, 2, False),
        (PlanConflict("x"), 1, 9, True),
    ],
)
def test_a_turn_is_parked_only_alone_and_only_when_it_cannot_work(
    error: Exception, attempt: int, turns: int, park: bool
) -> None:
    assert decide(error, attempt, Stake(turns), 5, 0.5).park is park  # type: ignore[arg-type] # a table


@pytest.mark.parametrize(
    "error", [Unavailable("down"), Misconfigured("wrong key"), OverBudget("spent")]
)
def test_what_is_no_fault_of_the_turns_uses_up_none_of_their_attempts(error: Retryable) -> None:
    assert decide(error, 1, Stake(1), 5, 0.5).burn is False


def test_a_scope_over_its_budget_waits_for_the_new_day_and_is_looked_at_each_hour() -> None:
    assert decide(OverBudget("spent", 1_800), 1, Stake(1), 5, 0.5).after_seconds == 1_800
    assert decide(OverBudget("spent", 80_000), 1, Stake(1), 5, 0.5).after_seconds == 3_600


def test_a_batch_that_cannot_be_processed_is_tried_again_at_once_in_a_smaller_size() -> None:
    assert decide(Unprocessable("x"), 1, Stake(8), 5, 0.5) == Decision(after_seconds=0, burn=True)


def test_the_servers_hint_is_the_least_wait() -> None:
    assert decide(Retryable("429", after_seconds=7), 1, Stake(1), 5, 0.0).after_seconds == 7


def test_waits_grow_with_the_attempts_up_to_a_ceiling() -> None:
    waits = [
        decide(Retryable("x"), attempt, Stake(2), 9_999, 1.0).after_seconds
        for attempt in (*range(1, 12), 5_000)
    ]

    assert waits == sorted(waits)
    assert waits[0] == 1
    assert waits[-1] == LONGEST_SECONDS


@pytest.mark.parametrize("hint", [float("inf"), 30 * 86_400.0])
def test_no_server_can_put_a_scope_to_sleep_for_days(hint: float) -> None:
    wait = decide(Retryable("429", after_seconds=hint), 1, Stake(1), 5, 0.0).after_seconds

    assert wait == LONGEST_HINT_SECONDS


@pytest.mark.parametrize(("attempt", "park"), [(1, False), (5, True)])
def test_a_kept_plan_that_fails_waits_and_is_parked_whole_in_the_end(
    attempt: int, park: bool
) -> None:
    decision = decide(Retryable("x"), attempt, Stake(4, has_plan=True), 5, 0.5)

    assert decision.park is park
    assert park or decision.after_seconds > 0


@pytest.mark.parametrize(
    "error",
    [
        Unavailable("500", part="model", may_be_text=True),
        Misconfigured("400", part="model", may_be_text=True),
        Retryable("no vectors", part="embedder", may_be_text=True),
    ],
)
def test_what_a_part_does_to_one_scope_alone_counts_and_to_everyone_does_not(
    error: Retryable,
) -> None:
    assert decide(error, 99, Stake(1), 5, 0.5).burn is False
    assert decide(error, 5, Stake(1, failed_alone=True), 5, 0.5).park is True
    smaller = decide(error, 5, Stake(2, failed_alone=True), 5, 0.5)
    assert (smaller.park, smaller.burn) == (False, True)
    assert smaller.after_seconds > 0


@pytest.mark.parametrize("misses, seconds", [(0, 4), (1, 8), (3, 32), (4, 64), (50, 64)])
def test_a_scope_that_fails_with_everybody_waits_longer_each_time_but_never_long(
    misses: int, seconds: float
) -> None:
    stake = Stake(1, misses=misses)

    decision = decide(Unavailable("down", part="model"), 1, stake, 5, luck=1.0)

    assert decision == Decision(after_seconds=seconds, burn=False)
