"""Markdown tables of what benches measured. Pure."""

from collections.abc import Iterable, Sequence

from bench.all.sums import Sum, number, spread

ABSENT = "–"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: int) -> list[str]:
    """The last `right` columns are numbers."""
    left = len(headings) - right
    rule = ["---"] * left + ["---:"] * right
    return [_line(headings), _line(rule), *map(_line, rows)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def of_entry(found: Sequence[Sum], told: Sequence[str] = ()) -> list[str]:
    """First those that stand alone, then those in columns; `told` names rows or columns, where not all are."""
    kept = [one for one in found if not told or one.row in told or one.column in told]
    lines: list[str] = []
    if alone := [one for one in kept if not one.column]:
        lines += _alone(alone)
    if columned := [one for one in kept if one.column]:
        lines += ["", *_grid(columned)] if lines else _grid(columned)
    return lines


def _alone(found: Sequence[Sum]) -> list[str]:
    """Columns of which nothing is known are left out."""
    columns = {
        "": [one.row for one in found],
        "median": [value(one) for one in found],
        "unit": [one.unit for one in found],
        "spread": [spread(one.values) for one in found],
        "to reach": [one.reach for one in found],
        "reached": [verdict(one) for one in found],
    }
    kept = {name: cells for name, cells in columns.items() if any(cells)}
    return table(list(kept), zip(*kept.values(), strict=True), right=0)


def _grid(found: Sequence[Sum]) -> list[str]:
    """What has more columns than rows is laid on its side."""
    cells = {(one.row, one.column): _cell(one) for one in found}
    rows = list(dict.fromkeys(one.row for one in found))
    columns = list(dict.fromkeys(one.column for one in found))
    if len(columns) > len(rows):
        rows, columns = columns, rows
        cells = {(column, row): cell for (row, column), cell in cells.items()}
    lines = [
        [row.replace("_", " "), *(cells.get((row, one), ABSENT) for one in columns)] for row in rows
    ]
    return table(["", *(one.replace("_", " ") for one in columns)], lines, right=len(columns))


def _cell(one: Sum) -> str:
    return f"{value(one)} ({spread(one.values)})" if len(set(one.values)) > 1 else value(one)


def value(one: Sum) -> str:
    return number(one.middle)


def verdict(one: Sum) -> str:
    """Whether it is reached, and in how many runs where they differ."""
    if one.is_reached is None:
        return ""
    word = "yes" if one.is_reached else "**no**"
    runs = len(one.values)
    return word if one.reached in {0, runs} else f"{word} ({one.reached} of {runs} runs)"
