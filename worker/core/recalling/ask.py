"""What is asked of a memory, and how the answer is to be chosen. Every stage can be left out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import JsonValue

from schemas.memory import Authority
from schemas.tokens import estimate

#: How rankings by vector, words and identifiers become one: by how well each memory fits, or by its rank alone.
Fusion = Literal["weighted", "rrf"]
WeightName = Literal["cosine", "bm25", "codes", "recency", "use", "superseded", "linked"]

#: Most questions of one call: each is a search of its own.
MOST_QUERIES = 16
#: Most memories that one answer may hold, and that each ranking may nominate for it: servers refuse larger searches.
MOST_ANSWERS, MOST_NOMINATED = 200, 1_000


def _check(holds: bool, problem: str) -> None:  # noqa: FBT001 - a condition and what to say where it fails
    if not holds:
        raise ValueError(problem)


@dataclass(frozen=True)
class Weights:
    """How much each term adds to a score, none below 0. Relevance counts as 1 beside the last four.

    `cosine`, `bm25` and `codes` share relevance among themselves, as far as the question has them.
    """

    cosine: float = 1.0
    bm25: float = 0.5
    #: Identifiers of the question that the memory has.
    codes: float = 1.0
    #: A volatile memory loses it with age; what is not volatile keeps it. As much as `superseded`: what has faded
    #: has most likely been replaced by something that nobody said.
    recency: float = 0.3
    #: How often it was recalled, saturating.
    use: float = 0.05
    #: Taken from what is history.
    superseded: float = 0.3
    #: Share of its linker's score that a memory has at least, where links are followed.
    linked: float = 0.7

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            _check(0 <= value < float("inf"), f"the weight of {name} is {value}: give 0 or more")
        relevance = self.cosine + self.bm25 + self.codes
        _check(relevance > 0, "cosine, bm25 and codes all weigh 0: give one of them more")
        _check(self.linked <= 1, f"the weight of linked is {self.linked}: give at most 1")


@dataclass(frozen=True)
class Filters:
    """What an answer is chosen among; empty is no filter."""

    #: Any of these kinds.
    kinds: frozenset[str] = frozenset()
    #: All of these tags.
    tags: frozenset[str] = frozenset()
    #: Any of these subjects, whatever the case of their letters.
    subjects: frozenset[str] = frozenset()
    #: Any of these authorities.
    authorities: frozenset[Authority] = frozenset()
    #: Last said at this moment or later.
    said_from: datetime | None = None
    #: Last said before this moment.
    said_before: datetime | None = None
    #: Fields of the caller's metadata that have exactly these values.
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True)
class Budget:
    """How much text an answer may hold; only the words of the memories count. Null is no bound."""

    characters: int | None = None
    tokens: int | None = None
    #: How the tokens of a text are counted.
    count: Callable[[str], int] = estimate


@dataclass(frozen=True)
class Ask:
    """A question, or several whose answers are wanted together; without any, the profile is asked for.

    Raises `ValueError` naming what cannot be.
    """

    queries: tuple[str, ...] = ()
    #: Memories of the answer, at most.
    limit: int = 10
    #: Memories that each ranking of the store nominates for one query.
    pool: int = 50
    #: Cosine under which a memory is no answer, unless it has an identifier of the question. Null: all are.
    floor: float | None = None
    #: Cosine of two texts that have nothing to do with each other; the embedder's floor unless given.
    unrelated: float | None = None
    weights: Weights = Weights()
    fusion: Fusion = "weighted"
    #: Days in which a volatile memory loses half of its recency.
    half_life_days: float = 30.0
    #: λ of maximal marginal relevance: 1 is relevance alone, 0 difference alone. Null: no such choice.
    mmr: float | None = 0.8
    #: Cosine from which a memory that adds no detail to a better one is its copy; the embedder's `same` unless given.
    #: Above 1 none is.
    near_copy: float | None = None
    #: Whether what has another code than the one asked for gives way where that one is known.
    exact_codes: bool = True
    #: `turn`, `subject`, `slot`, `kind` or `run`, else the name of a field of the metadata. Null: no groups.
    group_by: str | None = None
    #: Memories of each group that come before others have had their turn.
    group_size: int = 1
    filters: Filters = Filters()
    #: What was believed at this moment.
    as_of: datetime | None = None
    #: What was true at this moment, as it is known now (or as it was known `as_of`).
    valid_at: datetime | None = None
    #: Earlier versions too, marked.
    with_history: bool = False
    #: Also look at what the nominated memories link to.
    follow_links: bool = False
    #: Memory id → the version that was shown already. These are left out, unless they have changed since.
    shown: Mapping[UUID, int] = field(default_factory=dict)
    budget: Budget = Budget()

    def __post_init__(self) -> None:
        _check(1 <= self.limit <= MOST_ANSWERS, f"limit is {self.limit}: give 1 to {MOST_ANSWERS}")
        _check(1 <= self.pool <= MOST_NOMINATED, f"pool is {self.pool}: give 1 to {MOST_NOMINATED}")
        _check(
            len(self.queries) <= MOST_QUERIES,
            f"{len(self.queries)} queries are asked at once: give at most {MOST_QUERIES}",
        )
        _check(
            self.floor is None or -1 <= self.floor <= 1,
            f"floor is {self.floor}: give a cosine, −1 to 1",
        )
        _check(
            self.unrelated is None or -1 <= self.unrelated < 1,
            f"unrelated is {self.unrelated}: give a cosine under 1",
        )
        _check(self.mmr is None or 0 <= self.mmr <= 1, f"mmr is {self.mmr}: give 0 to 1")
        _check(
            self.half_life_days > 0, f"half_life_days is {self.half_life_days}: give more than 0"
        )
        _check(self.group_size >= 1, f"group_size is {self.group_size}: give 1 or more")
        for name, most in (("characters", self.budget.characters), ("tokens", self.budget.tokens)):
            _check(most is None or most >= 0, f"a budget of {most} {name}: give 0 or more")
        for name, moment in self._moments():
            _check(
                moment is None or moment.tzinfo is not None, f"{name} is {moment}: give its offset"
            )
        _check(
            not (self.with_history and self.is_of_another_time),
            "with_history tells every version: ask for it without as_of and valid_at",
        )
        _check(
            not (self.shown and (self.with_history or self.is_of_another_time)),
            "what was shown is compared with what stands now: ask without as_of, valid_at and with_history",
        )

    def settled(self, unrelated: float, same: float) -> "Ask":
        """With an embedder's own cosines where none are given."""
        return replace(
            self,
            unrelated=unrelated if self.unrelated is None else self.unrelated,
            near_copy=same if self.near_copy is None else self.near_copy,
        )

    @property
    def is_of_another_time(self) -> bool:
        return self.as_of is not None or self.valid_at is not None

    def _moments(self) -> tuple[tuple[str, datetime | None], ...]:
        filters = self.filters
        return (
            ("as_of", self.as_of),
            ("valid_at", self.valid_at),
            ("said_from", filters.said_from),
            ("said_before", filters.said_before),
        )
