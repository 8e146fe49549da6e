"""A process stops asking a server that does not answer, and asks it again one call at a time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.core.failing import breaker
from worker.core.failing.circuit import (
    FIRST_SECONDS,
    LONGEST_SECONDS,
    SEVERAL,
    Circuit,
    seconds_left,
    sent,
    unanswered,
    undecided,
)

RESTING = Circuit(SEVERAL, rests_until=100.0)


@pytest.mark.parametrize(
    "circuit, now, seconds",
    [
        (Circuit(), 0.0, 0.0),
        (Circuit(SEVERAL - 1), 0.0, 0.0),
        (RESTING, 98.0, 2.0),
        (RESTING, 100.0, 0.0),
        (RESTING, 500.0, 0.0),
        (sent(RESTING), 100.0, FIRST_SECONDS),
        (sent(RESTING), 99.0, 1.0),
        (sent(Circuit(SEVERAL - 1)), 0.0, 0.0),
    ],
    ids="new, nearly, resting, over, long over, probed, probed and resting, no probe".split(", "),
)
def test_how_long_calls_fail_at_once(circuit: Circuit, now: float, seconds: float) -> None:
    assert seconds_left(circuit, now) == seconds


def test_only_several_failures_in_a_row_put_it_to_rest() -> None:
    circuit = Circuit()
    for at in range(SEVERAL):
        assert not circuit.is_open
        circuit = unanswered(circuit, at, was_probe=False)

    assert circuit == Circuit(SEVERAL, SEVERAL - 1 + FIRST_SECONDS)


def test_each_failed_probe_doubles_the_rest_up_to_the_longest() -> None:
    rests, circuit = [], RESTING
    for _ in range(6):
        circuit = unanswered(sent(circuit), 0.0, was_probe=True)
        rests.append(circuit.rests_until)

    assert rests == [1.0, 2.0, 4.0, 5.0, 5.0, 5.0]
    assert not circuit.is_probed


def test_what_was_under_way_when_it_was_put_to_rest_prolongs_nothing() -> None:
    assert unanswered(RESTING, 50.0, was_probe=False) == RESTING
    assert unanswered(sent(RESTING), 50.0, was_probe=False) == sent(RESTING)


def test_a_probe_that_was_never_sent_gives_way_to_the_next() -> None:
    assert undecided(sent(RESTING), was_probe=True) == RESTING
    assert undecided(sent(RESTING), was_probe=False) == sent(RESTING)


def test_it_rests_no_longer_than_the_fleet_does_first() -> None:
    """Otherwise the fleet's probe might never reach the server."""
    assert LONGEST_SECONDS <= breaker.FIRST_SECONDS


@given(st.integers(SEVERAL, 5_000))
def test_no_number_of_failures_rests_longer(failures: int) -> None:
    after = unanswered(Circuit(failures), 0.0, was_probe=True)

    assert 0 < after.rests_until <= LONGEST_SECONDS


def test_a_server_can_be_put_to_rest_by_a_single_failure() -> None:
    circuit = unanswered(Circuit(several=1), 100.0, was_probe=False)
    assert seconds_left(circuit, 100.0) == FIRST_SECONDS

    again = unanswered(sent(circuit), 200.0, was_probe=True)
    assert (seconds_left(again, 200.0), again.several) == (2 * FIRST_SECONDS, 1)
