"""The bench of the start waits for the first useful line of a real process, and ends it there."""

import sys

import pytest

from bench.start import started

USEFUL = "run 1f310412: facts found 4"


def says(*lines: str, then: str = "time.sleep(60)") -> list[str]:
    program = f"import time\nfor line in {lines!r}: print(line, flush=True)\n{then}"
    return [sys.executable, "-c", program]


def test_it_waits_for_the_first_useful_line_and_not_for_the_end() -> None:
    found = started(says("slowwave demo: 42 turns", USEFUL))

    assert found
    assert 0 < found.first <= found.useful


@pytest.mark.parametrize("said", [("slowwave demo",), ("  run 1f310412: facts found 4",), ()])
def test_what_ends_without_one_has_not_started(said: tuple[str, ...]) -> None:
    assert started(says(*said, then="")) is None
