"""One number of several runs: its median and its spread. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bench.all.reading import Reading
from bench.all.results import Outcome


@dataclass(frozen=True)
class Sum:
    """All runs of one figure."""

    row: str
    column: str
    values: tuple[float, ...]
    unit: str
    reach: str
    #: Runs that reached it; null where nothing is asked.
    reached: int | None

    @property
    def middle(self) -> float:
        return median(self.values)

    @property
    def is_reached(self) -> bool | None:
        """In more than half of the runs, which for an odd number of them is: by the median."""
        return None if self.reached is None else 2 * self.reached > len(self.values)


def sums(outcomes: Sequence[Outcome]) -> list[Sum]:
    """Of one entry. Figures in the order of the first run: those that are asked for first, then ratios."""
    by_name = dict[tuple[str, str], list[Reading]]()
    for one in outcomes:
        for reading in one.readings:
            by_name.setdefault((reading.row, reading.column), []).append(reading)
    found = [_sum(some) for some in by_name.values()]
    return sorted(found, key=lambda one: (not one.reach, bool(one.unit)))


def _sum(some: Sequence[Reading]) -> Sum:
    first = some[0]
    return Sum(
        first.row,
        first.column,
        tuple(one.value for one in some),
        first.unit,
        first.reach,
        None if first.is_reached is None else sum(bool(one.is_reached) for one in some),
    )


#: Figures from here on are told in whole numbers.
WHOLE = 1_000


def number(value: float) -> str:
    if value == int(value) or abs(value) >= WHOLE:
        return f"{round(value):,}"
    return f"{value:.3g}"


def spread(values: Sequence[float]) -> str:
    """From the least to the most; nothing of one run."""
    return f"{number(min(values))} – {number(max(values))}" if len(values) > 1 else ""
