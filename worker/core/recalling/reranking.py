"""What a reranker says of the best of a pool, as scores.

A cross-encoder reads question and memory together, which tells more than two vectors; but it knows nothing of codes,
of what stands and of what was said later.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from worker.core.recalling.links import later_first
from worker.core.recalling.pool import DECIMALS, Entry, Pool, best_first

#: Memories that are put to it, and how much of each, in characters.
TOP = 50
LONGEST_DOCUMENT = 1_000


@dataclass(frozen=True)
class Reranking:
    """The best of a pool, as they are put to a reranker."""

    pool: Pool
    top: tuple[Entry, ...]

    @property
    def documents(self) -> list[str]:
        return [entry.memory.text[:LONGEST_DOCUMENT] for entry in self.top]

    def ordered(self, named: Sequence[int]) -> Pool:
        """The pool with the same scores in other hands, in the order of the places that were named.

        Places that are none or were named before do not count; what was not named comes behind, in our order. Who has
        a code of the question stays before who has none, and what was said later before what it stands beside.
        """
        order = sorted(_whole(named, len(self.top)), key=lambda place: -_codes(self.top[place]))
        dealt = {
            id(self.top[place]): _dealt(self.top[place], score)
            for place, score in zip(order, _falling(self.top), strict=True)
        }
        return later_first(self.pool.with_entries(dealt.get(id(e), e) for e in self.pool.entries))


def to_rerank(pool: Pool) -> Reranking | None:
    """What stands, the best; history keeps its place. Nothing where there is no order to make."""
    top = best_first(entry for entry in pool.entries if not entry.superseded)[:TOP]
    return Reranking(pool, tuple(top)) if len(top) > 1 else None


def _whole(named: Sequence[int], many: int) -> list[int]:
    first = dict.fromkeys(place for place in named if 0 <= place < many)
    return [*first, *(place for place in range(many) if place not in first)]


def _codes(entry: Entry) -> float:
    return max((signal.codes for signal in entry.signals), default=0.0)


def _falling(top: Sequence[Entry]) -> list[float]:
    """Their scores, equals told apart by the least that a score can differ by."""
    scores: list[float] = []
    for entry in top:
        least = scores[-1] - 10**-DECIMALS if scores else entry.score
        scores.append(min(entry.score, least))
    return scores


def _dealt(entry: Entry, score: float) -> Entry:
    return entry.scored({**entry.parts, "rerank": score - entry.score})
