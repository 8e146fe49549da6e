"""The page of all benches, from what they measured. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.all.needs import shown
from bench.all.plan import ROWS, Entry, Row
from bench.all.results import About, Outcome
from bench.all.sums import Sum, spread, sums
from bench.all.tables import ABSENT, of_entry, table, value, verdict

INTRODUCTION = """\
Written by `python -m bench all`: everything here was measured in one run on one machine, ratios side by side. What has
to be reached is fixed in [design.md](design.md), section 12. A median is that of all runs, the spread from the least of
them to the most; of what was run once, or comes to the same each time, there is none. Absolute times are this
machine's: compare ratios."""


@dataclass(frozen=True)
class Whole:
    """Everything that the page tells of."""

    entries: Sequence[Entry]
    outcomes: Sequence[Outcome]
    about: About
    ended_at: str
    load: str
    command: str
    #: Row of §12 → why it is not reached, and what would.
    notes: Mapping[str, str]

    def of(self, entry: str) -> list[Outcome]:
        """Those that ran."""
        return [one for one in self.outcomes if one.entry == entry and one.state == "ran"]

    def why(self, entry: str) -> str:
        """Why nothing of it was measured."""
        reasons = [one.why for one in self.outcomes if one.entry == entry and one.why]
        if reasons:
            return reasons[-1]
        is_planned = any(one.name == entry for one in self.entries)
        return "it was not run: somebody interrupted it" if is_planned else "it was not asked for"


def page(whole: Whole) -> str:
    sections = (
        ("What has to be reached", _targets(whole)),
        ("What else has to hold", _holds(whole)),
        ("What was not measured", _absent(whole)),
        *((f"{one.name}: {one.about}", _section(whole, one)) for one in whole.entries),
        ("The machine", _machine(whole)),
        ("Versions", _pairs(whole.about.versions)),
        ("To repeat", _repeat(whole)),
    )
    parts = [f"## {title}\n\n" + "\n".join(lines) for title, lines in sections if lines]
    return "\n\n".join(("# Benchmarks", INTRODUCTION, *parts)) + "\n"


def _targets(whole: Whole) -> list[str]:
    told = [(row, cells) for row in ROWS for cells in _answers(whole, row)]
    headings = ("what", "figure", "median", "spread", "to reach", "reached")
    lines = table(headings, (cells for _, cells in told), right=0)
    missed = {row.what for row, cells in told if "**no**" in cells[-1]}
    notes = [
        f"* **{row.what}**: {whole.notes[row.what]}"
        for row in ROWS
        if row.what in missed & whole.notes.keys()
    ]
    return [*lines, "", *notes] if notes else lines


def _answers(whole: Whole, row: Row) -> Iterator[Sequence[str]]:
    """At least one line, so that no row is silently absent."""
    for entry in row.entries:
        outcomes = whole.of(entry)
        found = [one for one in sums(outcomes) if one.reach and re.search(row.figures, one.row)]
        if not outcomes:
            yield _nothing(row, entry, f"not measured: {whole.why(entry)}")
        elif not row.figures:
            yield _nothing(row, entry, "reported below, not bounded")
        elif not found:
            yield _nothing(row, entry, "not measured: it told of no such figure")
        else:
            smaller = "" if _is_whole(whole, outcomes[0]) else ", at a smaller size than is asked"
            for one in found:
                measured = (_with_unit(one), spread(one.values), one.reach)
                yield row.what, one.row, *measured, verdict(one) + smaller


def _nothing(row: Row, entry: str, why: str) -> Sequence[str]:
    return row.what, f"`{entry}`", ABSENT, "", "", why


def _is_whole(whole: Whole, outcome: Outcome) -> bool:
    return all(one.is_whole(outcome.size) for one in whole.entries if one.name == outcome.entry)


def _with_unit(one: Sum) -> str:
    return f"{value(one)} {one.unit}".rstrip()


def _holds(whole: Whole) -> list[str]:
    """What benches ask for that is no row of §12."""
    answered = {entry for row in ROWS if row.figures for entry in row.entries}
    rows = [
        (entry.name, f"{one.row} {one.column}".rstrip(), _with_unit(one), one.reach, verdict(one))
        for entry in whole.entries
        if entry.name not in answered
        for one in sums(whole.of(entry.name))
        if one.reach
    ]
    return (
        table(("bench", "figure", "median", "to reach", "reached"), rows, right=0) if rows else []
    )


def _absent(whole: Whole) -> list[str]:
    lines = [
        f"* {one.name}: {whole.why(one.name)}" for one in whole.entries if not whole.of(one.name)
    ]
    for one in whole.outcomes:
        if one.state == "ran":
            lines += [f"* of {one.entry}: {remark}" for remark in one.remarks]
        elif whole.of(one.entry):
            lines.append(f"* {one.entry}, run {one.run}: {one.why}")
    return list(dict.fromkeys(lines))


def _section(whole: Whole, entry: Entry) -> list[str]:
    outcomes = whole.of(entry.name)
    if not outcomes:
        return []
    seconds = sum(one.seconds for one in outcomes)
    runs = f"{len(outcomes)} runs" if len(outcomes) > 1 else "1 run"
    missed = sum(bool(one.status) for one in outcomes)
    says = f", of which {missed} exited 1: not all is as it has to be" if missed else ""
    first = f"`{_command(entry, outcomes[0])}`, {runs}, {seconds:,.0f} s{says}"
    return [first, "", *of_entry(sums(outcomes), entry.told)]


def _command(entry: Entry, outcome: Outcome) -> str:
    return f"python -m bench {entry.bench} {shown(outcome.words)}".rstrip()


def _machine(whole: Whole) -> list[str]:
    about = whole.about
    times = {
        "began": f"{about.began_at}, load {about.load}",
        "ended": f"{whole.ended_at}, load {whole.load}",
    }
    return _pairs({**about.machine, **times})


def _pairs(of: Mapping[str, str]) -> list[str]:
    return table(("", ""), of.items(), right=0)


def _repeat(whole: Whole) -> list[str]:
    commands = [_command(one, whole.of(one.name)[0]) for one in whole.entries if whole.of(one.name)]
    return ["```sh", whole.command, "", "# or one of them", *commands, "```"]
