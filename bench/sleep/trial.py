"""The three parts of the bench of sleep, under one judge."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Literal, get_args
from uuid import UUID

from bench.figures import Figure, at_least, at_most
from bench.sleep.house import House
from bench.sleep.judges import Oracle
from bench.sleep.marks import Left, Marks, drifted, marked, without_detail
from bench.sleep.planting import Said, again, crowd, planted
from worker.core.sleeping.report import Report

Mode = Literal["oracle", "rules", "careless", "overlap"]
Part = Literal["tidy", "cost", "nights"]
MODES: tuple[Mode, ...] = get_args(Mode)
PARTS: tuple[Part, ...] = get_args(Part)
#: Judges under which no good memory may be lost; `careless` is right of nothing.
FAITHFUL: tuple[Mode, ...] = ("oracle", "rules", "overlap")
#: What is to be merged of what is said twice, by those who can tell it.
MERGED, KNOWING = 0.9, ("oracle", "overlap")
#: Memories that change since the last night; those of a scope that sees many nights.
CHANGED, SMALL = 20, 400
#: Texts that are shown of what went wrong.
SHOWN = 10


@dataclass(frozen=True)
class Trial:
    """Each part in scopes of its own."""

    mode: Mode
    house: House
    oracle: Oracle
    known: Sequence[Said]
    memories: int
    sizes: Sequence[int]
    nights: int
    share: float
    seed: int

    def run(self, part: Part) -> list[Figure]:
        if part == "tidy":
            return list(self._tidy())
        if part == "nights":
            return list(self._nights())
        return list(self._cost()) if self.mode == "oracle" else []

    def _tidy(self) -> Iterator[Figure]:
        house, scope = self.house.with_share(self.share), self.house.scope("tidy")
        said = planted(self.known, self.memories, self.seed)
        self.oracle.learn(said)
        ids = dict(zip(house.fill(scope, said), said, strict=True))
        report = house.night(scope)
        yield Figure("memories", len(ids))
        marks = marked(ids, house.left(scope))
        yield from self._of_marks(marks)
        yield from _of_cost(report, len(ids))
        before, second = house.left(scope), house.night(scope, 1)
        yield at_most("calls of the second night", second.calls, 0)
        yield at_most("writes of the second night", _writes(before, house.left(scope)), 0)
        _tell("lost", marks.lost)

    def _of_marks(self, marks: Marks) -> Iterator[Figure]:
        """Only the oracle knows what has changed; a judge that errs is asked for what sleep keeps in spite of it."""
        share = marks.merged / max(1, marks.repeats)
        merged = "repeats merged", share
        yield at_least(*merged, MERGED) if self.mode in KNOWING else Figure(*merged)
        resolved = "contradictions resolved to the newer", marks.resolved / max(1, marks.changes)
        yield at_least(*resolved, MERGED) if self.mode == "oracle" else Figure(*resolved)
        lost = "good memories lost", len(marks.lost)
        yield at_most(*lost, 0) if self.mode in FAITHFUL else Figure(*lost)
        pairs = f"look-alikes merged, of {marks.pairs} pairs", marks.pairs_merged
        yield Figure(*pairs) if self.mode == "overlap" else at_most(*pairs, 0)

    def _cost(self) -> Iterator[Figure]:
        calls = []
        for size in self.sizes:
            scope, said = self.house.scope(f"cost {size}"), crowd(self.known, size, self.seed)
            self.house.fill(scope, said, settled=True)
            chance, last = Random(self.seed), max(one.at for one in said)
            changed = [
                again(one, last + timedelta(hours=at + 1), chance)
                for at, one in enumerate(said[:CHANGED])
            ]
            self.oracle.learn((*said[:CHANGED], *changed))
            self.house.fill(scope, changed)
            report = self.house.night(scope)
            calls.append(report.calls)
            yield Figure(f"calls after {CHANGED} changes in {size:,}", report.calls)
            yield Figure(f"seconds after {CHANGED} changes in {size:,}", report.seconds, "s")
            yield Figure(f"tokens after {CHANGED} changes in {size:,}", report.tokens)
        yield at_most("calls in the largest beyond the smallest", calls[-1] - calls[0], 2)

    def _nights(self) -> Iterator[Figure]:
        scope, said = self.house.scope("nights"), planted(self.known, SMALL, self.seed)
        self.oracle.learn(said)
        first = self.house.fill(scope, said)
        over = {id for id, one in zip(first, said, strict=True) if one.is_over}
        changes, drift = [], list[str]()
        for nth in range(self.nights):
            before = self.house.left(scope)
            if nth:
                self.house.unsettle(scope)
            report = self.house.night(scope, nth)
            changes.append(report.changes)
            left = self.house.left(scope)
            drift += drifted(before.live, left, _touched(report))
        kept = {id: one for id, one in first.items() if id not in over}
        lacking, clauses = without_detail(kept, left)
        yield from (Figure(f"changes of night {n}", many) for n, many in enumerate(changes, 1))
        yield at_most("untouched memories that changed", len(drift), 0)
        details = "details gone", len(lacking)
        yield Figure(*details) if self.mode == "overlap" else at_most(*details, 0)
        told = "clauses gone", len(clauses)
        yield at_most(*told, 0) if self.mode in FAITHFUL else Figure(*told)
        yield Figure("memories left", len(left.live))
        _tell("changed", drift)
        _tell("gone", [*lacking, *clauses])


def _of_cost(report: Report, many: int) -> Iterator[Figure]:
    yield at_most("nights broken off", report.stopped is not None, 0)
    yield Figure("changes", report.changes)
    yield Figure("proposed", sum(len(one.proposed) for one in report.passes))
    yield Figure("groups asked about", sum(one.asked for one in report.passes))
    yield Figure("misjudged", sum(one.misjudged for one in report.passes))
    yield at_most("calls a memory", report.calls / many, 1) if report.calls else Figure("calls", 0)
    yield Figure("tokens a memory", report.tokens / many)
    yield Figure("seconds", report.seconds, "s")


def _writes(before: Left, after: Left) -> int:
    """Records that are not what they were."""
    ids = before.live.keys() | after.live.keys()
    return sum(before.live.get(id) != after.live.get(id) for id in ids)


def _touched(report: Report) -> set[UUID]:
    return {one.memory_id for passed in report.passes for one in passed.changes}


def _tell(what: str, texts: Iterable[str]) -> None:
    for one in list(texts)[:SHOWN]:
        print(f"  {what}: {one}", file=sys.stderr)
