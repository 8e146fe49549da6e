"""Which live memories, and which facts of the same batch, might be about the same thing as a fact.

Similarity only nominates. The stores name a pool; what is offered is decided here from the pool alone, so
that both stores offer the same.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, zip_longest
from uuid import UUID

import numpy as np
import numpy.typing as npt

from schemas.base import Vector
from schemas.memory import Fact, Memory, MemoryRecord, Statement
from schemas.tokens import estimate
from worker.core.current import current
from worker.core.finding import bm25
from worker.core.finding.rank import RRF_K
from worker.core.finding.twins import Twins, twins
from worker.core.finding.vectors import Matrix, cosines
from worker.core.groups.judgment import Candidacy, most_members
from worker.core.ports import Nominations, Query
from worker.core.texts.function_words import FUNCTION_WORDS
from worker.core.texts.words import terms

#: Places in the pool, ascending.
Places = npt.NDArray[np.intp]
NOWHERE: Places = np.zeros(0, dtype=np.intp)


@dataclass(frozen=True)
class Reach:
    """How far to look."""

    #: Cosine from which a memory is a candidate: the embedder's floor, or the setting.
    floor: float
    #: Candidates of one fact, at most, and of a request to forget thrice as many; the first of each ranking always
    #: has a place.
    top_k: int = 8
    #: Memories that each ranking of the store may nominate for one fact.
    pool: int = 20
    #: Tokens of a call's facts and candidates, the first of each ranking aside.
    tokens: int = 6_000
    #: Whether the facts share a call; else each has one, and its tokens, for itself.
    is_shared: bool = True
    #: How the tokens of a text are counted.
    count: Callable[[str], int] = estimate


def queries(facts: Sequence[Fact], vectors: Sequence[Vector]) -> list[Query]:
    """What to ask of the store, one for each fact."""
    return [
        Query(vector, telling_terms(fact), fact.identifiers, fact.slot, _sought(fact))
        for fact, vector in zip(facts, vectors, strict=True)
    ]


def _sought(fact: Fact) -> str | None:
    """Whose memories are looked at: to forget, anybody's, as one who asks may speak of others."""
    return None if fact.kind == "forget" else fact.subject.casefold()


def telling_terms(fact: Fact) -> tuple[str, ...]:
    """The terms that tell one memory from another: no grammar, nor the subject's name where all are about it."""
    found = terms(fact.text)
    plain = FUNCTION_WORDS | set(() if _sought(fact) is None else terms(fact.subject))
    return tuple(term for term in found if term not in plain) or found


def candidacy(
    facts: Sequence[Fact],
    vectors: Sequence[Vector],
    nominations: Nominations,
    reach: Reach,
    now: datetime,
) -> Candidacy:
    """Offer each fact its candidates and its twins; memories that have lapsed by `now` are left out."""
    pool = [
        _Known(record, memory, nominations.terms.get(id) if memory is record.memory else None)
        for id, record in sorted(nominations.records.items(), key=_id_of)
        if (memory := current(record.memory, now)) is not None
    ]
    records = [known.record for known in pool]
    near = cosines(vectors, [record.vector for record in records])
    choices = _Choices(facts, pool, near, reach).within_budget()
    used = tuple(dict.fromkeys(at for choice in choices for at in choice))
    peers = twins(facts, cosines(vectors, vectors), choices, reach.floor, reach.top_k)
    offers = _Offers(used, choices, peers)
    return Candidacy(
        facts=tuple(facts),
        vectors=tuple(vectors),
        candidates=tuple(records[at] for at in used),
        offered=offers.labels(),
        cosines=offers.cosines(near),
        asked_at=now,
    )


@dataclass(frozen=True)
class _Offers:
    """Who is offered to whom, as places; and the same under labels."""

    #: Places of the offered records, in the order of their labels.
    used: tuple[int, ...]
    choices: Sequence[Sequence[int]]
    twins: Twins

    def labels(self) -> tuple[tuple[str, ...], ...]:
        return tuple(
            (*map(self._name, choice), *(f"f{peer + 1}" for peer in peers))
            for choice, peers in zip(self.choices, self.twins, strict=True)
        )

    def cosines(self, near: Matrix) -> dict[tuple[str, str], float]:
        found: dict[tuple[str, str], float] = {}
        for at, (choice, peers) in enumerate(zip(self.choices, self.twins, strict=True)):
            found |= {(f"f{at + 1}", self._name(c)): float(near[at, c]) for c in choice}
            found |= {(f"f{at + 1}", f"f{peer + 1}"): cosine for peer, cosine in peers.items()}
        return found

    def _name(self, place: int) -> str:
        return f"c{self.used.index(place) + 1}"


@dataclass(frozen=True)
class _Known:
    """A nominated memory as it stands now."""

    record: MemoryRecord
    memory: Memory
    #: The terms of its text, where the store hands them out.
    stored_terms: tuple[str, ...] | None

    @property
    def terms(self) -> tuple[str, ...]:
        return terms(self.memory.text) if self.stored_terms is None else self.stored_terms


