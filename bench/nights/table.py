"""Nights and arrivals for people at a terminal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.nights.arriving import Came
from bench.nights.night import Row

WIDTH = 150
#: Differences that are shown of each way.
SHOWN = 3
LINES = {
    "changes": "changes",
    "texts that are not as before": "texts",
    "ended by time": "ended",
    "proposed": "proposed",
    "calls": "calls",
    "live": "live",
    "stale": "stale",
    "lost": "lost",
    "said twice": "duplicates",
    "details dropped": "details",
    "clauses dropped": "clauses",
}
#: What is only known of a night.
OF_NIGHTS = ("changes", "texts", "ended", "proposed", "calls")


@dataclass(frozen=True)
class Arrival:
    """One way of one world, by one channel under one judge."""

    seed: int
    judge: str
    channel: str
    came: Came

    @property
    def is_equal(self) -> bool:
        return not self.came.seen.differences

    def figures(self) -> dict[str, Any]:
        seen = self.came.seen
        return {
            "seed": self.seed,
            "judge": self.judge,
            "channel": self.channel,
            "way": self.came.way.name,
            "equal": self.is_equal,
            "live_differs": sum(one.of == "live" for one in seen.differences),
            "history_differs": sum(one.of == "history" for one in seen.differences),
            "untold_returns": seen.untold_returns,
            "broken_off": self.came.broken_off,
            "examples": [str(one) for one in seen.differences[:SHOWN]],
        }


def show_nights(rows: Sequence[Row]) -> None:
    """A table for each set, a column for each stretch."""
    for of, seed in dict.fromkeys((row.of, row.seed) for row in rows):
        mine = [row for row in rows if (row.of, row.seed) == (of, seed)]
        named = of if seed is None else f"{of}, seed {seed}"
        table = Table(title=f"{named}; model: {mine[0].model}", title_justify="left")
        table.add_column("", no_wrap=True)
        for row in mine:
            table.add_column(row.name, justify="right")
        for name, field in LINES.items():
            cells = (_cell(row, field) for row in mine)
            table.add_row(name, *cells)
        Console(width=WIDTH).print(table)


def _cell(row: Row, field: str) -> str:
    if row.first is None and field in OF_NIGHTS:
        return "–"
    return f"{getattr(row.counts, field):,}"


def show_arrivals(found: Sequence[Arrival]) -> None:
    """A line for each way, a column for each judge and channel; then what differs."""
    columns = list(dict.fromkeys((one.judge, one.channel) for one in found))
    table = Table(title="the same statements, arrived otherwise", title_justify="left")
    table.add_column("", no_wrap=True)
    for judge, channel in columns:
        table.add_column(f"{judge}: {channel}", justify="right")
    for way in dict.fromkeys(one.came.way.name for one in found):
        mine = [one for one in found if one.came.way.name == way]
        table.add_row(way, *(_of_way(mine, column) for column in columns))
    Console(width=WIDTH).print(table)
    for one in found:
        for difference in one.came.seen.differences[:SHOWN]:
            named = f"seed {one.seed}, {one.judge}, {one.channel}, {one.came.way.name}"
            print(f"  {named}: {difference}")


def _of_way(found: Sequence[Arrival], column: tuple[str, str]) -> str:
    """How many slots differ over all seeds, and how many returns are untold."""
    mine = [one for one in found if (one.judge, one.channel) == column]
    differ = sum(len(one.came.seen.differences) for one in mine)
    untold = sum(one.came.seen.untold_returns for one in mine)
    told = "equal" if not differ else f"{differ} differ"
    return told + (f" ({untold})" if untold else "")
