"""Whose failure it is, and how long a part rests."""

import pytest

from worker.core.failing.breaker import (
    FIRST_SECONDS,
    LONGEST_SECONDS,
    SEVERAL,
    Failing,
    is_own,
    rest_seconds,
)

CLAIMED = 1_000


def failing(
    vouched_at: int | None = None, scopes: int = 1, rests: int = 0, rested_at: int = 0
) -> Failing:
    return Failing(CLAIMED, CLAIMED + 1, vouched_at, scopes, rests, rested_at)


@pytest.mark.parametrize(
    ("vouched_at", "own"),
    [
        pytest.param(None, False, id="nobody was served since it failed before"),
        pytest.param(CLAIMED - 1, True, id="others were served in between"),
        pytest.param(CLAIMED + 1, False, id="others were served while it failed"),
    ],
)
def test_a_failure_is_the_scopes_own_where_others_were_served_before_it_tried_again(
    vouched_at: int | None, own: bool
) -> None:
    assert is_own(failing(vouched_at)) is own


@pytest.mark.parametrize(
    ("scopes", "rests", "rested_at", "seconds"),
    [
        pytest.param(SEVERAL - 1, 0, 0, 0, id="too few scopes fail"),
        pytest.param(SEVERAL, 0, 0, FIRST_SECONDS, id="several in a row fail"),
        pytest.param(1, 1, CLAIMED - 1, 2 * FIRST_SECONDS, id="a probe fails"),
        pytest.param(1, 2, CLAIMED - 1, 4 * FIRST_SECONDS, id="the next probe fails"),
        pytest.param(9, 1, CLAIMED + 1, 0, id="it was under way when the rest began"),
        pytest.param(1, 99, CLAIMED - 1, LONGEST_SECONDS, id="the longest rest"),
        pytest.param(1, 10**6, CLAIMED - 1, LONGEST_SECONDS, id="an outage of weeks"),
    ],
)
def test_rests_begin_with_several_scopes_and_grow_with_each_probe(
    scopes: int, rests: int, rested_at: int, seconds: float
) -> None:
    assert rest_seconds(failing(None, scopes, rests, rested_at)) == seconds
