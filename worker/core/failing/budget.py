"""What one scope may ask of models in a UTC day, and whether it may go on."""

from dataclasses import dataclass
from math import ceil

DAY_SECONDS = 86_400


@dataclass(frozen=True)
class Budget:
    """Calls and tokens (prompt and completion) of a day; 0 is no limit."""

    calls: int = 0
    tokens: int = 0

    @property
    def is_limited(self) -> bool:
        return self.calls > 0 or self.tokens > 0


@dataclass(frozen=True)
class Spent:
    """What a scope has asked for so far today."""

    calls: int
    tokens: int
    #: Seconds since midnight UTC.
    second: float


def wait_seconds(spent: Spent, budget: Budget) -> float:
    """Until the scope may ask again: 0 for now, else what is left of the day.

    Asked before a batch, so its last batch may take a scope over the budget, by what one batch costs.
    """
    over = _is_up(spent.calls, budget.calls) or _is_up(spent.tokens, budget.tokens)
    return max(1.0, ceil(DAY_SECONDS - spent.second)) if over else 0.0


def _is_up(spent: int, most: int) -> bool:
    return 0 < most <= spent
