"""What many items come to."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from bench.judge.items import RELATIONS
from bench.judge.marks import COLUMNS, HARMS, Judged, Result

#: The judge's first word, or what became of it.
Of = Literal["said", "stored"]


@dataclass(frozen=True)
class Sums:
    """Of any results."""

    results: Sequence[Result]

    @cached_property
    def effects(self) -> Counter[str]:
        """What went wrong at the store, by name."""
        return sum((one.effects for one in self.results), Counter[str]())

    @property
    def pairs(self) -> list[Judged]:
        return [pair for one in self.results for pair in one.pairs]

    @property
    def right(self) -> int:
        return sum(one.is_right for one in self.results)

    @property
    def exact(self) -> int:
        """Pairs about which the judge's first word was the right one."""
        return sum(pair.said == pair.right for pair in self.pairs)

    @property
    def harmed(self) -> int:
        """Items of which something was lost."""
        return sum(bool(one.harms) for one in self.results)

    @property
    def worded(self) -> int:
        """Items that are right but for the words that stand."""
        return sum(bool(one.words) and not one.effects for one in self.results)

    def caught(self) -> Counter[str]:
        """Harm that the judge's first word would have done, and the store did not."""
        turns = zip(self._wrong("said"), self._wrong("stored"), strict=True)
        return Counter(name for name, after in turns if name in HARMS and after not in HARMS)

    def spoilt(self) -> Counter[str]:
        """What went wrong although the judge's first word was right."""
        turns = zip(self._wrong("said"), self._wrong("stored"), strict=True)
        return Counter(after for name, after in turns if name is None and after)

    def _wrong(self, of: Of) -> list[str | None]:
        """For each pair what its first verdict would have done, or what was done."""
        return [
            pair.feared if of == "said" else one.became(pair)
            for one in self.results
            for pair in one.pairs
        ]

    def unoffered(self) -> int:
        """Pairs that belong together and were never put to the judge."""
        return sum(pair.right != "new" and not pair.is_offered for pair in self.pairs)

    def confusion(self, of: Of) -> dict[str, dict[str, int]]:
        """Right relation → relation that was `said` or `stored` → pairs."""
        counts = Counter((pair.right, _got(pair, of)) for pair in self.pairs)
        return {
            right: {got: counts[right, got] for got in COLUMNS}
            for right in RELATIONS
            if any(counts[right, got] for got in COLUMNS)
        }

    def cells(self, of: Of) -> dict[tuple[str, str], Counter[str]]:
        """Right relation and the other → the harm in this cell, by name."""
        found: dict[tuple[str, str], Counter[str]] = {}
        for pair, wrong in zip(self.pairs, self._wrong(of), strict=True):
            if wrong in HARMS:
                found.setdefault((pair.right, _got(pair, of)), Counter())[wrong] += 1
        return found


def _got(pair: Judged, of: Of) -> str:
    return pair.said if of == "said" else pair.stored


def by(results: Iterable[Result], what: str) -> dict[str, Sums]:
    """Of each `kind` or `language`, in the order in which they come."""
    found: dict[str, list[Result]] = {}
    for one in results:
        found.setdefault(getattr(one, what), []).append(one)
    return {name: Sums(some) for name, some in found.items()}
