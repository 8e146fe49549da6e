"""A report as a page for people."""

import re
from collections.abc import Iterable, Iterator, Sequence

from worker.core.groups.setting import PassName
from worker.core.sleeping.report import Diff, Passed, Report
from worker.core.sleeping.withheld import with_reason

#: What would be read as more than text: markup, and the end of a cell.
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
BREAK = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


def markdown(reports: Iterable[Report]) -> str:
    return "\n".join(line for report in reports for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    kind = "What a night would do" if report.dry_run else "A night"
    yield f"# {kind}: {safe(report.scope.app)}, {safe(report.scope.user)}\n"
    yield f"Begun {report.began_at:%Y-%m-%d %H:%M %Z}; {figures(report)}.\n"
    if report.passes:
        yield from _table(COLUMNS, [_row(one) for one in report.passes])
    for one in report.passes:
        yield from _changes(f"{one.name}: changed", one.changes)
        yield from _changes(f"{one.name}: proposed, not done", one.proposed)


COLUMNS = ("pass", "before", "after", "looked at", "asked", "failed", "calls", "tokens", "seconds")


def _row(one: Passed) -> list[str]:
    counts = (one.before, one.after, one.looked_at, one.asked, one.misjudged, one.calls, one.tokens)
    return [one.name, *map(str, counts), f"{one.seconds:.1f}"]


#: What passes do that is no change of a memory.
BESIDES: dict[PassName, str] = {
    "re-embed": "vectors made anew",
    "retention": "earlier versions removed for good",
}


def figures(report: Report) -> str:
    """In one line."""
    told = f"{report.changes} changes, {report.calls} calls, {report.tokens} tokens"
    told += f", {report.seconds:.1f} s, {report.waiting} proposals wait"
    for one in report.passes:
        if one.looked_at and one.name in BESIDES:
            told += f", {one.looked_at} {BESIDES[one.name]}"
    return f"{told}; stopped: {report.stopped}" if report.stopped else told


def _changes(title: str, changes: Sequence[Diff]) -> Iterator[str]:
    if changes:
        yield f"## {title}\n"
        rows = [[one.kind, one.before or "–", one.after or "–", _why(one)] for one in changes]
        yield from _table(("what", "before", "after", "why"), rows)


def _why(one: Diff) -> str:
    return with_reason(one.why, one.withheld)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield f"|{' --- |' * len(columns)}"
    for row in rows:
        yield f"| {' | '.join(map(safe, row))} |"
    yield ""


def safe(text: str) -> str:
    """On one line, and read as nothing but text."""
    return SPECIAL.sub(r"\\\1", BREAK.sub(" ", text))
