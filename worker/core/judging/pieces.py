"""Which facts go into one call of the judge, and into smaller calls where that one fails."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from schemas.tokens import estimate
from worker.core.groups.judgment import Candidacy, facts_in
from worker.core.groups.members import asks_about
from worker.core.judging.part import part


@dataclass(frozen=True)
class CallSize:
    """What one call of the judge may hold. A single fact is never cut, however much it was offered."""

    #: Null: any number.
    facts: int | None = None
    #: Tokens of the texts of facts and candidates; null: any number.
    tokens: int | None = None
    #: Tokens of one text.
    count: Callable[[str], int] = estimate


@dataclass(frozen=True)
class Piece:
    """Facts of a candidacy that are judged in one call, under labels of their own.

    Beside them are older facts that they were offered and that are judged elsewhere.
    """

    whole: Candidacy
    #: Labels in the whole.
    facts: tuple[str, ...]

    @cached_property
    def cut(self) -> tuple[Candidacy, dict[str, str]]:
        """What is put to the judge, and its labels → those of the whole."""
        return part(self.whole, self.facts, _older_twins(self.whole, self.facts))

    def halves(self) -> list["Piece"]:
        """Two pieces; nothing where only one fact is left."""
        middle = len(self.facts) // 2
        return self._smaller(self.facts[:middle], self.facts[middle:]) if middle else []

    def singles(self) -> list["Piece"]:
        """Fact by fact; nothing where only one is left."""
        return self._smaller(*((fact,) for fact in self.facts)) if len(self.facts) > 1 else []

    def _smaller(self, *parts: tuple[str, ...]) -> list["Piece"]:
        return [Piece(self.whole, facts) for facts in parts]


def _older_twins(candidacy: Candidacy, facts: Sequence[str]) -> list[str]:
    """Facts offered to these that were said before them: the newest fact of a group is one that is asked about."""
    return [
        twin
        for fact in facts
        for twin in facts_in(candidacy.offered_to(fact))
        if twin not in facts and asks_about(candidacy, fact, twin)
    ]


def pieces(candidacy: Candidacy, asked: Iterable[str], most: CallSize) -> list[Piece]:
    """As few calls as the size allows; what shares a candidate stays together where it fits."""
    found: list[list[str]] = []
    for cluster in _clusters(candidacy, asked):
        if found and _fits(candidacy, [*found[-1], *cluster], most):
            found[-1] += cluster
            continue
        found.append([])
        for fact in cluster:
            if found[-1] and not _fits(candidacy, [*found[-1], fact], most):
                found.append([])
            found[-1].append(fact)
    return [Piece(candidacy, tuple(facts)) for facts in found]


def _fits(candidacy: Candidacy, facts: Sequence[str], most: CallSize) -> bool:
    if most.facts is not None and len(facts) > most.facts:
        return False
    return most.tokens is None or _tokens(candidacy, facts, most.count) <= most.tokens


def _tokens(candidacy: Candidacy, facts: Sequence[str], count: Callable[[str], int]) -> int:
    shown = {*facts, *(one for fact in facts for one in candidacy.offered_to(fact))}
    return sum(count(candidacy.shown(one).text) for one in shown)


def _clusters(candidacy: Candidacy, asked: Iterable[str]) -> Iterator[list[str]]:
    """Facts that were offered to one another, or the same memory, directly or through others."""
    left = list(asked)
    while left:
        cluster, reach = [left.pop(0)], set[str]()
        for fact in cluster:
            reach |= {fact, *candidacy.offered_to(fact)}
            near = [one for one in left if not reach.isdisjoint((one, *candidacy.offered_to(one)))]
            cluster += near
            left = [one for one in left if one not in near]
        yield sorted(cluster, key=candidacy.fact_labels.index)