class _Choices:
    """Places in the pool for each fact: what each ranking puts first, then the best of all together."""

    def __init__(
        self, facts: Sequence[Fact], known: Sequence[_Known], near: Matrix, reach: Reach
    ) -> None:
        self._facts, self._near, self._reach = facts, near, reach
        self._memories = [one.memory for one in known]
        places: dict[str, list[int]] = {}
        for place, memory in enumerate(self._memories):
            places.setdefault(memory.subject.casefold(), []).append(place)
        self._places = {who: np.array(held, dtype=np.intp) for who, held in places.items()}
        self._everywhere: Places = np.arange(len(known), dtype=np.intp)
        self._terms = [telling_terms(fact) for fact in facts]
        self._pool = bm25.pool((one.terms for one in known), chain(*self._terms))
        self._holders = _holders(
            frozenset(chain(*(fact.identifiers for fact in facts))), self._memories
        )

    def within_budget(self) -> list[tuple[int, ...]]:
        """Places for each fact, best first."""
        facts = range(len(self._facts))
        if self._reach.is_shared:
            return self._choose(facts)
        return [choice for at in facts for choice in self._choose([at])]

    def _choose(self, facts: Sequence[int]) -> list[tuple[int, ...]]:
        """The first of each ranking always, then round by round until `top_k` or the tokens are used up."""
        rankings = [self._rankings(at) for at in facts]
        chosen = [list(dict.fromkeys(r[0] for r in ranked if r)) for ranked in rankings]
        limits = [self._limit(at) for at in facts]
        rest = [_fused(ranked) for ranked in rankings]
        costs = {at for choice in chosen for at in choice}
        left = self._reach.tokens - sum(self._tokens(at) for at in costs)
        left -= sum(self._reach.count(self._facts[at].text) for at in facts)
        for round_ in zip_longest(*rest):
            for choice, at, limit in zip(chosen, round_, limits, strict=True):
                if at is None or at in choice or len(choice) >= limit:
                    continue
                cost = 0 if at in costs else self._tokens(at)
                if cost <= left:
                    left -= cost
                    costs.add(at)
                    choice.append(at)
        return [_in_order(choice, fused) for choice, fused in zip(chosen, rest, strict=True)]

    def _limit(self, at: int) -> int:
        """What is to be forgotten may stand in many memories, and each that is not offered stays."""
        return most_members(self._reach.top_k, forgets=self._facts[at].kind == "forget")

    def _tokens(self, at: int) -> int:
        return self._reach.count(self._memories[at].text)

    def _rankings(self, at: int) -> list[list[int]]:
        """By slot, by vector from the floor on, by BM25, by shared identifiers; each best first."""
        fact, near = self._facts[at], self._near[at]
        who = _sought(fact)
        mine = self._everywhere if who is None else self._places.get(who, NOWHERE)
        words, shared = bm25.scores(self._terms[at], self._pool), self._shared_codes(fact, mine)
        rankings = (
            _best(self._same_slot(fact, mine), near),
            _best(mine[near[mine] >= self._reach.floor], near),
            _best(mine[words[mine] > 0], words),
            sorted(shared, key=lambda p: (-shared[p], -near[p])),
        )
        return [ranking[: self._reach.pool] for ranking in rankings]

    def _same_slot(self, fact: Fact, places: Places) -> Places:
        if fact.slot is None:
            return NOWHERE
        slot = _slot(fact)
        same = [place for place in places.tolist() if _slot(self._memories[place]) == slot]
        return np.array(same, dtype=np.intp)

    def _shared_codes(self, fact: Fact, places: Places) -> Counter[int]:
        """Place → how many identifiers it shares with the fact, where it shares any."""
        mine = set(places.tolist())
        holders = (self._holders.get(code, ()) for code in set(fact.identifiers))
        return Counter(place for place in chain(*holders) if place in mine)


def _holders(codes: frozenset[str], memories: Sequence[Memory]) -> dict[str, list[int]]:
    """Identifier → places of the memories that have it."""
    holders: dict[str, list[int]] = {}
    for place, memory in enumerate(memories):
        for code in codes.intersection(memory.identifiers):
            holders.setdefault(code, []).append(place)
    return holders


def _id_of(item: tuple[UUID, MemoryRecord]) -> int:
    """A number, as ids are compared by themselves very slowly."""
    return item[0].int


def _best(places: Places, scores: npt.NDArray[np.floating]) -> list[int]:
    """By falling score, ties by place."""
    best: list[int] = places[np.argsort(-scores[places], kind="stable")].tolist()
    return best


def _slot(statement: Statement) -> tuple[str, ...]:
    return tuple(part.casefold() for part in statement.slot or ())


def _fused(rankings: Iterable[Sequence[int]]) -> list[int]:
    """By reciprocal rank fusion, ties by place."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, place in enumerate(ranking, start=1):
            scores[place] = scores.get(place, 0.0) + 1 / (RRF_K + rank)
    return sorted(scores, key=lambda place: (-scores[place], place))


def _in_order(choice: Iterable[int], fused: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(choice, key=fused.index))
