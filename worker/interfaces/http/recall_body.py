"""What may be asked of recall, as a body."""

from typing import Annotated, Any, cast
from uuid import UUID

from pydantic import Field

from schemas.base import AwareDatetime, Frozen, Text
from schemas.line import Metadata, Short
from schemas.memory import Authority
from worker.core.recalling.ask import MOST_ANSWERS, MOST_NOMINATED, MOST_QUERIES, Fusion
from worker.core.recalling.options import Options
from worker.core.recalling.waiting import MOST_PENDING

#: Characters of a question, values of one filter, versions that were shown, and seconds that an answer may take.
LONGEST_QUERY, MOST_VALUES, MOST_SHOWN, LONGEST_DEADLINE = 20_000, 100, 1_000, 60

EXAMPLE = {"queries": ["Where do I live?"], "limit": 5, "conversation": "42", "block": True}

Query = Annotated[Text, Field(max_length=LONGEST_QUERY)]
Names = Annotated[frozenset[Short], Field(max_length=MOST_VALUES)]


def usual(told: str, **checks: Any) -> Any:
    """A field that is as the settings say unless it is given."""
    return Field(default_factory=lambda: None, description=told, **checks)


class FiltersBody(Frozen):
    """What an answer is chosen among; empty is no filter."""

    kinds: Names = Field(default=frozenset(), description="Any of these.")
    tags: Names = Field(default=frozenset(), description="All of these.")
    subjects: Names = Field(default=frozenset(), description="About any of these.")
    authorities: frozenset[Authority] = Field(
        default=frozenset(), description="What any of these said."
    )
    said_from: AwareDatetime | None = Field(default=None, description="Last said then or later.")
    said_before: AwareDatetime | None = Field(default=None, description="Last said before then.")
    metadata: Metadata = Field(
        default_factory=dict, description="Exactly these values of the caller's own fields."
    )


class WeightsBody(Frozen):
    """How much each term adds to a score."""

    cosine: float = usual("Nearness in meaning.", ge=0, allow_inf_nan=False)
    bm25: float = usual("Common words.", ge=0, allow_inf_nan=False)
    codes: float = usual("Identifiers of the question.", ge=0, allow_inf_nan=False)
    recency: float = usual("Newness of what is volatile.", ge=0, allow_inf_nan=False)
    use: float = usual("How often it was recalled.", ge=0, allow_inf_nan=False)
    superseded: float = usual("Taken from what is history.", ge=0, allow_inf_nan=False)
    linked: float = usual("Share of its linker's score.", ge=0, le=1)


class RecallBody(Frozen):
    """What is not given is as the settings say."""

    queries: tuple[Query, ...] = Field(
        default=(), max_length=MOST_QUERIES, description="Without any, the profile is told."
    )
    conversation: Short | None = Field(
        default=None, description="What was shown in it is not shown again."
    )
    include_pending: bool = Field(
        default=False, description="Also the last turns that are not consolidated yet."
    )
    pending_limit: int = usual("Of these, at most.", ge=1, le=MOST_PENDING)
    deadline_seconds: float = usual(
        "Until there is an answer, whatever is slow or down.", gt=0, le=LONGEST_DEADLINE
    )
    max_tokens: int | None = usual("Of all texts; null is no bound.", ge=0)
    max_characters: int | None = usual("Of all texts; null is no bound.", ge=0)
    limit: int = usual("Memories, at most.", ge=1, le=MOST_ANSWERS)
    pool: int = usual("Memories that each ranking nominates.", ge=1, le=MOST_NOMINATED)
    floor: float | None = usual("Cosine under which nothing answers.", ge=-1, le=1)
    weights: WeightsBody = usual("Those of the score.")
    fusion: Fusion = usual("How rankings become one.")
    half_life_days: float = usual("Of what is volatile.", gt=0, allow_inf_nan=False)
    mmr: float | None = usual("1 is relevance alone, 0 difference alone.", ge=0, le=1)
    near_copy: float | None = usual("Cosine from which a copy is left out.", ge=0, le=2)
    exact_codes: bool = usual("Whether the code that is asked for leaves no room for others.")
    group_by: Short | None = Field(
        default=None,
        description="`turn`, `subject`, `slot`, `kind`, `run`, or a field of the metadata.",
    )
    group_size: int = usual("Of each group before others.", ge=1, le=MOST_ANSWERS)
    filters: FiltersBody = FiltersBody()
    as_of: AwareDatetime | None = Field(default=None, description="What was believed then.")
    valid_at: AwareDatetime | None = Field(
        default=None, description="What was true then, as it is known now."
    )
    with_history: bool = Field(default=False, description="Earlier versions too, marked.")
    follow_links: bool = Field(default=False, description="Also what the found ones link to.")
    shown: dict[UUID, int] = usual(
        "Memory → the version that was shown already.", max_length=MOST_SHOWN
    )
    block: bool = Field(default=False, description="Also the answer as one text for a prompt.")
    explain: bool = Field(
        default=False, description="Also what scores are made of, and what was left out and why."
    )

    def options(self) -> Options:
        """What was given."""
        given = self.model_dump(exclude={"queries", "block", "explain"}, exclude_unset=True)
        return cast("Options", given)
