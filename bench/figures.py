"""Figures of a bench, each with what it has to reach."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Figure:
    """One number."""

    name: str
    value: float
    unit: str = ""
    #: In words, such as `at most 1.7`; empty where nothing is asked.
    reach: str = ""
    is_reached: bool | None = None


def at_most(name: str, value: float, most: float, unit: str = "") -> Figure:
    return Figure(name, value, unit, f"at most {most:,g}", value <= most)


def at_least(name: str, value: float, least: float, unit: str = "") -> Figure:
    return Figure(name, value, unit, f"at least {least:,g}", value >= least)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that `share` (0 to 1) of them do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def show(title: str, figures: Sequence[Figure], *, as_json: bool) -> None:
    """A table, or one JSON document: name → value, unit, reach, is_reached."""
    if as_json:
        print(json.dumps({one.name: asdict(one) for one in figures}))
        return
    table = Table(title=title, title_justify="left")
    for heading in ("", "figure", "", "reach", ""):
        table.add_column(heading, justify="right" if heading == "figure" else "left")
    for one in figures:
        verdict = {None: "", True: "yes", False: "no"}[one.is_reached]
        table.add_row(one.name, f"{one.value:,.4g}", one.unit, one.reach, verdict)
    Console().print(table)
