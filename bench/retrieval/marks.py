"""How well a ranking answers labelled questions. Pure."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

import numpy as np

from schemas.base import Vector

#: Of an answer, so many from the top.
DEPTHS = (1, 5, 10, 20)
#: Memories of an answer that copies and tokens are counted in: the usual limit.
PAGE = 10


@dataclass(frozen=True)
class Mark:
    """What one answer came to."""

    category: str
    #: Place of the first that has evidence, from 1; null where none has.
    rank: int | None
    #: Of the first `PAGE`.
    tokens: int = 0
    copies: int = 0
    superseded: int = 0
    #: Whether the first that is about what was asked for is over.
    stale: int = 0


def rank(found: Iterable[Collection[Any]], wanted: Collection[Any]) -> int | None:
    """Place, from 1, of the first that has any of the wanted."""
    places = (at for at, has in enumerate(found, 1) if not set(wanted).isdisjoint(has))
    return next(places, None)


def repeated(things: Iterable[str]) -> int:
    """How many say what one before them says."""
    seen = list(things)
    return len(seen) - len(set(seen))


def near_copies(vectors: Sequence[Vector], same: float) -> int:
    """How many are at least so near to one before them."""
    if not vectors:
        return 0
    rows = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1)
    return int((np.tril(rows @ rows.T, -1) >= same).any(axis=1).sum())


def hit_rate(marks: Collection[Mark], depth: int) -> float:
    """Share of answers that have evidence among the first `depth`."""
    return mean(one.rank is not None and one.rank <= depth for one in marks)


def reciprocal_rank(marks: Collection[Mark]) -> float:
    """Mean of 1 / rank, 0 where nothing was found."""
    return mean(1 / one.rank if one.rank else 0.0 for one in marks)


def summary(marks: Collection[Mark]) -> dict[str, float]:
    """Name → what all the answers came to, each between 0 and 1 or a mean per answer."""
    means: dict[str, Callable[[Mark], int]] = {
        "tokens": lambda one: one.tokens,
        "copies": lambda one: one.copies,
        "superseded": lambda one: one.superseded,
        "stale first": lambda one: one.stale,
    }
    return {
        **{f"hit@{depth}": hit_rate(marks, depth) for depth in DEPTHS},
        "MRR": reciprocal_rank(marks),
        **{name: mean(map(of, marks)) for name, of in means.items()},
    }


def by_category(
    marks: Collection[Mark], apart: str = "adversarial"
) -> Iterator[tuple[str, list[Mark]]]:
    """`all` but those apart, then each category; none that is empty."""
    if rest := [one for one in marks if one.category != apart]:
        yield "all", rest
    for category in sorted({one.category for one in marks}):
        yield category, [one for one in marks if one.category == category]
