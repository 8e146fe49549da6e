"""What a program may say when it recalls, and what is asked because of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import isfinite
from typing import Any, TypedDict, get_type_hints
from uuid import UUID

from pydantic import ConfigDict, ValidationError, create_model

from schemas.scope import Scope
from worker.core.recalling.ask import Ask, Filters, Fusion, Weights
from worker.core.recalling.waiting import MOST_PENDING


class Options(TypedDict, total=False):
    """What is not named is as the settings say, else as `Ask` does, whose fields these are but for the first six."""

    #: What was shown in it is not shown again: a name of the caller's own. Null: everything is.
    conversation: str | None
    #: Also the last turns that are not consolidated yet; false unless set.
    include_pending: bool
    #: Of these at most, 1 to 50; 10 unless set.
    pending_limit: int
    #: Until there is an answer, whatever is slow or down.
    deadline_seconds: float
    #: Of all texts. Null is no bound.
    max_tokens: int | None
    max_characters: int | None
    limit: int
    pool: int
    floor: float | None
    weights: Weights
    fusion: Fusion
    half_life_days: float
    mmr: float | None
    near_copy: float | None
    exact_codes: bool
    group_by: str | None
    group_size: int
    filters: Filters
    as_of: datetime | None
    valid_at: datetime | None
    with_history: bool
    follow_links: bool
    shown: Mapping[UUID, int]


HINTS: dict[str, Any] = get_type_hints(Options)
KNOWN = frozenset(HINTS)
#: Reads them: what has come as JSON, such as ids as text, is taken as well. Filters and weights are looked into.
_FIELDS: dict[str, Any] = {name: (hint, None) for name, hint in HINTS.items()}
READER = create_model("Options", __config__=ConfigDict(revalidate_instances="always"), **_FIELDS)
#: Options that are no field of an `Ask`.
BESIDE = frozenset(
    {"conversation", "include_pending", "pending_limit", "deadline_seconds"}
    | {"max_tokens", "max_characters"}
)
PENDING = 10


@dataclass(frozen=True)
class Asking:
    """One call of recall."""

    scope: Scope
    ask: Ask
    deadline_seconds: float
    #: The conversation of which it heeds what was shown.
    conversation: str | None = None
    #: Turns that are not consolidated yet, at most.
    pending: int = 0

    @property
    def is_of_now(self) -> bool:
        return not (self.ask.with_history or self.ask.is_of_another_time)


def asking(
    scope: Scope, queries: Sequence[str], options: Options, usual: Ask, deadline_seconds: float
) -> Asking:
    """What is asked. Raises `ValueError` naming what cannot be; `usual` is an ask that says nothing of its own.

    What was said at another time, or ever, is told whatever was shown: then `conversation` makes no difference.
    """
    given = _read(options)
    if not all(isinstance(query, str) for query in queries):
        raise ValueError("a query is no text: give each as a string")
    seconds = given.get("deadline_seconds", deadline_seconds)
    if not (isfinite(seconds) and seconds > 0):
        raise ValueError(f"deadline_seconds is {seconds}: give more than 0")
    budget = replace(
        usual.budget,
        tokens=given.get("max_tokens", usual.budget.tokens),
        characters=given.get("max_characters", usual.budget.characters),
    )
    fields = {name: value for name, value in given.items() if name not in BESIDE}
    asked = Asking(
        scope=scope,
        ask=replace(usual, queries=tuple(queries), budget=budget, **fields),
        deadline_seconds=seconds,
        pending=_pending(given),
    )
    conversation = given.get("conversation")
    if conversation == "":
        raise ValueError("conversation is empty: name it, or leave it out")
    return replace(asked, conversation=conversation) if asked.is_of_now else asked


def _read(options: Options) -> dict[str, Any]:
    if unknown := sorted(options.keys() - KNOWN):
        raise ValueError(f"{', '.join(unknown)} is no option of recall: {', '.join(sorted(KNOWN))}")
    try:
        read = READER.model_validate(options)
    except ValidationError as error:
        faults = (
            f"{'.'.join(map(str, one['loc']))}: {one['msg'].removeprefix('Value error, ')}"
            for one in error.errors(include_url=False, include_input=False)
        )
        # What was given stays out of tracebacks.
        raise ValueError("; ".join(faults)) from None
    return {name: getattr(read, name) for name in options}


def _pending(given: Mapping[str, Any]) -> int:
    many: int = given.get("pending_limit", PENDING)
    if not 1 <= many <= MOST_PENDING:
        raise ValueError(f"pending_limit is {many}: give 1 to {MOST_PENDING}")
    return many if given.get("include_pending", False) else 0
