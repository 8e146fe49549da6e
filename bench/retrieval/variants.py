"""Ways to answer that are compared, each an ask without queries. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product

from worker.core.recalling.ask import Ask, Fusion, Weights

#: Deep enough for every depth that is looked at.
LIMIT = 20
#: A cosine that none reaches.
NEVER = 2.0

#: All that is told is asked for; nothing is left out for its likeness.
USUAL = Ask(limit=LIMIT)
BARE = replace(USUAL, mmr=None, near_copy=NEVER)
ONLY = Weights(recency=0, use=0)


@dataclass(frozen=True)
class Variant:
    """One way."""

    ask: Ask
    #: Whether the page that was told for the question before is given as shown.
    is_second: bool = False
    #: Whether what was observed in one turn is linked.
    is_linked: bool = False


VARIANTS: Mapping[str, Variant] = {
    "vector only": Variant(replace(BARE, weights=replace(ONLY, bm25=0, codes=0))),
    "BM25 only": Variant(replace(BARE, weights=replace(ONLY, cosine=0, codes=0, bm25=1))),
    "hybrid": Variant(BARE),
    "hybrid, rrf": Variant(replace(BARE, fusion="rrf")),
    "hybrid + near-copy": Variant(replace(BARE, near_copy=None)),
    "hybrid + MMR": Variant(replace(BARE, mmr=USUAL.mmr)),
    "the usual": Variant(USUAL),
    "the usual, second ask": Variant(USUAL, is_second=True),
    "the usual + links": Variant(replace(USUAL, follow_links=True), is_linked=True),
}

#: What is tried in place of the usual values, one at a time.
BM25S = (0.2, 0.3, 0.5, 0.7, 1.0, 1.5)
BALANCES = (1.0, 0.95, 0.9, 0.8, 0.7, 0.5)
POOLS = (20, 50, 100, 150)
FLOORS = (None, 0.78, 0.8, 0.82)


def tried() -> dict[str, Ask]:
    """Name → one that differs from the usual in one value, or in how rankings are fused with what weight."""
    fusions: tuple[Fusion, ...] = ("weighted", "rrf")
    return {
        **{
            f"{fusion}, bm25 {bm25:g}": replace(
                USUAL, fusion=fusion, weights=replace(USUAL.weights, bm25=bm25)
            )
            for fusion, bm25 in product(fusions, BM25S)
        },
        **_each("mmr", BALANCES, lambda value: replace(USUAL, mmr=value)),
        **_each("pool", POOLS, lambda value: replace(USUAL, pool=int(value or 1))),
        **_each("floor", FLOORS, lambda value: replace(USUAL, floor=value)),
    }


def _each(
    name: str, values: Iterable[float | None], made: Callable[[float | None], Ask]
) -> dict[str, Ask]:
    return {f"{name} {'off' if one is None else f'{one:g}'}": made(one) for one in values}
