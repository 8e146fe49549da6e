"""How hard tests of promises look for a counterexample: `TEST_EFFORT=20 make test` looks twenty times as long."""

import os

EFFORT = float(os.environ.get("TEST_EFFORT", "1"))


def examples(number: int) -> int:
    """So many where nobody asks for more."""
    return max(1, round(number * EFFORT))
