"""The benches of speed and memory measure what they name, each with what it has to reach."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import __main__ as bench
from bench.figures import at_least, at_most, percentile


def figures(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert bench.main([*arguments, "--json"]) == 0
    loaded: dict[str, Any] = json.loads(capsys.readouterr().out)
    return loaded


@pytest.mark.parametrize(("share", "value"), [(0.0, 1), (0.5, 3), (0.75, 4), (0.99, 4), (1.0, 4)])
def test_a_percentile_is_one_of_the_values(share: float, value: int) -> None:
    assert percentile([4, 1, 3, 2], share) == value


def test_a_figure_says_whether_it_is_within_reach() -> None:
    assert [at_most("x", value, 2).is_reached for value in (1, 2, 3)] == [True, True, False]
    assert [at_least("x", value, 2).is_reached for value in (1, 2, 3)] == [False, True, True]


def test_a_scope_that_was_worked_off_keeps_no_key_for_good(
    capsys: pytest.CaptureFixture[str], redis_program: Path
) -> None:
    found = figures(capsys, "claim", "--scopes", "200", "--claims", "50")

    assert found["keys of an idle scope that stay"]["value"] == 0
    assert found["memory of a scope with one turn"]["value"] > 0
    assert found["claim, Redis time, p99"]["reach"] == "at most 1,000"


def test_publishing_is_measured_beside_a_bare_push(
    capsys: pytest.CaptureFixture[str], redis_program: Path
) -> None:
    found = figures(capsys, "publish", "--turns", "30")

    ratio = found["the Redis call, p50"]["value"] / found["bare RPUSH, p50"]["value"]
    assert found["the Redis call / RPUSH, p50"]["value"] == pytest.approx(ratio)
    assert all(one["value"] > 0 for one in found.values())
