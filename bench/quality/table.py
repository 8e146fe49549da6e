"""Rows as tables: a table for each set, a column for each contestant; of several seeds the mean, least and most."""

from collections.abc import Iterator, Sequence
from statistics import mean

from rich.console import Console
from rich.table import Table

from bench.quality.match import COSTS, Row

WIDTH = 170
#: What a line of a table is called → names of its figures, parted by a slash.
LINES = {
    "live": ("live",),
    "slots right, of those heard": ("slots_right", "slots_heard"),
    "things right, of those heard": ("things_right", "things_heard"),
    "said twice": ("duplicates",),
    "stale": ("stale",),
    "lost": ("lost",),
    "of those wrongly retired": ("wrongly_retired",),
    "of those called the same": ("called_same",),
    "history missing": ("history_missing",),
    "history in disorder": ("history_unordered",),
    "forbidden and stored": ("forbidden_stored", "forbidden"),
    "forgotten and there": ("leaks", "forgotten"),
    "details lost": ("details_lost", "details"),
    "turns parked": ("parked",),
}
QUESTIONS = {
    "answered by the first hit": ("answered_first", "questions"),
    "answered by the first ten": ("answered", "questions"),
    "pieces of answers in them": ("pieces_told", "pieces"),
    "told what may not be": ("told_wrongly", "guarded"),
}
SPENT = {f"{one} for 1,000 turns": (f"{one}_per_1000_turns",) for one in COSTS}
NOT_TOLD = "–"

Figures = dict[str, list[float | None]]


def show(rows: Sequence[Row], note: str) -> None:
    """`note` says of all tables how their rows came about."""
    for of in dict.fromkeys(row.of for row in rows):
        mine = [row for row in rows if row.of == of]
        columns = {name: _column(mine, name) for name in dict.fromkeys(r.contestant for r in mine)}
        first = next(figures for _, figures in columns.values())
        table = Table(title=_title(of, mine, first), title_justify="left")
        table.add_column("", no_wrap=True)
        for name, (detail, _) in columns.items():
            table.add_column(" ".join(filter(None, (name, detail))), justify="right")
        for line in _lines([figures for _, figures in columns.values()]):
            table.add_row(*line)
        Console(width=WIDTH).print(table)
        print(f"{_verdict(mine)}\n{note}\n")


def _column(rows: Sequence[Row], name: str) -> tuple[str, Figures]:
    """What was chosen for it, and each figure by every seed."""
    mine = [row for row in rows if row.contestant == name]
    told = [row.figures() for row in mine]
    return ", ".join(dict.fromkeys(row.detail for row in mine)), {
        key: [one[key] for one in told] for key in told[0]
    }


def _title(of: str, rows: Sequence[Row], first: Figures) -> str:
    """What was heard is the first contestant's: where a peer finds its own facts it hears other things."""
    seeds = sorted({row.seed for row in rows if row.seed is not None})
    by = f", seeds {', '.join(map(str, seeds))}: mean (least–most)" if len(seeds) > 1 else ""
    turns, facts, slots, things = (
        _number(_mean(first[name])) for name in ("turns", "facts", "slots", "things")
    )
    return f"{of}{by}: {turns} turns, {facts} facts, {slots} slots, {things} things"


def _verdict(rows: Sequence[Row]) -> str:
    """A judge that does not beat the rules is not worth its calls."""
    rules = {row.contestant for row in rows if row.is_rule}
    right = {name: _right(rows, name) for name in dict.fromkeys(row.contestant for row in rows)}
    rule = max(rules, key=lambda name: right[name])
    return "\n".join(
        f"{name} has {n:g} right, {'more' if n > right[rule] else 'no more'} than the best rule"
        f" ({rule}, {right[rule]:g})"
        for name, n in right.items()
        if name not in rules
    )


def _right(rows: Sequence[Row], name: str) -> float:
    found = (row.marks for row in rows if row.contestant == name)
    return round(mean(one.slots_right + one.things_right for one in found), 1)


def _lines(columns: Sequence[Figures]) -> Iterator[list[str]]:
    are_asked = any(n for one in columns for n in (*one["questions"], *one["guarded"]))
    for name, parts in {**LINES, **(QUESTIONS if are_asked else {}), **SPENT}.items():
        yield [name, *("/".join(_cell(one[part]) for part in parts) for one in columns)]


def _cell(told: Sequence[float | None]) -> str:
    known = [n for n in told if n is not None]
    if not known:
        return NOT_TOLD
    spread = f" ({_number(min(known))}–{_number(max(known))})"
    return _number(mean(known)) + (spread if min(known) < max(known) else "")


def _mean(told: Sequence[float | None]) -> float:
    return mean(n for n in told if n is not None)


def _number(n: float) -> str:
    return f"{n:,.1f}".removesuffix(".0")
