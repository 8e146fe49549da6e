"""What nights have made of a scope of which the truth is known. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any
from uuid import UUID

from bench.quality.marks import Marks
from bench.sleep.marks import Left, without_detail
from schemas.memory import Memory
from worker.core.sleeping.report import Diff, Report

#: After which night it is looked.
LOOKS = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Counts:
    """Of one or several nights, and of what is there after them; those of several scopes add up."""

    #: What nights have done, but for what time alone has ended.
    changes: int = 0
    ended: int = 0
    #: What waits for a person.
    proposed: int = 0
    calls: int = 0
    #: Live texts that are not the same bytes as before, are new or are gone; what time ended apart.
    texts: int = 0
    live: int = 0
    stale: int = 0
    lost: int = 0
    duplicates: int = 0
    #: Numbers, dates, names, quotations, identifiers and negations of what lived before the first night that no heir
    #: has, and clauses of which no word is left; what a judge named as untrue counts as well.
    details: int = 0
    clauses: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        names = [one.name for one in fields(self)]
        return Counts(**{name: getattr(self, name) + getattr(other, name) for name in names})


@dataclass(frozen=True)
class Row:
    """One stretch of nights over all streams of a set."""

    of: str
    seed: int | None
    model: str
    #: Null before the first night.
    first: int | None
    last: int | None
    counts: Counts = Counts()

    @property
    def name(self) -> str:
        if self.first is None:
            return "before"
        return f"night {self.last}" if self.first == self.last else f"{self.first} to {self.last}"

    def figures(self) -> dict[str, Any]:
        told = {"set": self.of, "seed": self.seed, "model": self.model}
        return {**told, "first": self.first, "last": self.last, **asdict(self.counts)}


def spans(looks: Sequence[int]) -> list[tuple[int, int]]:
    """First and last night of each stretch."""
    return [(before + 1, last) for before, last in zip((0, *looks), looks, strict=False)]


def of_report(report: Report, before: Mapping[UUID, str], after: Mapping[UUID, str]) -> Counts:
    """One night. The texts are those of live memories."""
    ended = [diff for one in report.passes if one.name == "expire" for diff in one.changes]
    others = [diff for one in report.passes if one.name != "expire" for diff in one.changes]
    return Counts(
        changes=len(others),
        ended=len(ended),
        proposed=sum(len(one.proposed) for one in report.passes),
        calls=report.calls,
        texts=len(_changed(before, after) - _touched(ended)),
    )


def _changed(before: Mapping[UUID, str], after: Mapping[UUID, str]) -> set[UUID]:
    ids = before.keys() | after.keys()
    return {id for id in ids if before.get(id) != after.get(id)}


def _touched(diffs: Iterable[Diff]) -> set[UUID]:
    return {one.memory_id for one in diffs}


def of_store(marks: Marks, first: Mapping[UUID, Memory], left: Left) -> Counts:
    """What is there; `first` lived before the first night, and time has not ended it since."""
    details, clauses = without_detail(first, left)
    return Counts(
        live=marks.live,
        stale=marks.stale,
        lost=marks.lost,
        duplicates=marks.duplicates,
        details=len(details),
        clauses=len(clauses),
    )


def restless(rows: Iterable[Row]) -> list[Row]:
    """Stretches after the first night in which something changed all the same, or was asked."""
    later = (row for row in rows if row.first is not None and row.first > 1)
    return [row for row in later if row.counts.changes or row.counts.texts or row.counts.calls]
