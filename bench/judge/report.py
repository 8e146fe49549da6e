"""What the bench of judging tells: the detectors side by side, then each by relation, kind and language."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.judge.items import RELATIONS
from bench.judge.marks import COLUMNS, FLAWS, HARMS, Result
from bench.judge.sums import Of, Sums, by
from worker.settings import Settings

Found = Mapping[str, Sequence[Result]]
ROUNDS: dict[Of, str] = {"said": "what the judge said first", "stored": "what is done"}
#: Characters of a line, at least: a heading that is cut off tells nothing.
WIDTH = 120
UNOFFERED = "pairs that belong together and were never put to the judge: they are no candidates"
WORDED = "all went where it belongs, but what stands lacks a word or has one that is over"
#: What may be wrong with an item; columns that are empty are left out.
WRONG = (*HARMS, *FLAWS, "words", "unoffered")


def document(given: Settings, found: Found) -> None:
    """One JSON document."""
    whole = {
        "model": given.model,
        "embedder": given.embedder,
        "resolver": given.resolver,
        "detectors": {name: _detector(results) for name, results in found.items()},
    }
    print(json.dumps(whole, ensure_ascii=False, indent=1))


def _detector(results: Sequence[Result]) -> dict[str, Any]:
    sums = Sums(results)
    return {
        **figures(sums),
        "caught": dict(sums.caught()),
        "spoilt": dict(sums.spoilt()),
        "said": sums.confusion("said"),
        "stored": sums.confusion("stored"),
        "kinds": {name: figures(some) for name, some in by(results, "kind").items()},
        "languages": {name: figures(some) for name, some in by(results, "language").items()},
        "items": [
            {"right": one.is_right, "effects": dict(one.effects), **asdict(one)} for one in results
        ],
    }


def figures(sums: Sums) -> dict[str, Any]:
    """Of any results: items, pairs as the judge had them, what went wrong at the store, and the cost."""
    results, pairs = sums.results, sums.pairs
    return {
        "items": len(results),
        "right": sums.right,
        "harmed": sums.harmed,
        "pairs": len(pairs),
        "exact": sums.exact,
        **{name: sums.effects[name] for name in (*HARMS, *FLAWS)},
        "words": sums.worded,
        "unoffered": sums.unoffered(),
        "flagged": sum(one.flagged for one in results),
        "refused": sum(one.refused for one in results),
        "failed": sum(one.failure is not None for one in results),
        "calls": sum(one.calls for one in results),
        "tokens": sum(one.tokens for one in results),
        "seconds": round(sum(one.seconds for one in results), 1),
    }


def tables(given: Settings, found: Found) -> None:
    """For people."""
    console = Console(width=max(WIDTH, Console().width))
    print(f"model {given.model}, embedder {given.embedder}, resolver {given.resolver}")
    console.print(_side_by_side(found))
    for name, results in found.items():
        sums = Sums(results)
        for of, words in ROUNDS.items():
            print(f"\n{name}: {words}, in pairs")
            console.print(_confusion(sums, of))
        print(f"caught before the store: {_told(sums.caught())}")
        print(f"wrong although first said right: {_told(sums.spoilt())}")
        for what in ("kind", "language"):
            print(f"\n{name}: items by {what}, and what went wrong in them")
            console.print(_groups(by(results, what)))
    print()
    more = (("words", WORDED), ("unoffered", UNOFFERED))
    for word, meaning in (*HARMS.items(), *FLAWS.items(), *more):
        print(f"{word}: {meaning}")


def _told(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {name}" for name, n in counts.items()) or "nothing"


def _side_by_side(found: Found) -> Table:
    """A row for each figure: there are more of them than detectors."""
    table = _table("", *found)
    columns = [figures(Sums(results)) for results in found.values()]
    for row in columns[0]:
        table.add_row(row, *(f"{one[row]:,}" for one in columns))
    return table


def _confusion(sums: Sums, of: Of) -> Table:
    """How much of a cell does harm is told in it."""
    counts, harms = sums.confusion(of), sums.cells(of)
    shown = [got for got in COLUMNS if got in RELATIONS or any(row[got] for row in counts.values())]
    table = _table("right ↓", *shown)
    for right, row in counts.items():
        table.add_row(right, *(_cell(row[got], harms.get((right, got), {})) for got in shown))
    return table


def _cell(pairs: int, harms: Mapping[str, int]) -> str:
    """What all of a cell is needs no second number."""
    if not pairs:
        return "·"
    told = [name if n == pairs else f"({n} {name})" for name, n in harms.items()]
    return " ".join([str(pairs), *told])


def _table(first: str, *others: str) -> Table:
    table = Table()
    table.add_column(first, no_wrap=True)
    for heading in others:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _groups(found: Mapping[str, Sums]) -> Table:
    rows = {name: figures(sums) for name, sums in found.items()}
    wrong = [one for one in WRONG if any(row[one] for row in rows.values())]
    table = _table("", "right", "of", *wrong)
    for name, row in rows.items():
        cells = (str(row[one] or "·") for one in wrong)
        table.add_row(name, str(row["right"]), str(row["items"]), *cells)
    return table
